#include "run.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "csv.h"
#include "device.h"
#include "error.h"
#include "kernels.h"
#include "report.h"
#include "results.h"
#include "run_csv.h"
#include "run_range.h"
#include "timeline.h"
#include "timeline_json.h"
#include "tracer.h"

enum { MAX_REPEATS = 1001 };

int64_t opt_repeats;
static int64_t opt_device, opt_no_trace, opt_help, opt_version;
static const char *opt_out, *opt_parts;

static const struct option_spec shared_options[] = {
    {"out", OPTION_STRING, &opt_out, 0, 0, NULL, "folder for the CSV files; without it none"},
    {"device", OPTION_INT, &opt_device, 0, 1023, NULL, "which GPU, as CUDA counts them"},
    {"parts", OPTION_STRING, &opt_parts, 0, 0, NULL,
     "letters of the parts to run, as ac for a and c; without it all"},
    {"repeats", OPTION_INT, &opt_repeats, 1, MAX_REPEATS, NULL,
     "rounds to measure, better an odd number [11, or 3 for rounds over 100 ms]"},
    {"no-trace", OPTION_FLAG, &opt_no_trace, 0, 0, NULL,
     "no tracer: device times come from events"},
    {"help", OPTION_FLAG, &opt_help, 0, 0, NULL, "this text"},
    {"version", OPTION_FLAG, &opt_version, 0, 0, NULL, "the version"},
    {NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
};

static const struct lab *lab;
static struct run_info info;

/* What was printed is lost if the disk behind stdout is full; that must not look like success. */
static void finish_stdout(void) {
    if (fflush(stdout) != 0 || ferror(stdout))
        die(EXIT_ENVIRONMENT, "cannot write the report to standard output; make room");
}

static int n_parts(void) {
    int n = 0;
    while (lab->parts[n] != NULL)
        n++;
    return n;
}

static void check_parts(void) {
    const char last = (char)('a' + n_parts() - 1);
    for (const char *letter = opt_parts; letter != NULL && *letter != '\0'; letter++) {
        if (*letter < 'a' || *letter > last)
            die(EXIT_USAGE, "--parts: '%s' names no part '%c'; allowed: letters from a to %c",
                opt_parts, *letter, last);
    }
}

static void parse_command_line(int argc, char **argv) {
    options_parse(lab->options, shared_options, argc, argv);
    if (opt_help)
        options_help(lab->name, lab->summary, lab->parts, lab->options, shared_options);
    if (opt_version)
        printf("%s %s\n", lab->name, LAB_VERSION);
    if (opt_help || opt_version) {
        finish_stdout();
        exit(EXIT_PASS);
    }
    check_parts();
}

static void print_heading(void) {
    const struct device *gpu = device();
    printf("%s %s (version %s)\n\n", lab->name, lab->title, LAB_VERSION);
    say("%s", lab->summary);
    printf("\nDevice   %s%s: %d SMs, compute capability %d.%d, %s, %d copy engines\n",
           device_simulated() ? "SIMULATED " : "", gpu->name, gpu->sms, gpu->major, gpu->minor,
           show_bytes((double)gpu->memory_bytes), gpu->copy_engines);
    if (device_simulated())
        printf("         what a model of the documented rules predicts, not a measurement\n");
    printf("CUDA     driver %d.%d, runtime %d.%d\n", gpu->driver / 1000, gpu->driver % 1000 / 10,
           gpu->runtime / 1000, gpu->runtime % 1000 / 10);
    printf("Tracer   %s\n", tracer_name());
    const char *note = run_comparable_note();
    if (note != NULL)
        printf("NOTE     %s\n", note);
    if (run_invalid_reason() != NULL)
        printf("INVALID  %s; no check passes\n", run_invalid_reason());
}

void lab_begin(const struct lab *which, int argc, char **argv) {
    lab = which;
    error_program(lab->name);
    parse_command_line(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0); /* so that a run that is stopped shows how far it came */
    error_catch_signals();
    if (launches_block())
        run_invalid("CUDA_LAUNCH_BLOCKING is set: every launch waits for its kernel; unset it");
    device_select((int)opt_device);
    device_lock();
    if (opt_no_trace)
        tracer_disable("--no-trace");
    tracer_init();
    device_open();
    kernels_init();
    info.lab = lab->name;
    info.title = lab->title;
    info.argc = argc;
    info.argv = argv;
    print_heading();
}

bool part_begin(char letter) {
    if (opt_parts != NULL && strchr(opt_parts, letter) == NULL)
        return false;
    char heading[200];
    snprintf(heading, sizeof heading, "%c. %s", letter, lab->parts[letter - 'a']);
    range_begin(heading);
    printf("\n%s\n", heading);
    return true;
}

int lab_end(void) {
    range_end();
    kernels_free();
    checks_print();
    if (opt_out != NULL) {
        csv_batch_begin();
        run_csv_write(opt_out, &info);
        results_write(opt_out);
        timeline_write(opt_out);
        timeline_json_write(opt_out);
        checks_write(opt_out);
        csv_batch_end();
    }
    finish_stdout();
    run_at_die();
    if (checks_count(VERDICT_FAIL) > 0)
        return EXIT_FAIL;
    return checks_count(VERDICT_PASS) > 0 ? EXIT_PASS : EXIT_CANNOT_SHOW;
}
