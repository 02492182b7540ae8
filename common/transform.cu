/* transform.cu - the kernel of the exercises. */
#include "transform.h"

#include "device.h"
#include "spin.cuh"

static __host__ __device__ uint32_t step(uint32_t word, uint32_t key) {
    return word * 747796405u + key;
}

extern "C" __global__ void transform_kernel(uint32_t *data, size_t words,
                                            struct transform transform) {
    int64_t start_cycles = clock64();
    size_t first = (size_t)blockIdx.x * TRANSFORM_WORDS;
    for (int i = (int)threadIdx.x; i < TRANSFORM_WORDS; i += TRANSFORM_THREADS) {
        if (first + (size_t)i < words)
            data[first + (size_t)i] = step(data[first + (size_t)i], transform.key);
    }
    spin(start_cycles, transform.block_cycles, transform.guard, SPIN_TRANSFORM);
}

int transform_blocks(size_t words) {
    return (int)((words + TRANSFORM_WORDS - 1) / TRANSFORM_WORDS);
}

int transform_capacity(void) {
    return device_capacity((const void *)transform_kernel, TRANSFORM_THREADS, 0);
}

uint32_t transformed(uint32_t word, const struct transform *transform) {
    return step(word, transform->key);
}
