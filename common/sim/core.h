/* core.h - what the files of the simulator's core share. A reader finds
 *
 *   agenda.c   what happens when: the heap of coming events
 *   clock.c    the host's virtual clocks; passing time, waiting, deadlock
 *   op.c       an operation's life: queued, ready, started, ended
 *   sm.c       blocks on an SM           grid.c     kernels on a device
 *   engine.c   copies on copy engines
 *   memory.c   allocations by address    pages.c    pages touched and never touched
 *   pagemap.c  which pages the kernel has
 *   call.c     entering and leaving an API call: contexts, injected faults, spans
 *   device.c properties.c peer.c errors.c fail.c
 *   profile.c  what is known of a device  first.c    what costs more the first time
 *   handle.c   objects behind handles     need.c     memory of the simulator's own
 *   stream.c stream_get.c event.c        order, and waiting
 *   host_function.c                      functions of the host in streams
 *   alloc.c host_memory.c                allocating
 *   copy.c copy_api.c memset.c           copies: how long, and which of them wait
 *   model.c launch.c function.c          kernels
 *   graph.c exec.c capture.c             graphs
 *   cublas.c gemm.c product.c            matrix products: the calls, how long, the numbers
 *   kernels.c transform.c                what the kernels of common/ do
 *   tracer.c host.c                      what the labs ask of a platform
 *
 * Times are virtual ns in integers. Nothing here runs in parallel: a device makes progress only
 * inside a call that passes time on the host. */
#ifndef CORE_H
#define CORE_H

#include "op.h"

enum { MAX_DEVICES = 16, WARP = 32, PAGE_BYTES = 4096 };

#include "api.h"
#include "machine.h"
#include "address.h"
#include "need.h"

#endif
