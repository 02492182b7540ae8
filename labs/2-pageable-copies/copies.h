/* copies.h - what the files of lab 2 share. */
#ifndef COPIES_H
#define COPIES_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MIB = 1 << 20, PAGE_BYTES = 4096 };

extern int64_t bytes, table_bytes, largest_bytes, sleep_ns, busy_ns; /* options */

void part_program(void); /* a: program.cu */
void part_table(void);   /* b: table.cu, with the manual's rules in rules.c */
void part_sizes(void);   /* c: sizes.cu */

/* The size asked for, or what fits three quarters of the free device and host memory, given how
 * many buffers of that size either holds; says so if that is less. */
int64_t bytes_that_fit(char part, int64_t wanted, int device_buffers, int host_buffers);

/* How long a stream has to be busy for a call that takes idle_ns in an idle stream: so long that
 * a call which does not wait is back well before the stream is free. */
int64_t busy_long_enough(double idle_ns);

/* One 64-bit word in each page, made from seed and place: enough to see whether a page was copied.
 */
void mark_pages(void *memory, size_t bytes, int seed);
void clear_pages(void *memory, size_t bytes);
bool pages_marked(const void *memory, size_t bytes, int seed);
bool pages_clear(const void *memory, size_t bytes);
size_t mark_distance(size_t bytes); /* from mark to mark in a buffer of that size */

/* -1: all of a are below all of b; 1: above; 0: the two ranges meet. */
int compare(const struct samples *a, const struct samples *b);

#ifdef __cplusplus
}
#endif
#endif
