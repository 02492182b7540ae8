#!/usr/bin/env bats
# The simulator's CUDA headers against an installed toolkit's; make test says in CUDA where it is.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    [ -n "$CUDA" ] || skip "no CUDA toolkit here"
    toolkit=$CUDA/include
    ours=$BATS_TEST_TMPDIR/include
    cp -r common/sim/include "$ours"
}

changed() { # file, sed script: our headers with one thing wrong must be found out
    sed -i "$2" "$ours/$1"
    run ! cmp -s "$ours/$1" "common/sim/include/$1"
    run tests/sim-headers "$toolkit" "$ours"
    echo "$output"
    [ "$status" -eq 1 ]
}

@test "values, prototypes and members are the toolkit's" {
    run tests/sim-headers "$toolkit"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *": 0 differ" ]]
}

@test "a wrong error number is found" {
    changed cuda_errors.h 's/cudaErrorNotReady, 600/cudaErrorNotReady, 601/'
    [[ $output == *"cudaErrorNotReady is 601, the toolkit's is 600"* ]]
}

@test "a wrong flag is found" {
    changed cuda_enums.h 's/define cudaStreamNonBlocking 0x01/define cudaStreamNonBlocking 0x02/'
    [[ $output == *"cudaStreamNonBlocking is 2, the toolkit's is 1"* ]]
}

@test "an enumerator that the toolkit does not have is found" {
    changed cuda_enums.h 's/cudaMemcpyDefault = 4/cudaMemcpyDefault = 4, cudaMemcpyGuess = 5/'
    [[ $output == *cudaMemcpyGuess* ]]
}

@test "a wrong prototype is found" {
    changed cuda_runtime_api.h 's/cudaMemset(void \*devPtr, int value, size_t count)/cudaMemset(void *devPtr, size_t count, int value)/'
    [[ $output == *cudaMemset* ]]
}

@test "a wrong structure member is found" {
    changed driver_types.h 's/size_t totalGlobalMem/int totalGlobalMem/'
    [[ $output == *totalGlobalMem* ]]
}
