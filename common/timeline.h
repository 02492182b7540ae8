/* timeline.h - what happened and when: host calls and device operations as spans of time. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum span_kind {
    SPAN_API,    /* a CUDA runtime call, on the host */
    SPAN_KERNEL, /* a kernel, on the device */
    SPAN_H2D,
    SPAN_D2H,
    SPAN_D2D,
    SPAN_PEER, /* a copy from one device to another */
    SPAN_H2H,
    SPAN_MEMSET,
    SPAN_BLOCK, /* one block of a kernel; stream holds the SM it ran on */
    SPAN_KINDS
};

enum memory_kind { MEMORY_NONE, MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_DEVICE, MEMORY_MANAGED };

/* One row of timeline.csv. Strings are not owned: they live as long as the program. */
struct span {
    const char *part; /* "b", "a-256-streams": letters, digits and dashes */
    enum span_kind kind;
    const char *name;
    int device;
    int stream;                /* the tracer's number for the stream; -1 for host calls */
    int64_t start_ns, end_ns;  /* host wall clock */
    uint32_t correlation;      /* the same for a call and for the work it queued */
    uint64_t bytes;            /* copies and memsets */
    enum memory_kind src, dst; /* copies and memsets */
    int grid[3], block[3];     /* kernels */
    int registers;             /* kernels: per thread; not in the CSV, used for capacity */
    int shared_bytes;          /* kernels: static + dynamic, per block; not in the CSV */
};

/* Adds a span to the run's timeline. Amortised constant time; dies when memory is out. */
void timeline_add(const struct span *span);

/* A copy of the string that lives as long as the program; the same pointer for the same text. */
const char *timeline_name(const char *text);

/* All spans, in the order added until timeline_sort. A pointer to a span stays good
 * until its own range is sorted or validated: after trace_end, for the rest of the program. */
size_t timeline_count(void);
const struct span *timeline_at(size_t index);

/* Orders spans from index `from` on by correlation, then start: launch order. */
void timeline_sort(size_t from);

/* The nth (from 0) span of that part and kind in launch order, or NULL. */
const struct span *timeline_find(const char *part, enum span_kind kind, int nth);
int timeline_count_of(const char *part, enum span_kind kind);

/* The host call that queued this device work (same part, same correlation), or NULL. */
const struct span *timeline_call_of(const struct span *work);

/* Share of the shorter span that lies inside the other, 0 to 1:
 * max(0, min(end) - max(start)) / min(duration). */
double span_overlap(const struct span *a, const struct span *b);

int64_t span_ns(const struct span *span);

/* Records rejected from index `from` on, by reason. A rejected record is removed, and counted. */
struct rejected {
    int end_before_start; /* end <= start, or either is 0 */
    int before_launch;    /* starts before the call that queued it was entered */
    int own_stream;       /* overlaps earlier work of its own stream, queued by another call */
    int duplicate;        /* two host calls with one correlation id */
    int lost;             /* dropped by the tracer before they got here */
};
struct rejected timeline_validate(size_t from);
int rejected_total(const struct rejected *rejected);

/* Records the tracer dropped before they got here; and all that was rejected or lost in the run. */
void timeline_lost(int records);
const struct rejected *timeline_rejected(void);

/* Removes the spans from index `from` on for which remove[i - from] is true. */
void timeline_remove(size_t from, const bool *remove);

/* Writes timeline.csv into dir, with times from the run's first record on. Dies like csv_commit. */
void timeline_write(const char *dir);

/* The first start of all spans, host calls among them: what the files count from, so that no time
 * in them is negative. 0 without spans. */
int64_t timeline_first_ns(void);

/* The word used in the CSV ("h2d", "pinned"). */
const char *span_kind_name(enum span_kind kind);
const char *memory_kind_name(enum memory_kind kind);

#ifdef __cplusplus
}
#endif
#endif
