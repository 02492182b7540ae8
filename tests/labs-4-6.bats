#!/usr/bin/env bats
# Labs 4 (tail-effect), 5 (first-call) and 6 (peer-copies) on the simulated GPU.

bats_require_minimum_version 1.5.0

setup() {
    out=$BATS_TEST_TMPDIR/out
    unset CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING GPU SIM_GPUS SIM_FAIL SIM_FAIL_NTH
}

# run_lab STATUS N ARG...: lab N exits with STATUS.
run_lab() {
    local wanted=$1 lab=$BUILD/sim/lab-$2 status=0
    shift 2
    "$lab" --out "$out" "$@" >"$BATS_TEST_TMPDIR/stdout" 2>"$BATS_TEST_TMPDIR/stderr" || status=$?
    cat "$BATS_TEST_TMPDIR/stderr"
    [ "$status" -eq "$wanted" ] || { cat "$BATS_TEST_TMPDIR/stdout"; echo "status $status, not $wanted"; return 1; }
}

# rows FILE EXPRESSION: how many rows r (a dict) of the CSV make the Python expression true.
rows() {
    python3 -c 'import csv, sys
print(sum(1 for r in csv.DictReader(open(sys.argv[1], newline="")) if eval(sys.argv[2])))' "$out/$1" "$2"
}

# value PART NAME: the median of that result.
value() {
    python3 -c 'import csv, sys
found = [r["median"] for r in csv.DictReader(open(sys.argv[1], newline=""))
         if (r["part"], r["name"]) == (sys.argv[2], sys.argv[3])]
assert len(found) == 1, f"{len(found)} rows of {sys.argv[2:]}"
print(found[0])' "$out/results.csv" "$1" "$2"
}

verdict() { # ID: its verdict
    python3 -c 'import csv, sys
print([r["verdict"] for r in csv.DictReader(open(sys.argv[1], newline="")) if r["id"] == sys.argv[2]][0])' \
        "$out/checks.csv" "$1"
}

# holds EXPRESSION ARG...: true of the numbers a[0], a[1], ...
holds() {
    python3 -c 'import sys
a = [float(x) for x in sys.argv[2:]]
sys.exit(0 if eval(sys.argv[1]) else f"not true: {sys.argv[1]} of {a}")' "$@"
}

# ---- lab 4 ----

@test "lab 4: the recorded case, 568 blocks of which 264 fit: 3 waves, 6 of them in one stream, 5 in two" {
    run_lab 0 4
    [ "$(rows checks.csv 'r["verdict"] != "pass"')" -eq 0 ]
    holds 'a == [264, 568, 3]' "$(value a capacity)" "$(value a blocks)" "$(value a waves)"
    holds 'abs(a[0] - 3e6) < 0.03e6' "$(value a makespan)"
    holds 'abs(a[0] - 6e6) < 0.06e6' "$(value b makespan)"
    holds 'abs(a[0] - 5e6) < 0.05e6' "$(value c makespan)"
    holds 'abs(a[0] - 1e6) < 0.05e6 and abs(a[1] - a[2]) < 0.05e6' \
        "$(value c 'early start')" "$(value c saved)" "$(value c 'could be saved')"
}

@test "lab 4: the timeline has each block once, on an SM, inside its kernel" {
    run_lab 0 4 --parts c
    [ "$(rows timeline.csv 'r["kind"] == "block" and r["name"] == "kernel 1"')" -eq 568 ]
    [ "$(rows timeline.csv 'r["kind"] == "block" and r["name"] == "kernel 2"')" -eq 568 ]
    python3 - "$out/timeline.csv" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
kernels = {r["correlation"]: r for r in rows if r["kind"] == "kernel"}
seen = {}
for r in rows:
    if r["kind"] != "block":
        continue
    kernel = kernels[r["correlation"]]
    assert int(kernel["start_ns"]) - 2000 <= int(r["start_ns"]) < int(r["end_ns"]) <= int(kernel["end_ns"]) + 2000
    assert 0 <= int(r["stream"]) < 132 and 0 <= int(r["block_x"]) < 2
    seen.setdefault(r["name"], set()).add(int(r["grid_x"]))
assert all(blocks == set(range(568)) for blocks in seen.values())
END
}

