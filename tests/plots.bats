#!/usr/bin/env bats
# Charts: each draws every row it was given and says what it is.

bats_require_minimum_version 1.5.0
load plots.bash

# How many shapes of an SVG have this fill, "230, 159, 0": bars, and one in the legend.
fills() {
    tr -d ' ' <"$1" | grep -o "fill='rgb($(tr -d ' ' <<<"$2"))'" | wc -l
}

# How many points an SVG has drawn.
markers() {
    grep -c "<use xlink:href='#gpPt[0-9]*' transform=" "$1"
}

@test "a timeline draws a bar for each record of each kind" {
    timeline a "$out.svg"
    [ "$(fills "$out.svg" 107,107,107)" -eq $((6 + 1)) ] # calls; 1 in the legend
    [ "$(fills "$out.svg" 220,220,220)" -eq $((1 + 1)) ] # the synchronisation
    [ "$(fills "$out.svg" 154,209,242)" -eq $((1 + 1)) ] # h2d
    [ "$(fills "$out.svg" 230,159,0)" -eq $((3 + 1)) ]   # kernels
    [ "$(fills "$out.svg" 0,102,77)" -eq $((1 + 1)) ]    # d2h
    [ "$(fills "$out.svg" 0,114,178)" -eq $((2 + 1)) ]   # d2d and peer
    [ "$(fills "$out.svg" 240,228,66)" -eq $((1 + 1)) ]  # memset
    [ "$(fills "$out.svg" 184,169,201)" -eq $((1 + 1)) ] # h2h
    run plots/plot-data timeline "" a "$run"
    [[ "$output" == *"rows = 16; drawn = 16; merged = 0"* ]]
}

@test "a timeline has a lane for the host, each stream and each copy engine of each GPU" {
    timeline a "$out.svg"
    for lane in "host thread" "GPU 0 copy H→D" "GPU 0 stream 13" "GPU 0 stream 14" \
        "GPU 0 copy D→H" "GPU 0 copy D→D" "GPU 0 copy H→H" "GPU 1 stream 16" \
        "GPU 1 peer copy"; do
        grep -qF "$lane" "$out.svg" || { echo "no lane $lane"; return 1; }
    done
}

@test "bars too short to see are widened, marked, merged, counted, and zoomed into" {
    run plots/plot-data timeline "" b "$run"
    [[ "$output" == *"rows = 43; drawn = 3; merged = 40"* ]]
    [[ "$output" == *"40 of 43 records are shorter than 1 px and closer than that: merged into 1 bar."* ]]
    [[ "$output" == *"zoom A: 40 host calls in 119 µs"* ]]
    [[ "$output" == *"zoom B: short_kernel takes 2.00 µs"* ]]
    timeline b "$out.svg"
    grep -qF "under 3 px, drawn wider" "$out.svg"
    [ "$(fills "$out.svg" 107,107,107)" -eq $((1 + 40 + 1)) ] # merged; apart in the zoom; legend
}

@test "the title has makespan and overlap; a call that the device held up is shown as such" {
    run plots/plot-data timeline "" b "$run"
    [[ "$output" == *"makespan 10.0 ms"*"overlap 0 %"* ]]
    run plots/plot-data timeline "" held "$run"
    [[ "$output" == *"makespan 1.40 ms"*"held by the device 1.39 ms"* ]]
    timeline held "$out.svg"
    [ "$(fills "$out.svg" 217,140,179)" -ge 2 ]
}

@test "blocks: a bar for each, coloured by kernel" {
    gnuplot -c plots/blocks.gp "$run" c "$out.svg"
    [ "$(fills "$out.svg" 230,159,0)" -eq $((8 + 1)) ]
    [ "$(fills "$out.svg" 0,114,178)" -eq $((4 + 1)) ]
    run plots/plot-data blocks "" c "$run"
    [[ "$output" == *"12 blocks on 4 SMs, 1 on an SM at once"* ]]
    [[ "$output" == *"rows = 12; drawn = 12; merged = 0"* ]]
}

