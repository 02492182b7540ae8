/* text.h - short texts for table cells, checks and numbers, without a buffer at every place of use.
 */
#ifndef TEXT_H
#define TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* printf into one of 64 rotating buffers: good until 64 more calls, cut after 199 characters. The
 * calls of report.h that show numbers use the same buffers. */
const char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A copy of the text, which the caller owns. Dies with EXIT_ENVIRONMENT if memory is out. */
char *text_copy(const char *text);

#ifdef __cplusplus
}
#endif
#endif
