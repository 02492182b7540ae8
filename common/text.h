/* text.h - short texts for table cells and checks, without a buffer at every place of use. */
#ifndef TEXT_H
#define TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* printf into one of 32 rotating buffers: good until 32 more calls, cut after 199 characters. */
const char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
