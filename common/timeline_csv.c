/* timeline.csv: one row a span. */
#include "timeline.h"

#include "csv.h"

static const char *const columns[] = {
    "part", "kind", "name",   "device", "stream", "start_ns", "end_ns",  "correlation", "bytes",
    "src",  "dst",  "grid_x", "grid_y", "grid_z", "block_x",  "block_y", "block_z"};

int64_t timeline_first_ns(void) {
    size_t n = timeline_count();
    int64_t first = n == 0 ? 0 : timeline_at(0)->start_ns;
    for (size_t i = 1; i < n; i++) {
        if (timeline_at(i)->start_ns < first)
            first = timeline_at(i)->start_ns;
    }
    return first;
}

static void write_row(struct csv *csv, const struct span *span, int64_t first) {
    csv_text(csv, span->part);
    csv_text(csv, span_kind_name(span->kind));
    csv_text(csv, span->name);
    csv_int(csv, span->device);
    csv_int(csv, span->stream);
    csv_int(csv, span->start_ns - first);
    csv_int(csv, span->end_ns - first);
    csv_int(csv, span->correlation);
    csv_int(csv, (int64_t)span->bytes);
    csv_text(csv, memory_kind_name(span->src));
    csv_text(csv, memory_kind_name(span->dst));
    for (int i = 0; i < 3; i++)
        csv_int(csv, span->grid[i]);
    for (int i = 0; i < 3; i++)
        csv_int(csv, span->block[i]);
    csv_end_row(csv);
}

void timeline_write(const char *dir) {
    struct csv *csv = csv_create(dir, "timeline.csv");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        csv_text(csv, columns[i]);
    csv_end_row(csv);
    int64_t first = timeline_first_ns();
    for (size_t i = 0; i < timeline_count(); i++)
        write_row(csv, timeline_at(i), first);
    csv_commit(csv);
}
