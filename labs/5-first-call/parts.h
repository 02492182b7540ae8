/* parts.h - the parts of lab 5 that have a file of their own. */
#ifndef PARTS_H
#define PARTS_H

#ifdef __cplusplus
extern "C" {
#endif

/* How kernels are loaded: "lazy", "eager", and the variable that says so to CUDA. */
extern const char *const loading_modes[2];
extern const char *const loading_settings[2];

void benchmarks(int dim); /* e: a naive benchmark of a product of that dim beside a right one */
void behind_a_spin(void); /* f: a first launch while another kernel spins */

#ifdef __cplusplus
}
#endif
#endif
