#!/usr/bin/env bats
# Lab 3, dgemm-streams, on simulated GPUs: what it finds, what it says it cannot show, what it
# refuses.

setup_file() {
    export LAB="$BATS_TEST_DIRNAME/../${BUILD:-build}/sim/lab-3"
    [[ "${BUILD:-}" = /* ]] && LAB="$BUILD/sim/lab-3"
    [ -x "$LAB" ] || { echo "# $LAB is not built: make sim"; return 1; }
    for gpu in h200 k40 gtx-650-ti-boost; do
        mkdir -p "$BATS_FILE_TMPDIR/$gpu"
        GPU=$gpu "$LAB" --out "$BATS_FILE_TMPDIR/$gpu" >"$BATS_FILE_TMPDIR/$gpu/report.txt" \
            2>"$BATS_FILE_TMPDIR/$gpu/errors.txt"
        echo $? >"$BATS_FILE_TMPDIR/$gpu/status"
    done
}

result() { # gpu, part, name: the median
    awk -F, -v part="$2" -v name="$3" '$1 == part && $2 == name { print $5; n++ }
        END { exit n != 1 }' "$BATS_FILE_TMPDIR/$1/results.csv"
}

verdict() { # gpu, check
    awk -F, -v id="$2" '$1 == id { print $2 }' "$BATS_FILE_TMPDIR/$1/checks.csv"
}

class() { # gpu, part, mode, dim: as a word
    local words=(launch-bound concurrent tail-only serial)
    echo "${words[$(result "$1" "$2" "class $3 $4")]}"
}

refused() { # what the line on stderr must contain, arguments of the lab
    local wanted=$1
    shift
    run --separate-stderr env GPU=h200 "$LAB" "$@"
    echo "status $status: $stderr"
    [ "$status" -eq 2 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ "$stderr" == lab-3:*"$wanted"* ]]
}

bats_require_minimum_version 1.5.0

@test "every simulated GPU: no check fails, and the report says that it is simulated" {
    for gpu in h200 k40 gtx-650-ti-boost; do
        echo "$gpu"
        cat "$BATS_FILE_TMPDIR/$gpu/errors.txt"
        [ "$(cat "$BATS_FILE_TMPDIR/$gpu/status")" -eq 0 ]
        grep -q SIMULATED "$BATS_FILE_TMPDIR/$gpu/report.txt"
        [ "$(grep -c ',fail,' "$BATS_FILE_TMPDIR/$gpu/checks.csv")" -eq 0 ]
    done
}

@test "K40, as in the documents: 16 and 64 launch-bound, 256 concurrent, 8192 tail-only" {
    [ "$(class k40 a two-streams 16)" = launch-bound ]
    [ "$(class k40 a two-streams 64)" = launch-bound ]
    [ "$(class k40 a two-streams 256)" = concurrent ]
    [ "$(class k40 a two-streams 8192)" = tail-only ]
}

@test "K40: in one stream, and in the default stream, nothing overlaps" {
    for dim in 16 64 256 8192; do
        for mode in one-stream default-stream; do
            [ "$(result k40 a "overlap $mode $dim")" = 0 ]
        done
    done
    [ "$(class k40 a one-stream 256)" = serial ]
    [ "$(class k40 a default-stream 8192)" = serial ]
}

@test "H200: what was concurrent at 256 is launch-bound, and a gate brings it back" {
    [ "$(class h200 a two-streams 256)" = launch-bound ]
    [ "$(class h200 c two-streams 768)" = concurrent ]
    for dim in 16 64 256; do
        [ "$(class h200 b two-streams-gated "$dim")" = concurrent ]
        [ "$(class h200 b one-stream-gated "$dim")" = serial ]
    done
    [ "$(class h200 b two-streams-gated 8192)" = tail-only ]
    [ "$(verdict h200 b-gate-removes-launch-time)" = pass ]
}

@test "the tail: a last wave before the end in two streams, after the end in one" {
    local tail
    tail=$(result h200 d tail)
    echo "tail $tail ns, predicted $(result h200 d predicted-tail)"
    awk -v t="$tail" -v p="$(result h200 d predicted-tail)" 'BEGIN { exit !(t > 0.8 * p && t < 1.25 * p) }'
    [ "$(verdict h200 d-tail-in-two-streams)" = pass ]
    [ "$(verdict h200 d-no-tail-in-one-stream)" = pass ]
    [ "$(result h200 d "overlap one-stream 8192")" = 0 ]
}

@test "where the last wave is full, the tail cannot be shown, and the reason is said" {
    [ "$(verdict gtx-650-ti-boost d-tail-in-two-streams)" = cannot-show ]
    grep -q 'd-tail-in-two-streams,cannot-show.*last wave' \
        "$BATS_FILE_TMPDIR/gtx-650-ti-boost/checks.csv"
}

@test "each prediction is made before the observation, and each observation is a predicted one" {
    local report="$BATS_FILE_TMPDIR/h200/report.txt"
    [ "$(grep -n -m1 '^Predicted' "$report" | cut -d: -f1)" -lt "$(grep -n -m1 '^Observed' "$report" | cut -d: -f1)" ]
    for gpu in h200 k40 gtx-650-ti-boost; do
        python3 - "$BATS_FILE_TMPDIR/$gpu/results.csv" <<'PY'
import csv, sys
rows = {(r["part"], r["name"]): r["median"] for r in csv.DictReader(open(sys.argv[1]))}
seen = [(k, int(v)) for k, v in rows.items() if k[1].startswith("class ")]
assert len(seen) > 40, len(seen)
for (part, name), was in seen:
    possible = int(rows[part, name.replace("class", "predicted-classes")])
    likely = int(rows[part, name.replace("class", "predicted-class")])
    assert possible >> was & 1 and possible >> likely & 1, (part, name, was, possible, likely)
    assert possible != 15 or part == "c", (part, name)
PY
    done
}

@test "the timeline says the same: overlap and class from its rows alone" {
    for gpu in h200 k40; do
        python3 - "$BATS_FILE_TMPDIR/$gpu" <<'PY'
import csv, sys
kernels = {}
for r in csv.DictReader(open(sys.argv[1] + "/timeline.csv")):
    if r["kind"] == "kernel" and "gate" not in r["name"]:
        kernels.setdefault(r["part"], []).append((int(r["start_ns"]), int(r["end_ns"]), r["stream"]))
checked = 0
for r in csv.DictReader(open(sys.argv[1] + "/results.csv")):
    words = r["name"].split()
    if words[0] != "overlap":
        continue
    (s0, e0, stream0), (s1, e1, stream1) = kernels["-".join([r["part"]] + words[1:])]
    share = max(0, min(e0, e1) - max(s0, s1)) / min(e0 - s0, e1 - s1)
    assert abs(share - float(r["median"])) < 0.02, (r, share)
    assert (stream0 != stream1) == words[1].startswith("two-streams"), r
    checked += 1
assert checked > 40, checked
PY
    done
}

@test "products are checked, and those the simulator does not compute never pass" {
    [ "$(verdict h200 a-products-right)" = pass ]
    [ "$(verdict h200 a-products-right-from-8192)" = cannot-show ]
    run env GPU=h200 "$LAB" --parts a --dims 4096
    [ "$status" -eq 0 ]
    [[ "$output" == *"cannot-show  a-products-right-from-4096"* ]]
    [[ "$output" != *"pass         a-products-right"* ]]
}

@test "32 products: streams do not help where launching takes longest, one launch does" {
    local one streams
    one=$(result h200 e "total one-stream 64") streams=$(result h200 e "total n-streams 64")
    awk -v a="$one" -v b="$streams" 'BEGIN { exit !(b > 0.9 * a) }'
    for method in graph batched; do
        awk -v a="$one" -v b="$(result h200 e "total $method 64")" 'BEGIN { exit !(b < a / 4) }'
    done
    [ "$(verdict h200 e-one-launch-64)" = pass ]
    [ "$(verdict h200 e-one-launch-1024)" = cannot-show ]
}

@test "predicted totals are near the observed ones" {
    for dim in 64 256 1024; do
        for method in one-stream n-streams graph batched; do
            echo "$method $dim"
            awk -v p="$(result h200 e "predicted-total $method $dim")" \
                -v t="$(result h200 e "total $method $dim")" 'BEGIN { exit !(p > 0.4 * t && p < 1.2 * t) }'
        done
    done
}

@test "a dim too large for the device shrinks, and that is said" {
    local report="$BATS_FILE_TMPDIR/gtx-650-ti-boost/report.txt"
    grep -q '^dim 8192 needs 3.00 GiB of device memory.*: at most dim 4096.' "$report"
    grep -q '^dim 4096 takes this device.s FP64 units at least .* s a product: at most dim 2048.' "$report"
    result gtx-650-ti-boost a "kernel 2048"
}

@test "without a tracer classes cannot be shown, controls and products still are" {
    run env GPU=h200 "$LAB" --no-trace
    [ "$status" -eq 0 ]
    [[ "$output" == *"cannot-show  a-class-two-streams"* ]]
    [[ "$output" == *"cannot-show  b-gate-removes-launch-time"* ]]
    [[ "$output" == *"pass         a-one-stream-never-overlaps"* ]]
    [[ "$output" == *"pass         b-products-right"* ]]
    [[ "$output" != *" fail "* ]]
}

@test "more than two products, other seeds and other dims: the same verdicts" {
    for arguments in "--count 5" "--seed 12345" "--dims 32,8192 --product-dims 64 --products 7"; do
        run env GPU=h200 "$LAB" $arguments
        echo "$arguments: $status"
        [ "$status" -eq 0 ]
        [[ "$output" == *" 0 failed"* ]]
    done
}

@test "dims from 40 to 1500, on each GPU: the predicted class at every one" {
    for gpu in h200 k40 gtx-650-ti-boost; do
        run env GPU=$gpu "$LAB" --parts c --sweep "$(seq -s, 40 24 1528)"
        [ "$status" -eq 0 ]
        [[ "$output" == *"pass         c-class-two-streams: 6"* ]]
    done
}

@test "part b alone says why it cannot tell what the gate removed" {
    run env GPU=h200 "$LAB" --parts b --dims 64
    [ "$status" -eq 0 ]
    [[ "$output" == *"cannot-show  b-gate-removes-launch-time"* ]]
    [[ "$output" == *"part a has not run"* ]]
}

@test "bad options: one line, status 2" {
    refused "'0' is zero" --dims 0
    refused "not a number" --dims abc
    refused "64 is there twice" --dims 64,64
    refused "64 is there twice" --sweep 64,128,64
    refused "64 is there twice" --product-dims 64,64
    refused "too large" --dims 32769
    refused "too small" --count 1
    refused "too large" --count 33
    refused "too large" --products 257
    refused "no part 'z'" --parts z
}

@test "a cuBLAS call that fails ends the run with its name" {
    run --separate-stderr env GPU=h200 SIM_FAIL=cublasCreate_v2:1:cudaErrorMemoryAllocation "$LAB" --parts a
    echo "$status: $stderr"
    [ "$status" -ne 0 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ "$stderr" == *cublasCreate* ]]
}
