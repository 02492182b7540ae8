/* expect.h - tests on a GPU print TAP: one line for each expectation, and a plan at the end. */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdarg.h>
#include <stdio.h>

#include "lab.h"

static int expected, missed;

static inline void expect(bool met, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void expect(bool met, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    missed += !met;
    printf("%s %d - ", met ? "ok" : "not ok", ++expected);
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    va_end(arguments);
}

static inline int expect_end(void) {
    printf("1..%d\n", expected);
    return missed > 0;
}

/* What lab_begin does, without a command line. */
static inline void gpu_begin(const char *program) {
    error_program(program);
    tracer_init();
    device_select(0);
    device_lock();
    CUDA_CHECK(cudaFree(NULL));
    kernels_init();
}

static inline cudaStream_t new_stream(void) {
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static inline void queue_sleep(int64_t ns, int blocks, cudaStream_t stream) {
    sleep_kernel<<<blocks, 128, 0, stream>>>(cycles_for(ns), spin_guard());
    LAUNCH_CHECK();
}

#endif
