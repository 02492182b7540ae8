/* cupti.c - the tracer on a real GPU: CUPTI's activity API, or a reason why not. */
#include <stddef.h>

#include "tracer_backend.h"

const char backend_name[] = "cupti";

#ifndef HAVE_CUPTI

const char *backend_attach(void) {
    return "built without CUPTI";
}
void backend_detach(void) {
}
const char *backend_begin(void) {
    return backend_attach();
}
int backend_end(const char *part) {
    (void)part;
    return 0;
}

#else

#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "cupti_records.h"
#include "error.h"
#include "kernels.h"

enum { BUFFER_BYTES = 4 * 1024 * 1024, BUFFER_ALIGNMENT = 8 };

struct buffer {
    uint8_t *records;
    size_t bytes;
    struct buffer *next;
};

/* Filled by CUPTI, on this thread or on one of its own; read after recording has stopped. */
static struct buffer *buffers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lost;
static int64_t begin_ns;

static const char *reason_of(const char *call, CUptiResult result) {
    static char reason[200];
    const char *text = "unknown error", *advice = "";
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        advice = "; another profiler or debugger holds CUPTI: run without it";
    else if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
             result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
        advice = "; ask the administrator to allow profiling on this machine";
    else if (result == CUPTI_ERROR_NOT_COMPATIBLE || result == CUPTI_ERROR_NOT_INITIALIZED)
        advice = "; CUPTI and the driver do not fit";
    cuptiGetResultString(result, &text);
    snprintf(reason, sizeof reason, "%s: %s%s", call, text, advice);
    return reason;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        CUptiResult try_result = (call);                                                           \
        if (try_result != CUPTI_SUCCESS) {                                                         \
            char try_name[48];                                                                     \
            snprintf(try_name, sizeof try_name, "%.*s", (int)strcspn(#call, "("), #call);          \
            return reason_of(try_name, try_result);                                                \
        }                                                                                          \
    } while (0)

/* Concurrent: the other kernel kind makes kernels run one at a time. The driver's calls, because
 * libraries launch some kernels through them; cuptiActivityEnableDriverApi, which should choose
 * among them, recorded none (CUDA 13.0). */
static const CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,  CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET,  CUPTI_ACTIVITY_KIND_DRIVER};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static uint64_t CUPTIAPI timestamp(void) {
    return (uint64_t)wall_ns();
}

static void CUPTIAPI buffer_requested(uint8_t **records, size_t *bytes, size_t *max_records) {
    *records = (uint8_t *)aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *bytes = *records ? BUFFER_BYTES : 0;
    *max_records = 0; /* as many as fit */
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *records,
                                      size_t bytes, size_t valid_bytes) {
    size_t dropped = 0;
    struct buffer *buffer = (struct buffer *)malloc(sizeof *buffer);
    (void)bytes;
    pthread_mutex_lock(&lock);
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
        lost += (int)dropped;
    if (buffer) {
        buffer->records = records;
        buffer->bytes = valid_bytes;
        buffer->next = buffers;
        buffers = buffer;
    } else {
        lost++;
        free(records);
    }
    pthread_mutex_unlock(&lock);
}

static void CUPTIAPI no_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void *data) {
    (void)user, (void)domain, (void)id, (void)data;
}

static void disable(void) {
    for (int i = 0; i < KINDS; i++)
        cuptiActivityDisable(kinds[i]);
}

static const char *enable(void) {
    for (int i = 0; i < KINDS; i++)
        TRY(cuptiActivityEnable(kinds[i]));
    return NULL;
}

/* The activity API needs no subscriber. Being the one subscriber there can be finds out whether
 * another profiler is at work, and keeps it from taking the records half-way (cuptiSubscribe). */
const char *backend_attach(void) {
    CUpti_SubscriberHandle subscriber;
    TRY(cuptiSubscribe(&subscriber, no_callback, NULL));
    TRY(cuptiActivityRegisterTimestampCallback(timestamp));
    TRY(cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed));
    const char *reason = enable();
    disable();
    return reason;
}

/* cuptiFinalize takes CUPTI out of the process; it can be attached again (CUPTI documentation,
 * "Dynamic Attach and Detach"). */
void backend_detach(void) {
    cuptiFinalize();
    if (spin_guard()) /* the kernels are there: the first call after detaching is slow, spend it */
        throw_away_work();
}

static void free_buffers(void) {
    while (buffers) {
        struct buffer *next = buffers->next;
        free(buffers->records);
        free(buffers);
        buffers = next;
    }
}

/* The first launch after enabling takes some ms: spend them on work that is not kept. */
const char *backend_begin(void) {
    lost = 0;
    const char *reason = enable();
    if (reason) {
        disable();
        return reason;
    }
    throw_away_work();
    begin_ns = wall_ns();
    return NULL;
}

/* Reads all buffers with one of the two functions of cupti_records.h. */
static void for_each_record(void (*use)(CUpti_Activity *record)) {
    for (struct buffer *buffer = buffers; buffer; buffer = buffer->next) {
        CUpti_Activity *record = NULL;
        while (cuptiActivityGetNextRecord(buffer->records, buffer->bytes, &record) == CUPTI_SUCCESS)
            use(record);
    }
}

int backend_end(const char *part) {
    int64_t end_ns = wall_ns();
    CUDA_CHECK(cudaDeviceSynchronize());
    CUptiResult result = cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    if (result != CUPTI_SUCCESS)
        die(EXIT_ENVIRONMENT, "part %s: %s; run again with --no-trace", part,
            reason_of("cuptiActivityFlushAll", result));
    disable();
    records_begin(part, begin_ns, end_ns);
    for_each_record(records_survey);
    if (!records_seen_throw_away())
        die(EXIT_ENVIRONMENT,
            "part %s: CUPTI works but recorded nothing; run again with --no-trace", part);
    for_each_record(records_add);
    free_buffers();
    throw_away_work(); /* the first call after a forced flush takes half a ms */
    return lost;
}

#endif