@test "charts of results draw every row: overlap, totals, predicted and observed" {
    gnuplot -c plots/lab-3-overlap.gp "$run" "$out.svg"
    # A marker for each of 6 overlaps, 2 of them rings with white inside, and one in the key for each of
    # the 4 classes and for the boundary.
    [ "$(markers "$out.svg")" -eq $((6 + 2 + 5)) ]
    sed -i 's/^\(a,predicted-classes two-streams 256,bits\),1,2,/\1,1,3,/' "$run/results.csv"
    gnuplot -c plots/lab-3-overlap.gp "$run" "$out.near.svg" # this size lies near a boundary: framed
    [ "$(markers "$out.near.svg")" -eq $((6 + 2 + 5 + 1)) ]
    gnuplot -c plots/lab-3-total-time.gp "$run" "$out.2.svg"
    [ "$(grep -cE '>[0-9.]+ [µm]s<' "$out.2.svg")" -ge 8 ]
    gnuplot -c plots/lab-3-predicted-observed.gp "$run" "$out.3.svg"
    # 6 rings and 6 dots; thin rings 6; 8 totals.
    [ "$(markers "$out.3.svg")" -ge $((6 + 6 + 8)) ]
}

# rows PART PATTERN: rows of results.csv of that part whose name fits the pattern.
rows() {
    python3 - "$run/results.csv" "$1" "$2" <<'PYTHON'
import csv, re, sys
rows = csv.DictReader(open(sys.argv[1], newline=""))
print(sum(bool(re.fullmatch(sys.argv[2], row["part"]) and re.fullmatch(sys.argv[3], row["name"])) for row in rows))
PYTHON
}

@test "charts of the simulated labs draw every row" {
    for n in 1 2 4 5 6; do
        [ -x "$BUILD/sim/lab-$n" ] || skip "lab-$n is not built: make sim"
    done
    lab() {
        rm -rf "$run"
        "$BUILD/sim/lab-$1" --out "$run" "${@:2}" >/dev/null || [ $? -eq 1 ]
    }
    chart() { gnuplot -c "plots/lab-$1.gp" "$run" "$out.svg"; }
    lab 1 --parts d
    chart 1-launch-depth
    wanted=$(rows d 'launch return \d+')
    [ "$wanted" -gt 100 ]
    [ "$(markers "$out.svg")" -eq "$wanted" ]
    lab 2 --parts ac
    chart 2-time-to-return
    wanted=$(rows c 'return (h2d|d2h) .* busy \d+')
    [ "$wanted" -gt 50 ]
    [ "$(markers "$out.svg")" -eq $((wanted + 6)) ]
    chart 2-both-clocks
    wanted=$(rows a '(h2d|d2h) call (wall|cpu) .*')
    [ "$wanted" -eq 28 ]
    [ "$(grep -A 1 'rotate(270' "$out.svg" | grep -cE '>[0-9.]+ ([nµm]s|s)<')" -eq "$wanted" ]
    grep -q '>not measured<' "$out.svg" # untouched memory while the driver sleeps
    lab 4 --parts d
    chart 4-cuts
    wanted=$(rows d 'makespan .*')
    [ "$wanted" -gt 3 ]
    [ "$(fills "$out.svg" 0,114,178)" -eq "$wanted" ]
    lab 5
    chart 5-first-call
    wanted=$(($(rows '.*' 'first .*') + $(rows '.*' 'second .*')))
    [ "$wanted" -gt 20 ]
    [ "$(markers "$out.svg")" -eq "$wanted" ]
    lab 6
    chart 6-peer-copies
    wanted=$(($(rows '.*' 'return .*') + $(rows '.*' 'rate .*') + $(rows '.*' 'overlap (from|to)-kernel .*')))
    [ "$wanted" -gt 20 ]
    [ "$(markers "$out.svg")" -ge "$wanted" ]
}

@test "each chart says what it is: measured, RECORDED, SIMULATED, INVALID" {
    timeline a "$out.svg"
    grep -qF "measured on NVIDIA Test GPU, 2026-01-02" "$out.svg"
    gnuplot -c plots/timeline.gp "recorded:$run" a "$out.svg"
    grep -qF "RECORDED on NVIDIA Test GPU, 2026-01-02" "$out.svg"
    mkdir "$BATS_TEST_TMPDIR/recorded" && cp -r "$run" "$BATS_TEST_TMPDIR/recorded/test-gpu"
    gnuplot -c plots/lab-3-overlap.gp "$BATS_TEST_TMPDIR/recorded/test-gpu" "$out.svg"
    grep -qF "RECORDED on NVIDIA Test GPU, 2026-01-02" "$out.svg"
    sed -i 's/device_kind,gpu/device_kind,sim/' "$run/run.csv"
    for script in lab-3-overlap lab-3-total-time lab-3-predicted-observed; do
        gnuplot -c plots/$script.gp "$run" "$out.svg"
        grep -qF "SIMULATED NVIDIA Test GPU" "$out.svg"
    done
    gnuplot -c plots/blocks.gp "$run" c "$out.svg"
    grep -qF "SIMULATED NVIDIA Test GPU" "$out.svg"
    timeline a - | grep -qF "SIMULATED NVIDIA Test GPU"
    echo "invalid,CUDA_LAUNCH_BLOCKING is set" >>"$run/run.csv"
    timeline a "$out.svg"
    grep -qF "INVALID: CUDA_LAUNCH_BLOCKING is set" "$out.svg"
    sed -i '/device_kind/d' "$run/run.csv"
    rm "$out.svg"
    refused "no key 'device_kind'" plots/timeline.gp "$run" a "$out.png"
}

