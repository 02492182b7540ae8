#!/usr/bin/env bats
# The tracer compiles with the CUPTI of every toolkit since CUDA 11.8, and without one.

@test "CUPTI of CUDA 11.8, 12.0, 12.5, 12.8, 12.9 and 13.0, and none" {
    cd "$BATS_TEST_DIRNAME/.."
    run make -s cupti-versions
    echo "$output"
    [[ "$output" != *"no CUPTI in"* ]] || skip "no CUPTI here"
    [ "$status" -eq 0 ]
    [ "$(grep -c 'CUPTI 1[89]$' <<<"$output")" -eq 4 ]
    [ "$(grep -c ': no CUPTI$' <<<"$output")" -eq 2 ]
}
