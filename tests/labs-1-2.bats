#!/usr/bin/env bats
# Labs 1 and 2 on simulated GPUs: what they leave, what they find, what makes their checks fail.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    build=$(realpath "${BUILD:-build}")/sim
    out=$BATS_TEST_TMPDIR/out
    small=(--bytes 32MiB --table-bytes 1MiB --largest-bytes 16MiB)
    unset GPU SIM_HOST SIM_FAIL SIM_FAIL_NTH CUDA_LAUNCH_BLOCKING
}

lab() { # N, options: runs it
    local n=$1
    shift
    run --separate-stderr "$build/lab-$n" --out "$out" "$@"
    echo "$output" | tail -n 60
    echo "$stderr"
}

figure() { # part,name: the median in results.csv
    local value
    value=$(awk -F, -v key="$1" '$1 "," $2 == key { print $5 }' "$out/results.csv")
    [ -n "$value" ] || { echo "no \"$1\" in results.csv" >&2; return 1; }
    echo "$value"
}

absent() { # part,name: not in results.csv
    [ -e "$out/results.csv" ]
    [ "$(grep -c "^$1," "$out/results.csv")" -eq 0 ]
}

holds() { # awk condition in which {part,name} stands for its figure
    local condition=$1 name value
    while [[ $condition =~ \{([^}]*)\} ]]; do
        name=${BASH_REMATCH[1]}
        value=$(figure "$name") || return 1
        condition=${condition//"{$name}"/$value}
    done
    echo "$1: $condition"
    awk "BEGIN { exit !($condition) }"
}

verdict() { # check: its verdict
    awk -F, -v id="$1" '$1 == id { print $2 }' "$out/checks.csv"
}

profile() { # sed script: a GPU like the H200 but for what the script changes
    sed "$1" common/sim/devices/h200.txt >"$BATS_TEST_TMPDIR/mine.txt"
    if cmp -s common/sim/devices/h200.txt "$BATS_TEST_TMPDIR/mine.txt"; then return 1; fi
    export GPU=$BATS_TEST_TMPDIR/mine.txt
}

refused() { # N, text, options: status 2, one line on stderr with the text in it, no files
    local n=$1 text=$2
    shift 2
    lab "$n" "$@"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == "lab-$n: "*"$text"* ]]
    [ ! -e "$out/results.csv" ]
}

# ---- lab 1 ----

@test "lab 1: every check passes, in output that says SIMULATED" {
    lab 1
    [ "$status" -eq 0 ]
    [[ $output == *"SIMULATED NVIDIA H200"* ]]
    [ "$(grep -c ',pass,' "$out/checks.csv")" -eq 24 ]
    [ "$(grep -cE ',(fail|cannot-show),' "$out/checks.csv")" -eq 0 ]
    for part in a b c d e; do
        grep -q "^$part-" "$out/checks.csv"
    done
}

@test "lab 1: the copy out of pageable memory takes its kernel and its copy, pinned ones microseconds" {
    lab 1 --parts bc
    holds "{b,d2h call} >= {b,kernel device} + {b,d2h device}"
    holds "{b,d2h call} < 1.05 * ({b,kernel device} + {b,d2h device})"
    holds "{b,h2d call} > 0.9 * {b,h2d device} && {b,launch call} < 1e5"
    holds "{c,h2d call} < 1e5 && {c,launch call} < 1e5 && {c,d2h call} < 1e5"
    holds "{c,synchronise call} > {c,kernel device} && {b,synchronise call} < 0.1 * {b,kernel device}"
    [[ $output == *"yes, 11 of 11"* && $output == *"no, 0 of 11"* && $output == *"nothing to wait for"* ]]
}

@test "lab 1: the timeline has the calls and the work of each part" {
    lab 1 --parts bce
    for part in b c; do
        for kind in api kernel h2d d2h; do
            grep -q "^$part,$kind," "$out/timeline.csv"
        done
    done
    for part in e-blocking e-blocking-null e-non-blocking e-non-blocking-null; do
        [ "$(grep -c "^$part,kernel," "$out/timeline.csv")" -eq 2 ]
    done
    grep -q '^e-blocking-null,memset,' "$out/timeline.csv"
}

