/* error.h - exit statuses, the one way to stop with a message, and the one check round CUDA calls.
 */
#ifndef ERROR_H
#define ERROR_H

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a lab's exit status means. 77 is what automake and TAP call "skipped". */
enum exit_status {
    EXIT_PASS = 0,        /* every check passed */
    EXIT_FAIL = 1,        /* a check failed, or a CUDA call went wrong in the middle */
    EXIT_USAGE = 2,       /* the command line is wrong */
    EXIT_ENVIRONMENT = 3, /* no GPU, driver too old, out of memory, folder not writable, ... */
    EXIT_CANNOT_SHOW = 77 /* nothing failed, and nothing could be shown here */
};

/* Prints one line "lab-1: <message>" to stderr, removes unfinished files, and exits with status.
 * The message says what, where, and what to do about it. */
void die(enum exit_status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Prints one line "lab-1: warning: <message>" to stderr. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The program's name in messages ("lab-1"), set by lab_begin. The string is not copied. */
void error_program(const char *name);

/* Runs fn at exit of any kind that die, lab_end or a signal handler can see. At most 8, the last
 * one first. fn may call only async-signal-safe functions. */
void at_die(void (*fn)(void));
void run_at_die(void); /* for lab_end: runs them now, once */

/* From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE print a line, remove unfinished files and exit
 * with 128 + the signal's number; a file over the size limit is an error of write. */
void error_catch_signals(void);

/* Behind the macros below: die with the call, the error's name and text, file, line, and advice. */
void cuda_failed(cudaError_t error, const char *call, const char *file, int line)
    __attribute__((noreturn));
void cublas_failed(cublasStatus_t status, const char *call, const char *file, int line)
    __attribute__((noreturn));

/* What a person can do about this error. Never NULL. */
const char *cuda_advice(cudaError_t error);

/* Every CUDA runtime call goes through this; it is never compiled out. */
#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t cuda_check_error = (call);                                                     \
        if (cuda_check_error != cudaSuccess)                                                       \
            cuda_failed(cuda_check_error, #call, __FILE__, __LINE__);                              \
    } while (0)

/* After each kernel<<<...>>>: a launch returns no value, its error is fetched here. */
#define LAUNCH_CHECK() CUDA_CHECK(cudaGetLastError())

#define CUBLAS_CHECK(call)                                                                         \
    do {                                                                                           \
        cublasStatus_t cublas_check_status = (call);                                               \
        if (cublas_check_status != CUBLAS_STATUS_SUCCESS)                                          \
            cublas_failed(cublas_check_status, #call, __FILE__, __LINE__);                         \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
