/* plot-data - prepares what the gnuplot scripts draw. They call it; a person need not. */
#include "plot_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: plot-data parts RUN                              parts, records, block records\n"
    "       plot-data timeline TITLE PART RUN...             for timeline.gp\n"
    "       plot-data timeline-small TITLE PART RUN...       for a vector format: fewer bars\n"
    "       plot-data timeline-text TITLE PART RUN...        a timeline drawn with letters\n"
    "       plot-data blocks TITLE PART RUN                  for blocks.gp\n"
    "       plot-data series NAME PART PATTERN PARTNER RUN...  results whose name fits PATTERN\n"
    "       plot-data rows NAME PART PATTERN PARTNER RUN...    the same, a series each\n"
    "       plot-data results-text TITLE SUMMARY [PART PATTERN PARTNER]... -- RUN...  the same\n"
    "                                                    drawn with letters\n"
    "       plot-data head TITLE SUMMARY RUN...              what stands above a chart of results\n"
    "       plot-data about RUN...                           what kind of run each is\n"
    "       plot-data begin OUT | finish TEMPORARY OUT  a picture's file\n"
    "RUN is a folder with run.csv, results.csv and timeline.csv; recorded:FOLDER is a recorded "
    "run.\n";

/* TITLE SUMMARY PART PATTERN PARTNER ... -- RUN... */
static void results_text_of(int argc, char **argv) {
    int fits = 0;
    while (2 + 3 * fits + 3 <= argc && strcmp(argv[2 + 3 * fits], "--") != 0)
        fits++;
    int runs_at = 2 + 3 * fits + 1;
    if (runs_at >= argc)
        fail("results-text: no runs");
    results_text(argv[0], argv[1], fits, argv + 2, argc - runs_at, argv + runs_at);
}

int main(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : "";
    gnuplot_reads = strcmp(command, "parts") != 0 && strcmp(command, "timeline-text") != 0 &&
                    strcmp(command, "results-text") != 0;
    series_of_rows = strcmp(command, "rows") == 0;
    bool small = strcmp(command, "timeline-small") == 0;
    if (small)
        bars_limit = 3200; /* as many as keep an SVG under 2 MiB */
    if (strcmp(command, "parts") == 0 && argc == 3)
        spans_list_parts(argv[2]);
    else if ((strcmp(command, "timeline") == 0 || small) && argc >= 5)
        timeline_emit(argv[2], argv[3], argc - 4, argv + 4);
    else if (strcmp(command, "timeline-text") == 0 && argc >= 5)
        timeline_text(argv[2], argv[3], argc - 4, argv + 4);
    else if (strcmp(command, "blocks") == 0 && argc == 5)
        blocks_emit(argv[2], argv[3], argv[4]);
    else if ((strcmp(command, "series") == 0 || series_of_rows) && argc >= 7)
        series_emit(argv[2], argv[3], argv[4], argv[5], argc - 6, argv + 6);
    else if (strcmp(command, "head") == 0 && argc >= 5)
        head_of_runs(argv[2], argv[3], argc - 4, argv + 4);
    else if (strcmp(command, "results-text") == 0 && argc >= 6)
        results_text_of(argc - 2, argv + 2);
    else if (strcmp(command, "about") == 0 && argc >= 3)
        about_emit(argc - 2, argv + 2);
    else if (strcmp(command, "begin") == 0 && argc == 3)
        file_begin(argv[2]);
    else if (strcmp(command, "finish") == 0 && argc == 4)
        return file_finish(argv[2], argv[3]);
    else if (strcmp(command, "--help") == 0)
        fputs(usage, stdout);
    else {
        fputs(usage, stderr);
        puts("exit status 2"); /* for the gnuplot script that reads this */
        return 2;
    }
    /* EPIPE: whoever closed the pipe knows. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
        fail("cannot write to standard output (disk full?)");
    return 0;
}