@test "lab 1: no launch on the timeline pays for switching the tracer on" {
    lab 1 --parts a
    launches=$(awk -F, '$2 == "api" && $3 == "cudaLaunchKernel" { print $7 - $6 }' "$out/timeline.csv")
    [ "$(wc -l <<<"$launches")" -ge 3 ]
    [ "$(sort -n <<<"$launches" | tail -n 1)" -lt 100000 ]
}

@test "lab 1: waves follow blocks and threads" {
    lab 1 --parts a --blocks 5000 --threads 256
    [ "$status" -eq 0 ]
    [[ $(tr '\n' ' ' <<<"$output") == *"holds 1056 blocks of 256 threads"*"run in 5 waves"* ]]
    holds "{a,kernel device} > 49e6 && {a,kernel device} < 51e6"
    holds "{a,kernel of 1057 blocks} > 1.9 * {a,kernel of 1056 blocks}"
}

@test "lab 1: --memory changes part b, --callback the call" {
    for memory in pinned registered; do
        lab 1 --parts b --memory "$memory"
        [ "$status" -eq 0 ]
        [[ $output == *"from and to $memory host memory"* ]]
        [ "$(verdict b-copy-out-does-not-wait)" = pass ]
        holds "{b,d2h call} < 1e5"
    done
    for api in hostfunc:cudaLaunchHostFunc addcallback:cudaStreamAddCallback; do
        lab 1 --parts a --callback "${api%:*}"
        [ "$status" -eq 0 ]
        grep -q "^a,api,${api#*:}" "$out/timeline.csv"
    done
}

@test "lab 1: the queue is as deep as the device's, or deeper than what is tried" {
    profile 's/^launch_queue_depth = .*/launch_queue_depth = 50 # made up/'
    lab 1 --parts d
    [ "$status" -eq 0 ]
    holds "{d,queue depth} == 49 && {d,launch return 50} > 1e8 && {d,launch return 49} < 1e5"
    absent "d,launch return 51"
    unset GPU
    lab 1 --parts d --max-launches 100
    [ "$status" -eq 0 ]
    [ "$(verdict d-queue-is-finite)" = cannot-show ]
    [ "$(verdict d-launches-run-ahead)" = pass ]
    absent "d,queue depth"
}

@test "lab 1: one memset in the NULL stream orders blocking streams only" {
    lab 1 --parts e --sleep 3ms
    holds "{e,overlap blocking null} == 0 && {e,overlap non-blocking null} > 0.9"
    holds "{e,overlap blocking} > 0.9 && {e,overlap non-blocking} > 0.9"
}

@test "lab 1: without a tracer the same is found from events" {
    lab 1 --no-trace
    [ "$status" -eq 0 ]
    [ "$(grep -c ',fail,' "$out/checks.csv")" -eq 0 ]
    [ "$(verdict b-copy-out-call-covers-its-copy)" = cannot-show ]
    [ "$(verdict e-null-stream-orders-blocking-streams)" = pass ]
    holds "{b,d2h call} > {b,kernel device}"
}

@test "lab 1: copies too small to tell are not judged" {
    lab 1 --parts c --bytes 4
    [ "$status" -eq 0 ]
    [[ $output == *"too short to tell"* ]]
    [ "$(verdict c-data-intact)" = pass ]
}

@test "lab 1: a GPU that queues nothing fails part d" {
    profile 's/^launch_queue_depth = .*/launch_queue_depth = 1 # made up/'
    lab 1 --parts d
    [ "$status" -eq 1 ]
    [ "$(verdict d-launches-run-ahead)" = fail ]
}

@test "lab 1: a GPU that runs one kernel at a time shows nothing of streams" {
    profile 's/^concurrent_kernels = .*/concurrent_kernels = 1 # made up/'
    lab 1 --parts e
    [ "$status" -eq 77 ]
    [ "$(verdict e-null-stream-orders-blocking-streams)" = cannot-show ]
}

@test "lab 1: wrong options are named" {
    refused 1 "--bytes" --bytes 0
    refused 1 "--bytes" --bytes -5
    refused 1 "--sleep" --sleep 10
    refused 1 "--threads" --threads 2000
    refused 1 "--blocks" --blocks 99999999999999999999
    refused 1 "--memory" --memory managed
    refused 1 "--max-launches" --max-launches 1
}

@test "lab 1: copies larger than the device end with status 3 and one line" {
    lab 1 --parts b --bytes 900GB
    [ "$status" -eq 3 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == "lab-1: --bytes "*"smaller size" ]]
    [ ! -e "$out/results.csv" ]
}

# ---- lab 2 ----

@test "lab 2: every check passes, in output that says SIMULATED" {
    lab 2 "${small[@]}"
    [ "$status" -eq 0 ]
    [[ $output == *"SIMULATED NVIDIA H200"* ]]
    [ "$(grep -c ',pass,' "$out/checks.csv")" -eq 27 ]
    for clock in wall cpu; do
        for memory in "pageable-untouched spin" {pageable-touched,pinned,registered}" "{spin,block}; do
            figure "a,h2d call $clock $memory"
            figure "a,d2h call $clock $memory"
        done
    done
    # Untouched memory is measured once: how the host waits changes nothing there.
    run ! grep -q "untouched block" "$out/results.csv"
}

@test "lab 2: the first touch and the clocks explain the large buffer" {
    lab 2 --parts a --bytes 256MiB
    [ "$status" -eq 0 ]
    holds "{a,d2h call wall pageable-untouched spin} > 3 * {a,d2h call wall pageable-touched spin}"
    holds "{a,h2d call wall pinned spin} < 1e5 && {a,d2h call wall registered block} < 1e5"
    holds "{a,d2h call cpu pageable-touched spin} > 0.9 * {a,d2h call wall pageable-touched spin}"
    holds "{a,synchronise call cpu pinned spin} > 0.9 * {a,synchronise call wall pinned spin}"
    holds "{a,synchronise call cpu pinned block} < 0.1 * {a,synchronise call wall pinned block}"
}

@test "lab 2: the table has every call, idle and busy" {
    lab 2 --parts b --table-bytes 1MiB
    [ "$status" -eq 0 ]
    [ "$(grep -cE '^b,return [a-z0-9]+ [a-z]+ (async|sync) (idle|busy),ns' "$out/results.csv")" -eq 52 ]
    holds "{b,return d2h pageable async busy} > 2e6 && {b,return d2h pinned async busy} < 1e5"
    holds "{b,return h2d pageable sync busy} > 2e6 && {b,return h2d pageable async busy} < 1e6"
    holds "{b,return d2d device sync busy} < 1e5 && {b,return h2h pinned async busy} > 2e6"
    holds "{b,return memset device sync busy} < 1e5 && {b,return memset pinned sync busy} > 2e6"
    [[ $output != *"NOT SO"* ]]
}

@test "lab 2: the size from which a pageable copy in waits, to within 12 %" {
    lab 2 --parts c --largest-bytes 64MiB
    [ "$status" -eq 0 ]
    threshold=$(figure "c,blocks from pageable h2d")
    below=$(sed -n 's/^c,return h2d pageable busy \([0-9]*\),.*/\1/p' "$out/results.csv" |
        awk -v limit="$threshold" '$1 < limit && $1 > most { most = $1 } END { print most }')
    holds "$threshold / $below <= 1.12"
    holds "{c,return h2d pageable busy $below} < 1.5e6 && {c,return h2d pageable busy $threshold} > 2e6"
    for bytes in 4 65536 65537 67108864; do
        holds "{c,return d2h pageable busy $bytes} > 2e6 && {c,return h2d pinned busy $bytes} < 1e5"
    done
}

@test "lab 2: a buffer that does not fit shrinks, and the report says so" {
    profile 's/^memory_bytes = .*/memory_bytes = 67108864 # made up/'
    lab 2 --parts a --repeats 1
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ]
    [[ $(tr '\n' ' ' <<<"$output") == *"Part a works on "*" MiB instead of 2.00 GiB"* ]]
}

@test "lab 2: the K40 and the GTX 650 Ti BOOST keep the manual's rules" {
    for gpu in k40 gtx-650-ti-boost; do
        GPU=$gpu lab 2 "${small[@]}"
        [ "$status" -eq 0 ]
        [ "$(grep -c ',fail,' "$out/checks.csv")" -eq 0 ]
        [ "$(verdict b-memcpy-to-host-completes)" = pass ]
    done
}

@test "lab 2: without a tracer the same is found from events" {
    lab 2 --no-trace "${small[@]}"
    [ "$status" -eq 0 ]
    [ "$(grep -c ',fail,' "$out/checks.csv")" -eq 0 ]
}

@test "lab 2: a copy faster than what carries it is an error" {
    profile 's/^memory_clock_ghz = .*/memory_clock_ghz = 0.01 # made up/'
    lab 2 "${small[@]}" --parts b
    [ "$status" -eq 1 ]
    [ "$(verdict b-copies-within-the-link)" = fail ]
}

@test "lab 2: pinned memory that is not faster is no failure" {
    profile 's/^\(stage_rate\|stage_cached_rate\|pageable_d2h_rate\|pageable_d2h_large_rate\) = .*/\1 = 1000 # made up/
        s/^pageable_access = .*/pageable_access = 1 # made up/; s/^\(read\|write\)_fault_ns = .*/\1_fault_ns = 0 # made up/'
    lab 2 --parts a --bytes 32MiB
    [ "$status" -eq 0 ]
    [ "$(verdict a-pinned-is-faster)" != fail ]
    [ "$(verdict a-first-touch-costs)" = cannot-show ]
    [[ $(tr '\n' ' ' <<<"$output") == *"page faults do not show"* ]]
}

@test "lab 2: wrong options are named" {
    refused 2 "--bytes" --bytes 1KiB
    refused 2 "--bytes" --bytes 2XiB
    refused 2 "--table-bytes" --table-bytes 0
    refused 2 "--largest-bytes" --largest-bytes -1
    refused 2 "--busy" --busy 2
    refused 2 "--parts" --parts ad
}

# ---- both ----

@test "with CUDA_LAUNCH_BLOCKING=1 nothing passes" {
    for n in 1 2; do
        args=()
        [ "$n" = 1 ] || args=("${small[@]}")
        CUDA_LAUNCH_BLOCKING=1 lab "$n" "${args[@]}"
        [ "$status" -eq 77 ]
        [ "$(grep -cE ',(pass|fail),' "$out/checks.csv")" -eq 0 ]
    done
}

@test "a call that fails in the middle is named, and no file is left" {
    for fault in 1:cudaMemcpyAsync:40 1:cudaStreamSynchronize:20 2:cudaMemcpyAsync:60 2:cudaMemset:2; do
        IFS=: read -r n call nth <<<"$fault"
        args=()
        [ "$n" = 1 ] || args=("${small[@]}")
        SIM_FAIL=$call:$nth:cudaErrorLaunchFailure lab "$n" "${args[@]}"
        [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
        [ "$(wc -l <<<"$stderr")" -eq 1 ]
        [[ $stderr == "lab-$n: "*"$call"* ]]
        [ ! -e "$out/results.csv" ]
    done
}

@test "20 runs give the same verdicts" {
    for round in $(seq 20); do
        lab 1 --parts bd --repeats 3 --bytes 1MB
        cut -d, -f1,2 "$out/checks.csv" >"$BATS_TEST_TMPDIR/verdicts-$round"
        cmp "$BATS_TEST_TMPDIR/verdicts-1" "$BATS_TEST_TMPDIR/verdicts-$round"
    done
}
