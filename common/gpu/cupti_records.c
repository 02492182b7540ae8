/* cupti_records.c - CUPTI's records become spans.
 *
 * CUPTI makes a new version of a record's struct for each field it adds at the end, and keeps the
 * old ones: the version of the toolkit's first release of a major number is enough here. */
#ifdef HAVE_CUPTI

#include "cupti_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "timeline.h"

#if CUPTI_API_VERSION >= 130000 /* CUDA 13.0; before that the versions count 19 (12.0), 20, ... */
typedef CUpti_ActivityKernel10 kernel_record;
#elif CUPTI_API_VERSION >= 19
typedef CUpti_ActivityKernel9 kernel_record;
#else
typedef CUpti_ActivityKernel8 kernel_record; /* CUDA 11.8, as in Debian 12 */
#endif
#if CUPTI_API_VERSION >= 26 /* CUDA 12.8 */
typedef CUpti_ActivityMemcpy6 copy_record;
#else
typedef CUpti_ActivityMemcpy5 copy_record;
#endif
typedef CUpti_ActivityMemcpyPtoP4 peer_record;
typedef CUpti_ActivityMemset4 memset_record;
typedef CUpti_ActivityAPI call_record;

/* libstdc++ */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *status);

/* Calls that start like this say nothing about the device's work: labs check their errors with
 * them, and libraries choose kernels. */
static const char *const unwanted[] = {
    "cudaGetLastError", "cudaPeekAtLastError", "cudaGetDevice", "cudaDeviceGet",
    "cudaFunc",         "cudaOccupancy",       "__cuda"};

static const char *part;
static int64_t begin_ns, end_ns;
/* Correlation ids go up. The throw-away work's calls were entered before begin_ns. */
static uint32_t throw_away_last;
static uint32_t first_kernel;
/* Ids of runtime calls: a driver call with one of these is its inner part. */
static uint32_t *runtime_ids;
static size_t runtime_count, runtime_capacity;
static bool runtime_sorted;

void records_begin(const char *name, int64_t begin, int64_t end) {
    part = timeline_name(name);
    begin_ns = begin;
    end_ns = end;
    throw_away_last = 0;
    first_kernel = UINT32_MAX;
    runtime_count = 0;
    runtime_sorted = false;
}

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* "cudaLaunchKernel" for "cudaLaunchKernel_v7000" and "cudaLaunchKernel_ptsz_v7000"; NULL for
 * calls nobody wants to see. Libraries may launch through the driver: those calls are kept. */
static const char *call_name(const call_record *record) {
    static char text[128];
    bool runtime = record->kind == CUPTI_ACTIVITY_KIND_RUNTIME;
    const char *name = NULL;
    cuptiGetCallbackName(runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API,
                         record->cbid, &name);
    snprintf(text, sizeof text, "%s", name ? name : "unknown call");
    char *suffix = strstr(text, "_ptsz");
    if (!suffix)
        suffix = strstr(text, "_v");
    if (suffix)
        *suffix = '\0';
    if (!runtime && !starts_with(text, "cuLaunch") && !starts_with(text, "cuGraphLaunch"))
        return NULL;
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++)
        if (starts_with(text, unwanted[i]))
            return NULL;
    return text;
}

static void remember_runtime_id(uint32_t id) {
    if (runtime_count == runtime_capacity) {
        runtime_capacity = runtime_capacity ? 2 * runtime_capacity : 1024;
        runtime_ids = (uint32_t *)realloc(runtime_ids, runtime_capacity * sizeof *runtime_ids);
        if (!runtime_ids)
            die(EXIT_ENVIRONMENT, "tracer: out of host memory; close other programs");
    }
    runtime_ids[runtime_count++] = id;
}

