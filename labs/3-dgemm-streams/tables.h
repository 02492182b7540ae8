/* tables.h - the tables lab 3 prints. */
#ifndef TABLES_H
#define TABLES_H

#include "study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each study's one product alone. */
void print_alone(const struct study *study, int n);

/* Each study in each of the modes: what should happen and why, then what did. */
void print_predicted(const struct study *study, int n, const enum mode *modes, int mode_count);
void print_observed(const struct study *study, int n, const enum mode *modes, int mode_count);

/* A row a dim: in two streams, without and with a gate. */
void print_sweep(const struct study *swept, int n);

/* One dim, a row a mode. */
void print_tail(const struct study *study, const enum mode *modes, int mode_count);

#ifdef __cplusplus
}
#endif
#endif
