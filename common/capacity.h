/* capacity.h - how many blocks of a kernel an SM holds at once. */
#ifndef CAPACITY_H
#define CAPACITY_H

/* What an SM has, and the compute capability that says in what portions it hands it out. */
struct sm_limits {
    int major, minor;
    int threads, blocks, registers, shared_bytes, reserved_shared_bytes;
};

/* What one block of a kernel takes: registers per thread, shared memory per block. */
struct block_needs {
    int threads, registers, shared_bytes;
};

/* Blocks resident on one SM at once, at least 0. The kernel is one that can be launched: limits of
 * a single block are not looked at. */
int sm_resident_blocks(const struct sm_limits *sm, const struct block_needs *block);

#endif