@test "lab 4: a whole number of waves has no tail to fill, and says so" {
    run_lab 0 4 --parts abc --blocks 528
    [ "$(verdict c-fills-the-tail)" = cannot-show ]
    [ "$(rows checks.csv 'r["verdict"] == "fail"')" -eq 0 ]
}

@test "lab 4: smaller pieces, one wave, and long blocks first come nearer to the bound" {
    run_lab 0 4 --parts d
    holds 'a[0] < 0.75 and a[1] > 0.9 and a[2] > 0.9 and a[3] > 0.99 and a[5] > a[4]' \
        "$(value d 'efficiency whole')" "$(value d 'efficiency fine')" \
        "$(value d 'efficiency persistent')" "$(value d 'efficiency one-wave')" \
        "$(value d 'efficiency unequal')" "$(value d 'efficiency longest-first')"
}

@test "lab 4: other block sizes and other GPUs have the same verdicts" {
    for gpu in h200 k40 gtx-650-ti-boost; do
        for threads in 1024 256; do
            GPU=$gpu run_lab 0 4 --threads $threads
            [ "$(rows checks.csv 'r["verdict"] == "fail"')" -eq 0 ]
        done
    done
}

@test "lab 4: what it cannot do is refused" {
    run_lab 2 4 --block-time 1000s
    run_lab 2 4 --threads 2048
    run_lab 2 4 --blocks -1
}

# ---- lab 5 ----

@test "lab 5: each first time in processes of its own, three by default" {
    run_lab 0 5
    [ "$(rows checks.csv 'r["verdict"] == "fail"')" -eq 0 ]
    [ "$(rows results.csv 'r["name"].startswith(("first ", "second ", "naive ")) and r["unit"] == "ns" and r["n"] != "3"')" -eq 0 ]
    holds 'a[0] > 100e6 and a[1] < 1e6' "$(value a 'first context cudaMalloc-first')" "$(value a 'second context cudaMalloc-first')"
    holds 'a[0] > 10 * a[1]' "$(value b 'first launch lazy')" "$(value b 'second launch lazy')"
    holds 'a[0] < a[1] / 2' "$(value b 'first launch eager')" "$(value b 'first launch lazy')"
    [ "$(verdict e-naive-product-right)" = pass ]
    [ "$(verdict e-right-product-right)" = pass ]
}

@test "lab 5: the naive benchmark's parts add up to its time, and stand in the timeline" {
    run_lab 0 5 --parts e --repeats 1
    holds 'abs(sum(a[1:]) - a[0]) < 0.01 * a[0]' "$(value e 'naive total')" \
        "$(value e 'naive allocation')" "$(value e 'naive copy-in')" \
        "$(value e 'naive cublasCreate')" "$(value e 'naive product')" "$(value e 'naive copy-out')"
    holds 'a[0] > 1000' "$(value e 'naive ratio')"
    [ "$(rows timeline.csv 'r["part"] == "e" and r["kind"] == "api"')" -eq 5 ]
}

@test "lab 5: first times as recorded on an H200: events, pinned memory, callbacks, cuBLAS" {
    run_lab 0 5 --parts c
    holds 'all(abs(a[i] / a[i + 1] - 1) < 0.4 for i in range(0, len(a), 2))' \
        "$(value c 'first event')" 29.7e3 "$(value c 'second event')" 8.5e3 \
        "$(value c 'first pinned')" 1.21e6 "$(value c 'second pinned')" 11.4e3 \
        "$(value c 'first callback')" 374e3 "$(value c 'second callback')" 22.9e3 \
        "$(value c 'first cublasCreate')" 2.29e6 "$(value c 'second cublasCreate')" 104e3 \
        "$(value c 'first product 64')" 40.5e6
}

