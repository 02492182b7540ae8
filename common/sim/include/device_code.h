/* device_code.h - what a kernel's body may call. The simulator never runs a body: these are only
 * declared, so that clang can parse one. What a kernel does and how long it takes is its timing
 * model's business (kernels.c, labs/N-name/sim.c). */
#ifndef DEVICE_CODE_H
#define DEVICE_CODE_H

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;

extern "C" {
/* What clang turns kernel<<<grid, block, shared, stream>>> into. */
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                         struct CUstream_st *stream = 0);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
}

__device__ void __syncthreads(void);
__device__ void __syncwarp(unsigned int mask = 0xffffffff);
__device__ void __threadfence(void);
__device__ void __threadfence_block(void);
__device__ void __threadfence_system(void);
__device__ void __nanosleep(unsigned int ns);
__device__ void __trap(void);
__device__ long long clock64(void);
__device__ int clock(void);

#define ATOMICS_OF(type)                                                                           \
    __device__ type atomicAdd(type *address, type value);                                          \
    __device__ type atomicExch(type *address, type value)
#define INTEGER_ATOMICS_OF(type)                                                                   \
    ATOMICS_OF(type);                                                                              \
    __device__ type atomicCAS(type *address, type compare, type value);                            \
    __device__ type atomicMin(type *address, type value);                                          \
    __device__ type atomicMax(type *address, type value);                                          \
    __device__ type atomicAnd(type *address, type value);                                          \
    __device__ type atomicOr(type *address, type value)
INTEGER_ATOMICS_OF(int);
INTEGER_ATOMICS_OF(unsigned int);
INTEGER_ATOMICS_OF(unsigned long long);
ATOMICS_OF(float);
__device__ double atomicAdd(double *address, double value);
#undef ATOMICS_OF
#undef INTEGER_ATOMICS_OF

#define SHUFFLES_OF(type)                                                                          \
    __device__ type __shfl_sync(unsigned int mask, type value, int lane, int width = 32);          \
    __device__ type __shfl_up_sync(unsigned int mask, type value, unsigned int by,                 \
                                   int width = 32);                                                \
    __device__ type __shfl_down_sync(unsigned int mask, type value, unsigned int by,               \
                                     int width = 32);                                              \
    __device__ type __shfl_xor_sync(unsigned int mask, type value, int lanes, int width = 32);     \
    __device__ type __ldg(const type *address)
SHUFFLES_OF(int);
SHUFFLES_OF(unsigned int);
SHUFFLES_OF(long long);
SHUFFLES_OF(unsigned long long);
SHUFFLES_OF(float);
SHUFFLES_OF(double);
#undef SHUFFLES_OF

/* The C library's functions are host code; a kernel that calls one means the device's. */
#define MATH_OF(type)                                                                              \
    __device__ type sqrt(type x);                                                                  \
    __device__ type fabs(type x);                                                                  \
    __device__ type exp(type x);                                                                   \
    __device__ type log(type x);                                                                   \
    __device__ type sin(type x);                                                                   \
    __device__ type cos(type x);                                                                   \
    __device__ type floor(type x);                                                                 \
    __device__ type fma(type x, type y, type z)
MATH_OF(float);
MATH_OF(double);
#undef MATH_OF

#define MIN_MAX_OF(type)                                                                           \
    static inline __host__ __device__ type min(type a, type b) {                                   \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static inline __host__ __device__ type max(type a, type b) {                                   \
        return a < b ? b : a;                                                                      \
    }
MIN_MAX_OF(int)
MIN_MAX_OF(unsigned int)
MIN_MAX_OF(long)
MIN_MAX_OF(unsigned long)
MIN_MAX_OF(long long)
MIN_MAX_OF(unsigned long long)
MIN_MAX_OF(float)
MIN_MAX_OF(double)
#undef MIN_MAX_OF

#endif
