#!/usr/bin/env bats
# Bad luck in the middle of a lab: whichever CUDA call fails, the lab ends with one line that says
# so, and never with a check that failed because of it.

setup() {
    out=$BATS_TEST_TMPDIR/out
    errors=$BATS_TEST_TMPDIR/stderr
    unset CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING GPU SIM_HOST SIM_GPUS SIM_FAIL SIM_FAIL_NTH
}

# fail_calls STEP LAB OPTION...: one call in STEP fails, another one in each run, until three runs
# in turn had fewer calls. A question that a lab can do without (a clock rate) may fail unseen.
fail_calls() {
    local step=$1 lab=$2 nth=1 status unseen=0 failed=0
    shift 2
    while [ "$unseen" -lt 3 ]; do
        status=0
        SIM_FAIL_NTH=$nth "$BUILD/sim/lab-$lab" --repeats 1 "$@" --out "$out" \
            >/dev/null 2>"$errors" || status=$?
        echo "lab $lab, call $nth: status $status: $(cat "$errors")"
        if [ "$status" -eq 0 ]; then
            [ ! -s "$errors" ]
            rm -rf "$out"
            unseen=$((unseen + 1))
        else
            [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
            [ "$(wc -l <"$errors")" -eq 1 ]
            [ ! -e "$out" ]
            unseen=0 failed=$((failed + 1))
        fi
        nth=$((nth + step))
    done
    [ "$failed" -gt 20 ]
}

@test "whichever CUDA call of a lab fails, the lab ends with one line and no files" {
    fail_calls 19 1 --bytes 4KB --sleep 100us --blocks 2 --threads 32 --max-launches 8
    fail_calls 31 2 --bytes 1MiB --table-bytes 4KiB --largest-bytes 16B --sleep 100us --busy 500us
    fail_calls 31 3 --dims 4 --sweep 4 --products 2 --product-dims 4
    fail_calls 19 4 --block-time 100us --blocks 3 --pieces 2
    fail_calls 97 6 --bytes 1MiB --sleep 1ms
}

# Lab 5 starts itself again and again: each of these has a fault of its own.
@test "lab 5: a call that fails in it ends it; in a fresh process, nothing is shown by that one" {
    for nth in 1 54 107 213; do
        status=0
        SIM_FAIL_NTH=$nth "$BUILD/sim/lab-5" --out "$out" >/dev/null 2>"$errors" || status=$?
        echo "call $nth: status $status: $(cat "$errors")"
        [ "$status" -eq 3 ]
        [ "$(wc -l <"$errors")" -eq 1 ]
        [ ! -e "$out" ]
    done
    SIM_FAIL=cublasDgemm_v2:12:cudaErrorUnknown "$BUILD/sim/lab-5" --out "$out" >/dev/null 2>"$errors"
    [ "$(wc -l <"$errors")" -eq 1 ]
    grep -q "cublasDgemm(.*failed" "$errors"
    grep -q "^e-right-process,cannot-show,.*its message is above" "$out/checks.csv"
}

@test "lab 2: a driver that refuses to spin is an error, not copies that do not wait" {
    status=0
    SIM_FAIL=cudaSetDeviceFlags:1:cudaErrorUnknown "$BUILD/sim/lab-2" --bytes 1MiB --parts a \
        >/dev/null 2>"$errors" || status=$?
    [ "$status" -eq 3 ]
    grep -q "^lab-2: cudaSetDeviceFlags(flag) failed" "$errors"
}

@test "host memory that cannot be had: the advice fits the option that asked for it" {
    case $BUILD in *san) skip "the address sanitizer needs more address space than a limit leaves" ;; esac
    status=0
    (ulimit -v 40000 && "$BUILD/sim/lab-1" --parts b >/dev/null 2>"$errors") || status=$?
    [ "$status" -eq 3 ]
    grep -q "host memory to be had; give a smaller size (see --help)" "$errors"
}

@test "where page faults cannot be told, the simulated GPU says so, once" {
    hide='mount -t tmpfs none /proc && exec "$@"'
    unshare -m bash -c "$hide" - true 2>/dev/null || skip "cannot hide /proc here"
    case $BUILD in *san) skip "the address sanitizer needs /proc" ;; esac
    unshare -m bash -c "$hide" - "$BUILD/sim/lab-2" --parts a --bytes 64MiB --repeats 1 >/dev/null 2>"$errors"
    cat "$errors"
    [ "$(grep -c "warning: simulated GPU: /proc/self/pagemap cannot be read" "$errors")" -eq 1 ]
    [ "$(wc -l <"$errors")" -eq 1 ]
}