@test "lab 5: behind a spinning kernel a lazily loaded launch waits for the time-out, a loaded one does not" {
    sed 's/^lazy_load_waits = 0/lazy_load_waits = 1/' common/sim/devices/h200.txt >"$BATS_TEST_TMPDIR/waits.txt"
    GPU=$BATS_TEST_TMPDIR/waits.txt run_lab 0 5 --parts f --repeats 1
    holds 'a[0] > 90e6 and a[1] < 1e6 and a[2] < 1e6' "$(value f 'first launch lazy')" \
        "$(value f 'first launch eager')" "$(value f 'loaded launch lazy')"
    [ "$(verdict f-lazy-waits)" = pass ]
}

@test "lab 5: the user's CUDA_MODULE_LOADING does not change what part b compares" {
    CUDA_MODULE_LOADING=EAGER run_lab 0 5 --parts b --repeats 1
    holds 'a[0] > 2 * a[1]' "$(value b 'first launch lazy')" "$(value b 'first launch eager')"
}

@test "lab 5: a child that fails makes its part cannot-show, not pass" {
    SIM_FAIL=cudaLaunchHostFunc:1:cudaErrorMemoryAllocation run_lab 0 5 --parts c --dims 64 --repeats 1
    grep -q "cudaErrorMemoryAllocation" "$BATS_TEST_TMPDIR/stderr"
    [ "$(verdict c-callback-process)" = cannot-show ]
    [ "$(rows results.csv '"callback" in r["name"]')" -eq 0 ]
}

@test "lab 5: the answer of a child is not an option for people" {
    run_lab 2 5 --child
    "$BUILD/sim/lab-5" --help >"$BATS_TEST_TMPDIR/help"
    run ! grep -q -e --child "$BATS_TEST_TMPDIR/help"
    run ! "$BUILD/sim/lab-5" --child nosuch -
}

# ---- lab 6 ----

@test "lab 6: two GPUs unless SIM_GPUS says otherwise, and every byte arrives" {
    run_lab 0 6 --bytes 8MiB
    grep -q "The two GPUs are GPU 0 and GPU 1" "$BATS_TEST_TMPDIR/stdout"
    [ "$(rows checks.csv 'r["verdict"] != "pass" and r["id"] != "a-runs-beside-full"')" -eq 0 ]
    [ "$(rows results.csv 'r["name"].startswith("wrong bytes") and float(r["median"]) != 0')" -eq 0 ]
    [ "$(rows results.csv 'r["name"].startswith("return ")')" -eq 20 ]
}

@test "lab 6: a copy that SMs carry waits for room; one that they do not runs beside a full GPU" {
    run_lab 0 6 --bytes 8MiB --parts a
    [ "$(verdict a-runs-beside-full)" = cannot-show ]
    holds 'a[0] > 0.99 and a[1] < 0.01' "$(value a 'begun at other full')" "$(value a 'begun at other half')"
    sed 's/^d2d_needs_sm *=.*/d2d_needs_sm = 0 # an engine does it/' common/sim/devices/h200.txt >"$BATS_TEST_TMPDIR/engine.txt"
    GPU=$BATS_TEST_TMPDIR/engine.txt run_lab 0 6 --bytes 8MiB --parts a
    [ "$(verdict a-runs-beside-full)" = pass ]
}

@test "lab 6: a GTX 650 Ti BOOST has no peer access, and the lab simulates two all the same" {
    GPU=gtx-650-ti-boost run_lab 0 6 --bytes 1MiB
    [ "$(verdict c-peer-access)" = cannot-show ]
    [ "$(rows checks.csv 'r["verdict"] == "fail"')" -eq 0 ]
}

