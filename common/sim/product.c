/* product.c - the numbers of a matrix product, computed on the host. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"
#include "need.h"

/* Two doubles at a time is what every x86-64 and arm64 CPU has. */
typedef double pair __attribute__((vector_size(16)));
typedef pair loose_pair __attribute__((aligned(8), may_alias));

/* op(x) of rows x columns, with its columns one after another: then one loop serves all cases. */
static void pack(double *to, const double *x, int ld, bool transposed, int rows, int columns) {
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            to[(size_t)j * (size_t)rows + (size_t)i] = transposed
                                                           ? x[(size_t)i * (size_t)ld + (size_t)j]
                                                           : x[(size_t)j * (size_t)ld + (size_t)i];
}

/* Four rows of four columns of c = a b, kept in registers. */
static void block_4x4(int m, int k, const double *a, const double *b, double *c) {
    pair sum[4][2] = {{{0}}};
    for (int l = 0; l < k; l++) {
        const double *from = a + (size_t)l * (size_t)m;
        pair low = *(const loose_pair *)from, high = *(const loose_pair *)(from + 2);
        for (int j = 0; j < 4; j++) {
            double x = b[(size_t)j * (size_t)k + (size_t)l];
            sum[j][0] += low * x;
            sum[j][1] += high * x;
        }
    }
    for (int j = 0; j < 4; j++)
        memcpy(c + (size_t)j * (size_t)m, sum[j], sizeof sum[j]);
}

static void element(int m, int k, const double *a, const double *b, double *c) {
    double sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[(size_t)l * (size_t)m] * b[l];
    *c = sum;
}

/* c = a b: m x k times k x n, columns one after another. */
static void multiply(int m, int n, int k, const double *a, const double *b, double *c) {
    if (k == 0) { /* a and b have no elements, and perhaps no address */
        memset(c, 0, (size_t)m * (size_t)n * sizeof *c);
        return;
    }
    for (int j = 0; j < n; j += 4)
        for (int i = 0; i < m; i += 4) {
            size_t at = (size_t)j * (size_t)m + (size_t)i;
            if (i + 4 <= m && j + 4 <= n) {
                block_4x4(m, k, a + i, b + (size_t)j * (size_t)k, c + at);
                continue;
            }
            for (int y = j; y < n && y < j + 4; y++)
                for (int x = i; x < m && x < i + 4; x++)
                    element(m, k, a + x, b + (size_t)y * (size_t)k,
                            c + (size_t)y * (size_t)m + (size_t)x);
        }
}

/* ---- remembered products ----------------------------------------------------------------------
 */

enum { REMEMBERED = 128, REMEMBERED_BYTES = 64 * 1024 * 1024 };

struct remembered {
    int m, n, k;
    uint64_t hash[2]; /* of both factors: equal hashes are taken for equal numbers */
    double *c;
};
static struct remembered memory[REMEMBERED];
static int oldest;
static size_t remembered_bytes;

static const uint64_t FACTOR = 0x9e3779b97f4a7c15u, OTHER_FACTOR = 0xd6e8feb86659fd93u;

static uint64_t word_of(const double *number) {
    uint64_t word;
    memcpy(&word, number, sizeof word);
    return word;
}

/* Both halves of the product of two numbers, in one: each bit depends on all of both. */
static uint64_t mixed(uint64_t a, uint64_t b) {
    unsigned __int128 both = (unsigned __int128)a * b;
    return (uint64_t)both ^ (uint64_t)(both >> 64);
}

/* Four chains of multiplications side by side, for the CPU does several at a time; then two that
 * bring them together. Random numbers collide once in 2^64 pairs or so. */
static void hash_numbers(uint64_t hash[2], const double *x, size_t n) {
    uint64_t p = 1, q = 2, r = 3, s = 4;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        p = mixed(p ^ word_of(x + i), FACTOR ^ word_of(x + i + 1));
        q = mixed(q ^ word_of(x + i + 2), FACTOR ^ word_of(x + i + 3));
        r = mixed(r ^ word_of(x + i + 4), FACTOR ^ word_of(x + i + 5));
        s = mixed(s ^ word_of(x + i + 6), FACTOR ^ word_of(x + i + 7));
    }
    for (; i < n; i++)
        p = mixed(p ^ word_of(x + i), FACTOR);
    uint64_t chains[] = {p, q, r, s};
    for (int chain = 0; chain < 4; chain++) {
        hash[0] = mixed(hash[0] ^ chains[chain], FACTOR);
        hash[1] = mixed(hash[1] ^ chains[chain], OTHER_FACTOR);
    }
}

static size_t bytes_of(const struct remembered *of) {
    return (size_t)of->m * (size_t)of->n * sizeof *of->c;
}

static void forget_oldest(void) {
    struct remembered *old = &memory[oldest];
    if (old->c) {
        remembered_bytes -= bytes_of(old);
        free(old->c);
        old->c = NULL;
    }
    oldest = (oldest + 1) % REMEMBERED;
}

static struct remembered *remember(struct remembered what) {
    int slot = oldest;
    forget_oldest();
    while (remembered_bytes + bytes_of(&what) > REMEMBERED_BYTES)
        forget_oldest();
    what.c = more_memory(NULL, bytes_of(&what));
    remembered_bytes += bytes_of(&what);
    memory[slot] = what;
    return &memory[slot];
}

static const double *product_of(int m, int n, int k, const double *a, const double *b) {
    struct remembered what = {.m = m, .n = n, .k = k, .hash = {1, 2}};
    hash_numbers(what.hash, a, (size_t)m * (size_t)k);
    hash_numbers(what.hash, b, (size_t)k * (size_t)n);
    for (int i = 0; i < REMEMBERED; i++) {
        const struct remembered *old = &memory[i];
        if (old->c && old->m == m && old->n == n && old->k == k &&
            !memcmp(old->hash, what.hash, sizeof what.hash))
            return old->c;
    }
    struct remembered *new = remember(what);
    multiply(m, n, k, a, b, new->c);
    return new->c;
}

/* The factor as it is if it lies there like that, or a packed copy of it in room. */
static const double *factor(double *room, const double *x, int ld, bool transposed, int rows,
                            int columns) {
    if (!transposed && ld == rows)
        return x;
    pack(room, x, ld, transposed, rows, columns);
    return room;
}

void product(const struct gemm *gemm, const double *a, const double *b, double *c, double alpha,
             double beta) {
    int m = gemm->m, n = gemm->n, k = gemm->k;
    double *room =
        more_memory(NULL, ((size_t)m * (size_t)k + (size_t)k * (size_t)n) * sizeof *room + 1);
    const double *left = factor(room, a, gemm->lda, gemm->transposed_a, m, k);
    const double *right =
        factor(room + (size_t)m * (size_t)k, b, gemm->ldb, gemm->transposed_b, k, n);
    const double *ab = product_of(m, n, k, left, right);
    /* BLAS: with beta = 0 the old C is not read, so a NaN there does not stay. */
    for (int j = 0; j < n; j++) {
        double *to = c + (size_t)j * (size_t)gemm->ldc;
        const double *from = ab + (size_t)j * (size_t)m;
        if (alpha == 1 && beta == 0)
            memcpy(to, from, (size_t)m * sizeof *to);
        else
            for (int i = 0; i < m; i++)
                to[i] = beta == 0 ? alpha * from[i] : alpha * from[i] + beta * to[i];
    }
    free(room);
}