@test "two runs in one chart, each with its label" {
    gnuplot -c plots/timeline.gp "$run" a "$out.svg" "" "recorded:$run"
    grep -qF "measured on NVIDIA Test GPU" "$out.svg"
    grep -qF "RECORDED on NVIDIA Test GPU" "$out.svg"
    [ "$(fills "$out.svg" 230,159,0)" -eq $((6 + 1)) ]
    gnuplot -c plots/lab-3-overlap.gp "$run" "$out.svg" "recorded:$run"
    [ "$(markers "$out.svg")" -eq $((12 + 4 + 5)) ] # none in the head: the key has the runs' lines
    grep -qF "run 2: RECORDED on NVIDIA Test GPU" "$out.svg"
    grep -qF ">run 2<" "$out.svg"
}

@test "a run beside another keeps its own figures: the naive benchmark's ratio, the peer copies' rates" {
    gnuplot -c plots/lab-5-naive-benchmark.gp recorded:labs/5-first-call/recorded/h200 "$out.svg"
    one=$(grep -o "the naive total is [0-9]* times" "$out.svg" | sort -u)
    [ "$(wc -l <<<"$one")" -eq 1 ]
    cp -r labs/5-first-call/recorded/h200 "$BATS_TEST_TMPDIR/half"
    python3 - "$BATS_TEST_TMPDIR/half/results.csv" <<'PYTHON'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
for row in rows[1:]:
    if row[1].startswith("naive total"):
        row[4:7] = [str(float(v) / 2) for v in row[4:7]]
csv.writer(open(sys.argv[1], "w", newline=""), lineterminator="\n").writerows(rows)
PYTHON
    gnuplot -c plots/lab-5-naive-benchmark.gp recorded:labs/5-first-call/recorded/h200 "$out.svg" "$BATS_TEST_TMPDIR/half"
    [ "$(grep -o "the naive total is [0-9]* times" "$out.svg" | sort -u | wc -l)" -eq 2 ]
    grep -qF "$one" "$out.svg"
    # Rates of about 2000 GB/s alone: still more than one tick.
    gnuplot -c plots/lab-6-peer-copies.gp recorded:labs/6-peer-copies/recorded/h200 "$out.svg"
    grep -q '>.*1000<' "$out.svg"
    grep -q '>.*10 000<' "$out.svg"
}

@test "lab 3 draws what its sheet asks for, and says in one line how to get the rest" {
    recorded=labs/3-dgemm-streams/recorded/h200
    run plots/draw --out "$BATS_TEST_TMPDIR/few" "recorded:$recorded" svg
    [[ "$output" == "charts: 18 in "*"341 more: make plots PART=all, or PART=<name> for one" ]]
    for mode in a-default-stream a-one-stream a-two-streams b-one-stream-gated b-two-streams-gated; do
        for dim in 64 256 8192; do
            [ -s "$BATS_TEST_TMPDIR/few/timeline-$mode-$dim.svg" ]
        done
    done
    PART=e-graph-64 plots/draw --out "$BATS_TEST_TMPDIR/one" "recorded:$recorded" svg
    [ "$(ls "$BATS_TEST_TMPDIR/one")" = timeline-e-graph-64.svg ]
    # A run of a part that would be left out whole is drawn whole.
    cp -r "$recorded" "$BATS_TEST_TMPDIR/d"
    sed -i -e 1b -e '/^d/!d' "$BATS_TEST_TMPDIR/d/timeline.csv" "$BATS_TEST_TMPDIR/d/results.csv"
    plots/draw "$BATS_TEST_TMPDIR/d" svg
    [ -s "$BATS_TEST_TMPDIR/d/timeline-d-two-streams-8192.svg" ]
}