@test "lab 6: without peer access copies are staged, and their time is not that of a piece" {
    SIM_GPUS=2 run_lab 0 6 --bytes 16MiB --parts bc
    [ "$(verdict b-staged)" = pass ]
    [ "$(verdict c-direct)" = pass ]
    [ "$(rows results.csv 'r["part"] == "b" and r["name"].startswith("staged ") and float(r["median"]) == 1')" -eq 8 ]
    [ "$(rows results.csv 'r["part"] == "c" and r["name"].startswith("staged ") and float(r["median"]) == 0')" -eq 8 ]
    holds 'a[0] > 20e3 and a[1] < 20e3 and a[0] < a[2] / 2 and a[3] > 2 * a[4] and a[4] < a[5]' \
        "$(value b 'return from-stream other one-way')" "$(value c 'return from-stream other one-way')" \
        "$(value b 'copy from-stream other one-way')" "$(value c 'rate from-stream other one-way')" \
        "$(value b 'rate from-stream other one-way')" "$(value b 'limit of rates')"
    holds 'abs(a[0] * a[1] / 2**24 - 1) < 0.01' \
        "$(value b 'rate from-stream other one-way')" "$(value b 'copy from-stream other one-way')"
    grep -q "Where these times come from" "$BATS_TEST_TMPDIR/stdout"
    holds 'a[0] == 0 and a[1] > 0 and a[2] > 0' \
        "$(value c 'overlap from-kernel from-stream own one-way')" \
        "$(value c 'overlap from-kernel to-stream other one-way')" \
        "$(value c 'overlap to-kernel from-stream other one-way')"
}

@test "lab 6: in the timeline a staged copy is one span as long as the copy took" {
    SIM_GPUS=2 run_lab 0 6 --bytes 16MiB --parts b
    [ "$(rows timeline.csv 'r["kind"] in ("d2h", "h2d")')" -eq 0 ]
    [ "$(rows timeline.csv 'r["kind"] == "peer" and 400e3 < int(r["end_ns"]) - int(r["start_ns"]) < 550e3')" -eq 12 ]
    [ "$(rows timeline.csv 'r["kind"] == "peer" and r["part"] == "b-large"')" -eq 1 ]
    python3 -c 'import csv, sys
spans = list(csv.DictReader(open(sys.argv[1], newline="")))
calls = {(s["part"], s["correlation"]): int(s["start_ns"]) for s in spans if s["kind"] == "api"}
for s in spans:
    assert s["kind"] == "api" or int(s["start_ns"]) >= calls[s["part"], s["correlation"]], s' "$out/timeline.csv"
}

@test "lab 6: the call of a copy too large for the driver's queue holds the host" {
    SIM_GPUS=2 run_lab 0 6 --bytes 1MiB --parts b
    [ "$(verdict b-large-call-holds-the-host)" = pass ]
    [ "$(verdict b-large-data)" = pass ]
    SIM_GPUS=2 run_lab 0 6 --bytes 1MiB --parts b --large-bytes 64MiB
    [ "$(verdict b-large-call-holds-the-host)" = cannot-show ]
    SIM_GPUS=2 run_lab 0 6 --bytes 1MiB --parts b --large-bytes 64GiB --repeats 1
    [ "$(verdict b-large-call-holds-the-host)" = pass ]
    GPU=gtx-650-ti-boost SIM_GPUS=2 run_lab 0 6 --bytes 1MiB --parts b --large-bytes 4GiB
    [ "$(verdict b-large-data)" = cannot-show ]
}

@test "lab 6: a rate that no memory or link has fails" {
    sed 's/^d2d_rate *=.*/d2d_rate = 3000 # over half of the bus/' common/sim/devices/h200.txt >"$BATS_TEST_TMPDIR/fast.txt"
    GPU=$BATS_TEST_TMPDIR/fast.txt run_lab 1 6 --parts a
    [ "$(verdict a-rates-within-limit)" = fail ]
    sed 's/^peer_rate *=.*/peer_rate = 50000 # over the bus/' common/sim/devices/h200.txt >"$BATS_TEST_TMPDIR/fast.txt"
    SIM_GPUS=2 GPU=$BATS_TEST_TMPDIR/fast.txt run_lab 1 6 --parts c
    [ "$(verdict c-rates-within-limit)" = fail ]
    [ "$(verdict c-direct)" = cannot-show ]
    sed 's/^peer_staged_rate *=.*/peer_staged_rate = 500 # over the link/' common/sim/devices/h200.txt >"$BATS_TEST_TMPDIR/fast.txt"
    SIM_GPUS=2 GPU=$BATS_TEST_TMPDIR/fast.txt run_lab 1 6 --parts b
    [ "$(verdict b-rates-within-limit)" = fail ]
    [ "$(verdict b-large-rate-within-limit)" = fail ]
}

