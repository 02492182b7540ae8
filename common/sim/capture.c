#include "core.h"
cudaError_t capture_work(struct stream *s, const struct work *w){(void)s;(void)w;return cudaErrorNotSupported;}
cudaError_t capture_event_record(struct stream *s, struct event *e){(void)s;(void)e;return cudaErrorNotSupported;}
cudaError_t capture_event_wait(struct stream *s, struct event *e){(void)s;(void)e;return cudaErrorNotSupported;}
cudaError_t capture_forbids(void){return cudaSuccess;}
cudaError_t capture_forbids_stream(struct stream *s){(void)s;return cudaSuccess;}
