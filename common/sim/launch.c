/* launch.c - launching kernels: <<<...>>>, cudaLaunchKernel, and the launches of libraries. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { MAX_CONFIGURATIONS = 8 };

/* clang turns kernel<<<grid, block, shared, stream>>>(...) into a push of the configuration and a
 * call of the kernel's stub, which pops it and calls cudaLaunchKernel. */
static struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} configurations[MAX_CONFIGURATIONS];
static int pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream) {
    if (pushed == MAX_CONFIGURATIONS)
        return 1;
    configurations[pushed++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (pushed == 0)
        return cudaErrorUnknown;
    const struct configuration *top = &configurations[--pushed];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

/* Limits of the compute capability table. */
static cudaError_t check_size(const struct sim_kernel_model *model, dim3 grid, dim3 block,
                              size_t shared) {
    const struct sim_profile *profile = sim_profile();
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0)
        return cudaErrorInvalidConfiguration;
    if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535 || block.x > 1024 ||
        block.y > 1024 || block.z > 64 || (double)threads > profile->block_threads)
        return cudaErrorInvalidConfiguration;
    double most =
        model->shared_allowed > 0 ? (double)model->shared_allowed : profile->block_shared_bytes;
    if ((double)model->static_shared_bytes + (double)shared > most)
        return cudaErrorInvalidValue;
    if (sim_resident_blocks(model, (int)threads, shared) == 0)
        return cudaErrorLaunchOutOfResources;
    return cudaSuccess;
}

static unsigned char *copied_args(const struct sim_kernel_model *model, void **args,
                                  size_t *bytes) {
    *bytes = 0;
    for (int i = 0; i < SIM_MAX_ARGS && model->arg_bytes[i]; i++)
        *bytes += (model->arg_bytes[i] + 7) / 8 * 8;
    if (*bytes == 0)
        return NULL;
    unsigned char *copy = need_memory(1, *bytes), *at = copy;
    for (int i = 0; i < SIM_MAX_ARGS && model->arg_bytes[i]; i++) {
        memcpy(at, args[i], model->arg_bytes[i]);
        at += (model->arg_bytes[i] + 7) / 8 * 8;
    }
    return copy;
}

cudaError_t kernel_work_new(struct kernel_work *kernel, struct sim_kernel_model *model, dim3 grid,
                            dim3 block, void **args, size_t shared) {
    cudaError_t error = check_size(model, grid, block, shared);
    if (error)
        return error;
    for (int i = 0; i < SIM_MAX_ARGS && model->arg_bytes[i]; i++)
        if (!args || !args[i])
            return cudaErrorInvalidValue;
    *kernel = (struct kernel_work){
        .model = model,
        .grid = {(int)grid.x, (int)grid.y, (int)grid.z},
        .block = {(int)block.x, (int)block.y, (int)block.z},
        .dynamic_shared_bytes = shared,
    };
    kernel->args = copied_args(model, args, &kernel->args_bytes);
    return cudaSuccess;
}

void work_copy(struct work *to, const struct work *from) {
    *to = *from;
    if (from->kind != WORK_KERNEL || !from->kernel.args)
        return;
    to->kernel.args = more_memory(NULL, from->kernel.args_bytes);
    memcpy(to->kernel.args, from->kernel.args, from->kernel.args_bytes);
}

void work_free(struct work *work) {
    if (work->kind == WORK_KERNEL) {
        free(work->kernel.args);
        work->kernel.args = NULL;
    }
}

void kernel_run_init(struct op *op) {
    const struct kernel_work *kernel = &op->work.kernel;
    struct kernel_run *run = &op->run;
    int threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
    unsigned char *at = kernel->args;
    for (int i = 0; i < SIM_MAX_ARGS && kernel->model->arg_bytes[i]; i++) {
        run->args[i] = at;
        at += (kernel->model->arg_bytes[i] + 7) / 8 * 8;
    }
    run->launch = (struct sim_launch){
        .model = kernel->model,
        .device = op->device->index,
        .dynamic_shared_bytes = kernel->dynamic_shared_bytes,
        .args = run->args,
    };
    memcpy(run->launch.grid, kernel->grid, sizeof kernel->grid);
    memcpy(run->launch.block, kernel->block, sizeof kernel->block);
    run->blocks = (long)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    run->block_threads = block_thread_slots(threads);
    run->block_registers = block_registers(kernel->model, threads);
    run->block_shared_bytes = block_shared_bytes(kernel->model, kernel->dynamic_shared_bytes);
}

/* A kernel can only be launched in a stream of the current device (programming guide: stream and
 * event behavior with multiple devices). */
static cudaError_t launch(struct sim_kernel_model *model, dim3 grid, dim3 block, void **args,
                          size_t shared, cudaStream_t handle, double cost_ns) {
    struct stream *stream;
    struct work work = {.kind = WORK_KERNEL};
    cudaError_t error = stream_of(handle, &stream);
    if (!error && stream->device != current_device())
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        error = kernel_work_new(&work.kernel, model, grid, block, args, shared);
    if (error)
        return error;
    load_module(stream->device, model);
    call_cost_queueing(cost_ns + first_ns(stream->device, FIRST_LAUNCH));
    call_library_launches();
    error = stream_queue(stream, &work);
    work_free(&work);
    return error;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t stream) {
    if (call_enter("cudaLaunchKernel"))
        return call_leave();
    if (!function)
        return call_done(cudaErrorInvalidDeviceFunction);
    return call_done(launch(model_of(function), grid, block, args, shared, stream,
                            sim_profile()->launch_call_ns));
}

/* Manual: all blocks must be resident at once. */
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream) {
    if (call_enter("cudaLaunchCooperativeKernel"))
        return call_leave();
    if (!function)
        return call_done(cudaErrorInvalidDeviceFunction);
    struct sim_kernel_model *model = model_of(function);
    cudaError_t error = check_size(model, grid, block, shared);
    if (error)
        return call_done(error);
    double blocks = (double)grid.x * grid.y * grid.z;
    int threads = (int)(block.x * block.y * block.z);
    if (blocks > sim_profile()->sms * sim_resident_blocks(model, threads, shared))
        return call_done(cudaErrorCooperativeLaunchTooLarge);
    return call_done(
        launch(model, grid, block, args, shared, stream, sim_profile()->launch_call_ns));
}

cudaError_t sim_launch(const struct sim_kernel_model *model, dim3 grid, dim3 block, void **args,
                       size_t shared, cudaStream_t stream) {
    return launch((struct sim_kernel_model *)model, grid, block, args, shared, stream, 0);
}

/* Manual, cudaErrorIllegalAddress and its kin: the process has to be started again, or the device
 * reset, for work to go on. The first error stays. */
void sim_fault(const struct sim_launch *launch, cudaError_t error) {
    struct sim_device *device = device_at(launch->device);
    if (device->broken == cudaSuccess)
        device->broken = error;
}