@test "lab 6: with one GPU, copies inside it, and a reason for what cannot be shown" {
    SIM_GPUS=1 run_lab 0 6 --bytes 1MiB
    [ "$(verdict a-own-stream-waits)" = pass ]
    [ "$(verdict b-two-gpus)" = cannot-show ]
    [ "$(verdict c-two-gpus)" = cannot-show ]
    SIM_GPUS=1 run_lab 77 6 --parts bc
    grep -q "one GPU" "$out/checks.csv"
}

@test "lab 6: two GPUs without peer access" {
    sed 's/^peer_rate *=.*/peer_rate = 0 # none/' common/sim/devices/h200.txt >"$BATS_TEST_TMPDIR/nopeer.txt"
    SIM_GPUS=2 GPU=$BATS_TEST_TMPDIR/nopeer.txt run_lab 0 6 --bytes 1MiB
    [ "$(verdict c-peer-access)" = cannot-show ]
    [ "$(verdict b-data)" = pass ]
}

@test "lab 6: copies too small to meet each other are no failure" {
    SIM_GPUS=2 run_lab 0 6 --bytes 1MiB --parts c
    [ "$(verdict c-both-ways-at-once)" = cannot-show ]
}

@test "lab 6: no tracer: what needs it cannot be shown, the rest can" {
    SIM_GPUS=2 run_lab 0 6 --bytes 4MiB --no-trace
    [ "$(verdict a-runs-beside-half)" = pass ]
    [ "$(verdict a-own-stream-waits)" = pass ]
    [ "$(verdict c-runs-beside-kernels)" = cannot-show ]
    [ "$(verdict c-data)" = pass ]
    [ "$(verdict b-staged)" = pass ]
    [ "$(verdict b-rates-within-limit)" = pass ]
}

@test "lab 6: a bad --peer is one clear line" {
    SIM_GPUS=2 run_lab 2 6 --peer 5
    SIM_GPUS=2 run_lab 2 6 --peer 0
    [ "$(wc -l <"$BATS_TEST_TMPDIR/stderr")" -eq 1 ]
}

# ---- all ----

@test "labs 4 to 6: the same command gives the same files" {
    for lab in 4 5 6; do
        run_lab 0 $lab --repeats 1
        mv "$out" "$out-$lab"
        run_lab 0 $lab --repeats 1
        for file in results timeline checks; do
            cmp "$out/$file.csv" "$out-$lab/$file.csv"
        done
    done
}

@test "labs 4 to 6: SIMULATED, and --help names the options" {
    for lab in 4 5 6; do
        run_lab 0 $lab --repeats 1
        grep -q SIMULATED "$BATS_TEST_TMPDIR/stdout"
        "$BUILD/sim/lab-$lab" --help | grep -q -e --parts
    done
}

@test "labs 4 to 6: CUDA_LAUNCH_BLOCKING=1 leaves no check passed" {
    for lab in 4 5 6; do
        CUDA_LAUNCH_BLOCKING=1 "$BUILD/sim/lab-$lab" --out "$out" --repeats 1 >"$BATS_TEST_TMPDIR/stdout" || [ $? -ne 2 ]
        [ "$(rows checks.csv True)" -gt 0 ]
        [ "$(rows checks.csv 'r["verdict"] == "pass"')" -eq 0 ]
    done
}
