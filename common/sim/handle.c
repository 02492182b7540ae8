/* handle.c - streams, events and graphs live in slabs, so that any pointer can be checked for
 * being one without reading it, and a destroyed one is found out. */
#include <string.h>

#include "core.h"

enum { SLAB_OBJECTS = 256, QUARANTINE = 1024 }; /* a freed handle is not used again too soon */

struct handle_slab {
    struct handle_slab *next;
    unsigned char *objects;
};

static void append_free(struct handles *handles, struct handle *handle) {
    handle->next_free = NULL;
    if (handles->newest)
        handles->newest->next_free = handle;
    else
        handles->oldest = handle;
    handles->newest = handle;
    handles->free_count++;
}

static void add_slab(struct handles *handles) {
    struct handle_slab *slab = need_memory(1, sizeof *slab);
    slab->objects = need_memory(SLAB_OBJECTS, handles->bytes);
    slab->next = handles->slabs;
    handles->slabs = slab;
    for (size_t i = 0; i < SLAB_OBJECTS; i++)
        append_free(handles, (struct handle *)(slab->objects + i * handles->bytes));
}

void *handle_new(struct handles *handles) {
    while (handles->free_count <= QUARANTINE)
        add_slab(handles);
    struct handle *handle = handles->oldest;
    handles->oldest = handle->next_free;
    handles->free_count--;
    memset(handle, 0, handles->bytes);
    handle->of = handles;
    return handle;
}

void handle_free(void *object) {
    struct handle *handle = object;
    struct handles *handles = handle->of;
    handle->of = NULL;
    append_free(handles, handle);
}

bool handle_live(struct handles *handles, const void *object) {
    const unsigned char *at = object;
    for (const struct handle_slab *slab = handles->slabs; slab; slab = slab->next) {
        if (at < slab->objects || at >= slab->objects + SLAB_OBJECTS * handles->bytes)
            continue;
        if ((size_t)(at - slab->objects) % handles->bytes != 0)
            return false;
        return ((const struct handle *)object)->of == handles;
    }
    return false;
}
