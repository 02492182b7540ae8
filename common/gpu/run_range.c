/* run_range.c - NVTX is headers only; without a profiler its calls do nothing. */
#include "run_range.h"

#include <stdbool.h>

#ifdef __has_include
#if __has_include(<nvtx3/nvToolsExt.h>)
#define HAVE_NVTX 1
#include <nvtx3/nvToolsExt.h>
#endif
#endif

static bool is_open;

void range_end(void) {
#ifdef HAVE_NVTX
    if (is_open)
        nvtxRangePop();
#endif
    is_open = false;
}

void range_begin(const char *name) {
    range_end();
#ifdef HAVE_NVTX
    nvtxRangePushA(name);
#else
    (void)name;
#endif
    is_open = true;
}
