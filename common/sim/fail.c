/* fail.c - faults on demand: SIM_FAIL=<function>:<nth>:<error>[,...] makes the nth call of that
 * function fail; SIM_FAIL_NTH=<n> the nth CUDA call of the run, whichever it is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "error.h"
#include "text.h"

enum { MAX_FAULTS = 32 };

static struct fault {
    char function[64];
    long nth, seen;
    cudaError_t error;
} faults[MAX_FAULTS];

static int fault_count;
static long nth_wanted, calls;
static bool parsed;

static long number_of(const char *text, const char *variable) {
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno || end == text || *end || number < 1)
        die(EXIT_USAGE, "%s: \"%s\" is not a number from 1 on", variable, text);
    return number;
}

static cudaError_t error_of(const char *name) {
    static const struct {
        const char *name;
        cudaError_t error;
    } names[] = {
#define X(name, value, text) {#name, name},
        CUDA_ERRORS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].error;
    die(EXIT_USAGE, "SIM_FAIL: no CUDA error is called \"%s\" (cudaErrorMemoryAllocation is one)",
        name);
}

static void parse_fault(const char *text) {
    struct fault *fault = &faults[fault_count];
    char nth[16], error[64], rest;
    if (fault_count == MAX_FAULTS)
        die(EXIT_USAGE, "SIM_FAIL: more than %d faults", MAX_FAULTS);
    if (sscanf(text, "%63[A-Za-z0-9_]:%15[0-9]:%63[A-Za-z0-9]%c", fault->function, nth, error,
               &rest) != 3)
        die(EXIT_USAGE,
            "SIM_FAIL: \"%s\" is not <function>:<nth call>:<error>, as in "
            "cudaMemcpyAsync:3:cudaErrorMemoryAllocation",
            text);
    fault->nth = number_of(nth, "SIM_FAIL");
    fault->error = error_of(error);
    fault_count++;
}

static void parse(void) {
    const char *list = getenv("SIM_FAIL"), *nth = getenv("SIM_FAIL_NTH");
    parsed = true;
    if (nth && *nth)
        nth_wanted = number_of(nth, "SIM_FAIL_NTH");
    if (!list || !*list)
        return;
    char *copy = text_copy(list), *rest = copy;
    for (char *one = strtok_r(copy, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        parse_fault(one);
    free(copy);
}

cudaError_t fail_wanted(const char *function) {
    if (!parsed)
        parse();
    if (++calls == nth_wanted)
        return cudaErrorUnknown;
    for (int i = 0; i < fault_count; i++) {
        struct fault *fault = &faults[i];
        if (strcmp(fault->function, function) == 0 && ++fault->seen == fault->nth)
            return fault->error;
    }
    return cudaSuccess;
}