static int compare_ids(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool inside_runtime_call(const call_record *record) {
    if (!runtime_sorted && runtime_count > 0)
        qsort(runtime_ids, runtime_count, sizeof *runtime_ids, compare_ids);
    runtime_sorted = true;
    return runtime_count > 0 && bsearch(&record->correlationId, runtime_ids, runtime_count,
                                        sizeof *runtime_ids, compare_ids);
}

static void survey_call(const call_record *call) {
    remember_runtime_id(call->correlationId);
    bool before = call->start != 0 && (int64_t)call->start < begin_ns;
    if (before && call->correlationId > throw_away_last)
        throw_away_last = call->correlationId;
}

void records_survey(CUpti_Activity *record) {
    if (record->kind == CUPTI_ACTIVITY_KIND_RUNTIME)
        survey_call((const call_record *)record);
    else if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
             ((const kernel_record *)record)->correlationId < first_kernel)
        first_kernel = ((const kernel_record *)record)->correlationId;
}

bool records_seen_throw_away(void) {
    return first_kernel <= throw_away_last;
}

static void add(struct span *span, uint64_t start, uint64_t end, uint32_t correlation) {
    if (correlation <= throw_away_last)
        return;
    span->part = part;
    span->start_ns = (int64_t)start;
    span->end_ns = (int64_t)end;
    span->correlation = correlation;
    timeline_add(span);
}

static void add_call(const call_record *record) {
    struct span span = {.kind = SPAN_API, .stream = -1};
    const char *name = call_name(record);
    if (!name || (int64_t)record->start >= end_ns)
        return;
    if (record->kind == CUPTI_ACTIVITY_KIND_DRIVER && inside_runtime_call(record))
        return;
    span.name = timeline_name(name);
    add(&span, record->start, record->end, record->correlationId);
}

static void add_kernel(const kernel_record *record) {
    int status = -1;
    char *readable = __cxa_demangle(record->name, NULL, NULL, &status);
    struct span span = {
        .kind = SPAN_KERNEL,
        .name = timeline_name(status == 0 ? readable : record->name),
        .device = (int)record->deviceId,
        .stream = (int)record->streamId,
        .grid = {record->gridX, record->gridY, record->gridZ},
        .block = {record->blockX, record->blockY, record->blockZ},
        .registers = record->registersPerThread,
        .shared_bytes = record->staticSharedMemory + record->dynamicSharedMemory,
    };
    free(readable);
    add(&span, record->start, record->end, record->correlationId);
}

static enum memory_kind memory_kind_of(int kind) {
    switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
        return MEMORY_PAGEABLE;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
        return MEMORY_PINNED;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
        return MEMORY_DEVICE;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
        return MEMORY_MANAGED;
    default:
        return MEMORY_NONE;
    }
}

static enum span_kind copy_kind_of(int kind) {
    switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
        return SPAN_H2D;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
        return SPAN_D2H;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
        return SPAN_H2H;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
        return SPAN_PEER;
    default:
        return SPAN_D2D;
    }
}

static void add_copy(const copy_record *record) {
    enum span_kind kind = copy_kind_of(record->copyKind);
    struct span span = {
        .kind = kind,
        .name = span_kind_name(kind),
        .device = (int)record->deviceId,
        .stream = (int)record->streamId,
        .bytes = record->bytes,
        .src = memory_kind_of(record->srcKind),
        .dst = memory_kind_of(record->dstKind),
    };
    add(&span, record->start, record->end, record->correlationId);
}

static void add_peer_copy(const peer_record *record) {
    struct span span = {
        .kind = SPAN_PEER,
        .name = span_kind_name(SPAN_PEER),
        .device = (int)record->deviceId,
        .stream = (int)record->streamId,
        .bytes = record->bytes,
        .src = memory_kind_of(record->srcKind),
        .dst = memory_kind_of(record->dstKind),
    };
    add(&span, record->start, record->end, record->correlationId);
}

static void add_memset(const memset_record *record) {
    struct span span = {
        .kind = SPAN_MEMSET,
        .name = span_kind_name(SPAN_MEMSET),
        .device = (int)record->deviceId,
        .stream = (int)record->streamId,
        .bytes = record->bytes,
        .dst = memory_kind_of(record->memoryKind),
    };
    add(&span, record->start, record->end, record->correlationId);
}

void records_add(CUpti_Activity *record) {
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
        add_call((const call_record *)record);
        break;
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        add_kernel((const kernel_record *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        add_copy((const copy_record *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        add_peer_copy((const peer_record *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
        add_memset((const memset_record *)record);
        break;
    default:
        break;
    }
}

#else
typedef int a_file_may_not_be_empty;
#endif
