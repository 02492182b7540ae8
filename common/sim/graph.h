/* graph.h - graphs of work, shared by graph.c (the calls), exec.c (running them) and capture.c. */
#ifndef GRAPH_H
#define GRAPH_H

#include "core.h"

struct node {
    struct handle handle;
    struct graph *graph;
    struct work work;
    struct node **after; /* what must end before it */
    int after_count, after_capacity;
    int index; /* its place in graph->nodes */
};

struct graph {
    struct handle handle;
    struct node **nodes; /* in the order added: a node comes after those it waits for, unless
                            cudaGraphAddDependencies says otherwise */
    int count, capacity;
};

struct graph *graph_new(void);
void graph_free(struct graph *graph);
bool graph_live(const void *handle);
struct node *graph_add(struct graph *graph, const struct work *work, struct node *const *after,
                       int after_count);

#endif
