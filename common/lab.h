/* lab.h - what every lab includes. Each header has one subject.
 *
 * Further ones, for who needs them: host_memory.h (pageable, pinned, registered memory), queued.h
 * (when a call that queues work returned), spans.h and concurrency.h (sums over a timeline), link.h
 * (the limit of copies), text.h (short texts), units.h ("64 MiB"), matrix.h and mix.h (data that
 * can be verified); judge.h and transform.h belong to the exercises. What differs between a GPU and
 * a simulated one is in gpu/ and sim/. */
#ifndef LAB_H
#define LAB_H

#include <cuda_runtime.h>

#include "clock.h"    /* wall_ns, cpu_ns: what a call costs the host */
#include "device.h"   /* the GPU the run is on: name, SMs, capacity */
#include "error.h"    /* CUDA_CHECK, die, exit statuses */
#include "kernels.h"  /* sleep_kernel, gate_kernel, and their time-outs */
#include "options.h"  /* the command line */
#include "report.h"   /* say, tables, numbers with units */
#include "results.h"  /* result and check: what goes to results.csv and checks.csv */
#include "run.h"      /* lab_begin, part_begin, part_rounds, lab_end */
#include "stats.h"    /* samples, median, spread */
#include "timeline.h" /* spans: what the device did and when */
#include "tracer.h"   /* records the spans of one round */

#endif
