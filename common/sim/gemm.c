/* gemm.c - the model of cuBLAS's double-precision product: which kernel, how many blocks, how long.
 *
 * The profile lists the kernels (tile, resources, times) and from which dimension each is used;
 * see struct profile_dgemm. Blocks on one SM share it, so waves, tails and kernels that run beside
 * each other follow from the blocks alone. */
#include "gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "device.h"

int max_verified_dim(void) {
    return PRODUCT_MAX_DIM;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int tiles(int elements, int tile) {
    return (elements + tile - 1) / tile;
}

static int kernel_for(const struct gemm *gemm) {
    const struct sim_profile *profile = sim_profile();
    int i = profile->dgemms - 1;
    while (i > 0 && larger(gemm->m, gemm->n) < profile->dgemm[i].min_dim)
        i--;
    return i;
}

double gemm_call_ns(const struct gemm *gemm) {
    return sim_profile()->dgemm[kernel_for(gemm)].call_ns;
}

/* ---- time -------------------------------------------------------------------------------------
 */

static void gemm_plan(struct sim_launch *launch, struct sim_plan *plan) {
    const struct gemm *gemm = launch->args[0];
    const struct profile_dgemm *dgemm = &sim_profile()->dgemm[kernel_for(gemm)];
    double k = (double)gemm->k / dgemm->split_k;
    plan->block_ns = dgemm->base_ns + k * dgemm->per_k_ns;
    double work_ns = dgemm->work_ns + k * dgemm->work_per_k_ns;
    plan->sm_share = work_ns < plan->block_ns ? work_ns / plan->block_ns : 1;
}

/* ---- effect -----------------------------------------------------------------------------------
 */

static size_t matrix_bytes(int rows, int columns, int ld) {
    return ((size_t)ld * (size_t)(columns - 1) + (size_t)rows) * sizeof(double);
}

/* As on a GPU: an address that is none breaks the device's context, and later calls say so. */
static bool readable(const struct gemm *gemm, const double *a, const double *b, const double *c) {
    int rows_a = gemm->transposed_a ? gemm->k : gemm->m;
    int columns_a = gemm->transposed_a ? gemm->m : gemm->k;
    int rows_b = gemm->transposed_b ? gemm->n : gemm->k;
    int columns_b = gemm->transposed_b ? gemm->k : gemm->n;
    return (gemm->k == 0 || (sim_address_valid(a, matrix_bytes(rows_a, columns_a, gemm->lda)) &&
                             sim_address_valid(b, matrix_bytes(rows_b, columns_b, gemm->ldb)))) &&
           sim_address_valid(c, matrix_bytes(gemm->m, gemm->n, gemm->ldc));
}

static bool scalars(const struct gemm *gemm, double *alpha, double *beta) {
    *alpha = gemm->alpha;
    *beta = gemm->beta;
    if (!gemm->device_alpha)
        return true;
    if (!sim_address_valid(gemm->device_alpha, sizeof *alpha) ||
        !sim_address_valid(gemm->device_beta, sizeof *beta))
        return false;
    *alpha = *gemm->device_alpha;
    *beta = *gemm->device_beta;
    return true;
}

static bool aligned(const void *address) {
    return (uintptr_t)address % sizeof(double) == 0;
}

/* The ith matrix of a batch; NULL, which may stand for a matrix without elements, stays NULL. */
static const double *matrix_at(const double *first, int64_t stride, int i) {
    return first ? first + i * stride : NULL;
}

static cudaError_t one_product(const struct gemm *gemm, int i, double alpha, double beta) {
    const double *a = gemm->a_of ? gemm->a_of[i] : matrix_at(gemm->a, gemm->stride_a, i);
    const double *b = gemm->b_of ? gemm->b_of[i] : matrix_at(gemm->b, gemm->stride_b, i);
    double *c = gemm->c_of ? gemm->c_of[i] : (double *)matrix_at(gemm->c, gemm->stride_c, i);
    if (!readable(gemm, a, b, c))
        return cudaErrorIllegalAddress;
    if (!aligned(a) || !aligned(b) || !aligned(c))
        return cudaErrorMisalignedAddress;
    if (larger(larger(gemm->m, gemm->n), gemm->k) <= PRODUCT_MAX_DIM)
        product(gemm, a, b, c, alpha, beta);
    return cudaSuccess;
}

static bool addresses_valid(const struct gemm *gemm) {
    size_t bytes = (size_t)gemm->batch * sizeof(double *);
    return !gemm->a_of ||
           (sim_address_valid(gemm->a_of, bytes) && sim_address_valid(gemm->b_of, bytes) &&
            sim_address_valid(gemm->c_of, bytes));
}

static void gemm_effect(struct sim_launch *launch) {
    const struct gemm *gemm = launch->args[0];
    double alpha, beta;
    bool valid = addresses_valid(gemm) && scalars(gemm, &alpha, &beta);
    cudaError_t error = valid ? cudaSuccess : cudaErrorIllegalAddress;
    for (int i = 0; error == cudaSuccess && i < gemm->batch; i++)
        error = one_product(gemm, i, alpha, beta);
    if (error)
        sim_fault(launch, error);
}

/* ---- launch -----------------------------------------------------------------------------------
 */

static bool same_kernel(const struct profile_dgemm *a, const struct profile_dgemm *b) {
    return a->tile_m == b->tile_m && a->tile_n == b->tile_n && a->threads == b->threads &&
           a->registers == b->registers && a->shared_bytes == b->shared_bytes;
}

/* One model for each kernel of the profile, made when it is first used. */
static struct sim_kernel_model *model_for(int kernel) {
    static struct sim_kernel_model models[PROFILE_MAX_DGEMM];
    static char names[PROFILE_MAX_DGEMM][48];
    const struct profile_dgemm *dgemm = &sim_profile()->dgemm[kernel];
    /* The same kernel may serve two ranges of dimensions: one name, one module to load. */
    for (int i = 0; i < kernel; i++)
        if (same_kernel(&sim_profile()->dgemm[i], dgemm))
            return model_for(i);
    struct sim_kernel_model *model = &models[kernel];
    if (!model->name) {
        snprintf(names[kernel], sizeof *names, "dgemm<double, %d, %d>", dgemm->tile_m,
                 dgemm->tile_n);
        *model = (struct sim_kernel_model){.name = names[kernel],
                                           .arg_bytes = {sizeof(struct gemm)},
                                           .registers = dgemm->registers,
                                           .static_shared_bytes = (size_t)dgemm->shared_bytes,
                                           .shared_allowed = (size_t)dgemm->shared_bytes,
                                           .plan = gemm_plan,
                                           .effect = gemm_effect};
    }
    return model;
}

/* Recorded: cuBLAS takes longer over the first product of a size, also where it then uses a kernel
 * that is loaded already. */
static double first_shape_ns(const struct gemm *gemm) {
    enum { SHAPES = 64 };
    static struct { int m, n, k; } seen[SHAPES];
    static int count;
    for (int i = 0; i < count; i++)
        if (seen[i].m == gemm->m && seen[i].n == gemm->n && seen[i].k == gemm->k)
            return 0;
    if (count == SHAPES)
        return 0;
    seen[count].m = gemm->m, seen[count].n = gemm->n, seen[count++].k = gemm->k;
    return sim_profile()->first_shape_ns;
}

cudaError_t gemm_launch(const struct gemm *gemm, cudaStream_t stream) {
    int kernel = kernel_for(gemm);
    const struct profile_dgemm *dgemm = &sim_profile()->dgemm[kernel];
    dim3 grid = {(unsigned)tiles(gemm->m, dgemm->tile_m), (unsigned)tiles(gemm->n, dgemm->tile_n),
                 (unsigned)(gemm->batch * dgemm->split_k)};
    dim3 block = {(unsigned)dgemm->threads, 1, 1};
    struct gemm copy = *gemm;
    void *args[] = {&copy};
    call_cost(first_ns(current_device(), FIRST_PRODUCT) + first_shape_ns(gemm));
    return sim_launch(model_for(kernel), grid, block, args, 0, stream);
}
