/* vector_types.h - dim3 and the small vectors. */
#ifndef VECTOR_TYPES_H
#define VECTOR_TYPES_H

#ifdef __CUDA__
#define __CUDACC__ 1 /* as nvcc does */
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif

#define VECTOR_OF(type, name)                                                                      \
    struct name##1 {                                                                               \
        type x;                                                                                    \
    };                                                                                             \
    struct name##2 {                                                                               \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3 {                                                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct name##4 {                                                                               \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4

VECTOR_OF(int, int);
VECTOR_OF(unsigned int, uint);
VECTOR_OF(float, float);
VECTOR_OF(double, double);
VECTOR_OF(long long, longlong);
VECTOR_OF(unsigned long long, ulonglong);
#undef VECTOR_OF

/* In C++ the missing dimensions of a grid or a block are 1. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                       unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {
    }
    __host__ __device__ constexpr operator uint3() const {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif
