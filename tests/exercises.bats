#!/usr/bin/env bats
# The exercises on the simulated GPU: what students get does the work and misses the goal, the
# solutions reach it, and repairs that only look like one do not.

bats_require_minimum_version 1.5.0

setup() {
    out=$BATS_TEST_TMPDIR/out
    solutions=tests/solutions
    unset CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING GPU SIM_HOST SIM_GPUS SIM_FAIL SIM_FAIL_NTH
}

# build N FILE: $program is exercise N with this file in the place of exercise.cu.
build() {
    program=$BATS_TEST_TMPDIR/exercise-$1
    MAKEFLAGS='' make -s ${SAN:+SAN=$SAN} B="$BUILD" SOLUTION="$2" "$BUILD/sim/exercise-$1"
    cp "$BUILD/sim/exercise-$1" "$program"
}

starter() {
    build "$1" "$(echo labs/"$1"-*/exercise.cu)"
}

# judge STATUS ARG...: $program exits with STATUS.
judge() {
    local wanted=$1 status=0
    shift
    rm -rf "$out"
    "$program" --out "$out" "$@" >"$BATS_TEST_TMPDIR/stdout" 2>"$BATS_TEST_TMPDIR/stderr" || status=$?
    cat "$BATS_TEST_TMPDIR/stderr"
    [ "$status" -eq "$wanted" ] || { cat "$BATS_TEST_TMPDIR/stdout"; echo "status $status, not $wanted"; return 1; }
}

# verdicts VERDICT: the checks that have it.
verdicts() {
    python3 -c 'import csv, sys
print(*[r["id"] for r in csv.DictReader(open(sys.argv[1], newline="")) if r["verdict"] == sys.argv[2]])' \
        "$out/checks.csv" "$1"
}

has() { # WORD LIST
    [[ " $2 " == *" $1 "* ]] || { echo "no $1 among: $2"; return 1; }
}

# starter_fails N DATA GOAL...: the work is right, and the goals are missed.
starter_fails() {
    starter "$1"
    judge 1
    has "$2" "$(verdicts pass)"
    shift 2
    for goal in "$@"; do
        has "$goal" "$(verdicts fail)"
    done
}

@test "exercise 1: the starter holds the host" { starter_fails 1 a-words-right a-queueing-returns; }
@test "exercise 2: the starter hides nothing" { starter_fails 2 b-words-right b-makespan b-copies-hidden; }
@test "exercise 3: the starter's products come one after another" { starter_fails 3 b-products-right b-makespan; }
@test "exercise 4: the starter leaves half the GPU idle" { starter_fails 4 a-items-right a-near-bound; }
@test "exercise 5: the starter's benchmark is wrong" { starter_fails 5 a-products-right a-agrees a-first-to-median; }
@test "exercise 6: the starter exchanges while nothing runs" {
    starter_fails 6 b-words-right b-exchange-hidden b-makespan
    # In time, but that does not count.
    grep -qE '^b-makespan,fail,"?10[0-9] %, exchange not hidden' "$out/checks.csv"
}

@test "the solutions pass every check, on every simulated GPU" {
    for n in 1 2 3 4 5 6; do
        build "$n" "$solutions/exercise-$n.cu"
        for gpu in h200 k40 gtx-650-ti-boost; do
            [ $n-$gpu = 3-gtx-650-ti-boost ] && continue # 32 products more than fill four SMs
            status=0
            [ $n-$gpu = 6-gtx-650-ti-boost ] && status=77 # no peer access
            GPU=$gpu judge $status
            [ $n-$gpu = 2-gtx-650-ti-boost ] && has b-makespan "$(verdicts cannot-show)" # one copy engine
            [ -z "$(verdicts fail)" ] || { echo "exercise $n, $gpu: $(verdicts fail)"; return 1; }
        done
    done
}

# ---- exercise 4 ----

# items_variant SED-COMMAND: the starter, changed.
items_variant() {
    sed "$1" labs/4-tail-effect/exercise.cu >"$BATS_TEST_TMPDIR/variant.cu"
    build 4 "$BATS_TEST_TMPDIR/variant.cu"
}

@test "exercise 4: one item a block, or one wave, is as good as a persistent kernel" {
    for items in 1 12; do
        items_variant "s/ITEMS_A_BLOCK = 8/ITEMS_A_BLOCK = $items/"
        judge 0
    done
}

@test "exercise 4: items left out, done twice, or by blocks of another size are no items done" {
    items_variant 's/range_kernel<<<blocks,/range_kernel<<<blocks - 1,/'
    judge 1
    has a-items-right "$(verdicts fail)"
    items_variant 's/    LAUNCH_CHECK();/range_kernel<<<1, ITEM_THREADS, 0, stream>>>(x->items, 0, 1);/'
    judge 1
    has a-items-right "$(verdicts fail)"
    items_variant 's/<<<blocks, ITEM_THREADS/<<<blocks, 32/'
    judge 1
    has a-items-right "$(verdicts fail)"
}

@test "exercise 4: shorter items are not the work that was asked for" {
    items_variant 's/    int blocks = /    struct items items = x->items; items.item_cycles \/= 2; int blocks = /; s/(x->items, 0/(items, 0/'
    judge 1
    has a-kernel-work "$(verdicts fail)"
    has a-near-bound "$(verdicts fail)"
}

@test "exercise 4: a counter that is not set to 0 again does nothing in the second round" {
    sed '/cudaMemsetAsync/d; s/cudaMalloc((void \*\*)&next, sizeof \*next)/cudaMallocManaged((void **)\&next, sizeof *next)/' \
        "$solutions/exercise-4.cu" >"$BATS_TEST_TMPDIR/variant.cu"
    build 4 "$BATS_TEST_TMPDIR/variant.cu"
    judge 1
    has a-items-right "$(verdicts fail)"
}

# ---- exercise 5 ----

# benchmark_variant SED-COMMAND: the solution, changed.
benchmark_variant() {
    sed "$1" "$solutions/exercise-5.cu" >"$BATS_TEST_TMPDIR/variant.cu"
    build 5 "$BATS_TEST_TMPDIR/variant.cu"
}

@test "exercise 5: whatever work is drawn, the solution passes and its verdicts are the same" {
    build 5 "$solutions/exercise-5.cu"
    for _ in 1 2 3 4 5; do
        judge 0
        [ -z "$(verdicts fail)$(verdicts cannot-show)" ]
    done
}

@test "exercise 5: not waiting for the device is too fast" {
    benchmark_variant '/cudaDeviceSynchronize/d'
    for _ in 1 2 3; do
        judge 1
        has a-agrees "$(verdicts fail)"
    done
}

@test "exercise 5: without a warm-up the first reading is not like the others" {
    benchmark_variant '/^    reading(x/d'
    judge 1
    has a-first-to-median "$(verdicts fail)"
}

@test "exercise 5: readings that were never taken, and constants, are no readings" {
    benchmark_variant 's/x->ns\[x->readings\] = reading(.*/x->ns[x->readings] = x->readings ? x->ns[0] : reading(x, cublas, a, b, c);/'
    judge 1
    has a-work-done "$(verdicts fail)"
    has a-agrees "$(verdicts fail)"
    has a-first-to-median "$(verdicts fail)"
    benchmark_variant 's/x->ns\[x->readings\] = reading(.*/x->ns[x->readings] = 90000;/'
    judge 1
    has a-work-done "$(verdicts fail)"
}

@test "exercise 5: a result that is not brought back is not there" {
    benchmark_variant '/cudaMemcpyDeviceToHost/d'
    judge 1
    has a-products-right "$(verdicts fail)"
}

# ---- exercise 6 ----

exchange_variant() {
    sed "$1" "$solutions/exercise-6.cu" >"$BATS_TEST_TMPDIR/variant.cu"
    build 6 "$BATS_TEST_TMPDIR/variant.cu"
}

@test "exercise 6: a copy that does not wait for its edge brings old words" {
    exchange_variant '/cudaStreamWaitEvent/d'
    judge 1
    has b-words-right "$(verdicts fail)"
}

@test "exercise 6: a copy behind the inner words is not hidden" {
    exchange_variant '/cudaStreamWaitEvent/d; s/, copies\[i\]));/, kernels[i]));/'
    judge 1
    has b-words-right "$(verdicts pass)"
    has b-exchange-hidden "$(verdicts fail)"
}

@test "exercise 6: hiding copies that nobody asked for hides nothing" {
    exchange_variant 's/^        CUDA_CHECK(cudaStreamWaitEvent(copies\[i\], edge_done\[i\], 0));/for (int k = 0; k < 20; k++) CUDA_CHECK(cudaMemcpyPeerAsync(other->halo, other->gpu, mine->edge, mine->gpu, 1 << 20, copies[i]));/; s/^\( *x->edge_words \* sizeof \*mine->edge, \)copies\[i\]/\1kernels[i]/'
    judge 1
    has b-words-right "$(verdicts pass)"
    has b-exchange-hidden "$(verdicts fail)"
}

@test "exercise 6: shorter kernels are not the work that was asked for" {
    exchange_variant 's/(words, n, x->transform)/(words, n, shorter(x))/; s/^static void transform(/static struct transform shorter(struct exercise *x) { struct transform t = x->transform; t.block_cycles \/= 2; return t; }\n&/'
    judge 1
    has b-words-right "$(verdicts pass)"
    has b-kernel-work "$(verdicts fail)"
    has b-exchange-hidden "$(verdicts fail)"
}

@test "exercise 6: one GPU, or no peer access: nothing is judged, and the reason is given" {
    build 6 "$solutions/exercise-6.cu"
    SIM_GPUS=1 judge 77
    grep -q "one GPU" "$out/checks.csv"
    sed 's/^peer_rate *=.*/peer_rate = 0 # none/' common/sim/devices/h200.txt >"$BATS_TEST_TMPDIR/nopeer.txt"
    GPU=$BATS_TEST_TMPDIR/nopeer.txt judge 77
    grep -q "no peer access" "$out/checks.csv"
}

# ---- all ----

@test "without a tracer no goal that needs the timeline is passed" {
    for n in 4 5 6; do
        build "$n" "$solutions/exercise-$n.cu"
        judge 0 --no-trace
        [ -n "$(verdicts cannot-show)" ]
        for goal in a-near-bound a-agrees a-first-to-median b-exchange-hidden b-makespan; do
            run ! has $goal "$(verdicts pass)"
        done
    done
}

@test "make exercise-4 builds, runs, prints the verdict and draws" {
    MAKEFLAGS='' run -2 make ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$out" FORMAT=png exercise-4
    [[ "$output" == *"a-near-bound: 71.9 %"* ]]
    [ -s "$out/exercise-4/timeline-a.png" ]
    MAKEFLAGS='' run -2 make B="$BUILD" DEVICE=recorded exercise-4
}
