/* judge.h - what the judges of the exercises share. A judge (labs/N-name/judge.cu) runs the
 * student's functions as a lab runs its parts: measured rounds, one traced round, checks. */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Words nobody can know before they are drawn: results of an earlier round are of no use. */
void random_words(uint32_t *words, size_t n);

/* True if out[i] is what transform makes of in[i], for every i. */
bool transformed_right(const uint32_t *out, const uint32_t *in, size_t n,
                       const struct transform *transform);

/* Check: the device did the kernel work that the exercise is about, and did not skip some:
 * at least 0.8 of required_ns of kernel time in the part. */
void check_kernel_work(const char *id, const char *part, int64_t required_ns);

/* Check: at least so many bytes were copied each way in the traced round: results that the host
 * made by itself are none. */
void check_copies(const char *id, const char *part, int64_t bytes);

/* What was measured, and why it does not count where it does not: "102 %, words wrong".
 * Good as long as measured, and as what text() returns. */
const char *counted(const char *measured, bool counts, const char *why_not);

/* True if the part has spans of the device's work. If not, the check is cannot-show: without a
 * tracer nothing can be judged. */
bool judged_on_timeline(const char *id);

#ifdef __cplusplus
}
#endif
#endif
