#!/usr/bin/env bats
# Charts: what is too narrow for its name is named below, an exchange between GPUs is looked at
# closely, and several runs in one chart are told apart.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    command -v gnuplot >/dev/null || skip "no gnuplot here: make setup"
    run=$BATS_TEST_TMPDIR/run
    mkdir "$run"
    cp tests/data/run/run.csv "$run"
    head -n 1 tests/data/run/timeline.csv >"$run/timeline.csv"
    unset PLOT_WIDTH
}

record() { # kind, name, device, stream, start_us, end_us
    echo "a,$1,\"$2\",$3,$4,${5}000,${6}000,0,0,,,0,0,0,0,0,0" >>"$run/timeline.csv"
}

# A line of what gnuplot is told, without its quotes.
told() {
    plots/plot-data timeline "" a "$run" | sed -n "s/^$1 = '\(.*\)'.*/\1/p"
}

@test "names that no bar has room for are below the picture, once each, and no others" {
    for ((i = 0; i < 60; i++)); do
        record api cudaLaunchKernel 0 -1 $((10 * i)) $((10 * i + 9))
        record kernel "void tiny<float, 4>(int)" 0 1 $((10 * i + 4)) $((10 * i + 9))
    done
    record api cudaDeviceSynchronize 0 -1 600 900
    [ "$(told note)" = "Too narrow for their names: cudaLaunchKernel, tiny.  " ]
    gnuplot -c plots/timeline.gp "$run" a "$run/a.svg"
    grep -q "Too narrow for their names: cudaLaunchKernel, tiny" "$run/a.svg"
    sed -i '/cudaLaunchKernel\|tiny/d' "$run/timeline.csv"
    [ -z "$(told note)" ]
}

@test "of many names without room some are listed, and the rest counted; in as many lines as it takes" {
    for ((i = 0; i < 60; i++)); do
        record api "a_call_with_quite_a_long_name_of_number_$((i % 20))" 0 -1 $((10 * i)) $((10 * i + 9))
    done
    plots/plot-data timeline "" a "$run" >"$run/told"
    note=$(sed -n "/^note = /p" "$run/told")
    [[ $note == *"and 12 more."* ]]
    lines=$(grep -o '\\n' <<<"$note" | wc -l)
    [ "$lines" -ge 1 ]
    [[ $note == *"; note_px = $((14 * lines))" ]]
}

@test "several short copies are looked at before kernels that meet; one short copy is not" {
    for gpu in 0 1; do
        record kernel work $gpu 1 0 10000
        record kernel work $gpu 1 10002 12500
    done
    record h2d h2d 0 1 12600 12620
    plots/plot-data timeline "" a "$run" | grep -q "zoom A: work begins 2.00 µs after the last ended"
    record d2h d2h 1 1 12620 12640
    record h2d h2d 1 1 12640 12660
    record d2h d2h 0 1 12660 12680
    plots/plot-data timeline "" a "$run" | grep -q "zoom A: 4 short operations of 20.0 µs each"
}

@test "runs of the same GPU are told apart by the folder that is not the same" {
    labels() { plots/plot-data about "$@" | sed -n "s/^run_label.*(\(.*\))'/\1/p" | paste -sd' '; }
    six=labs/6-peer-copies/recorded
    [ "$(labels recorded:$six/h200 recorded:$six/h200-x2)" = "h200 h200-x2" ]
    [ "$(labels $six/h200// $six/h200-x2/)" = "h200 h200-x2" ]
    mkdir -p "$BATS_TEST_TMPDIR"/{ann,bob}/lab-9
    for who in ann bob; do cp "$run/run.csv" "$BATS_TEST_TMPDIR/$who/lab-9"; done
    [ "$(labels "$BATS_TEST_TMPDIR"/{ann,bob}/lab-9)" = "ann bob" ]
    [ -z "$(labels "$run" "$run")" ]
}

@test "peer copies: the marks of three runs stand apart, and their rates have headings" {
    six=labs/6-peer-copies/recorded
    gnuplot -c plots/lab-6-peer-copies.gp recorded:$six/h200-x2 "$run/a.svg" recorded:$six/h200 recorded:$six/h200-x2
    for n in 1 2 3; do [ "$(grep -c ">run $n<" "$run/a.svg")" -eq 1 ]; done
    # Of the 20 rows' 60 heights no two are nearer than a mark is high.
    sed -n "s/.*<use xlink:href='#gpPt[0-9]*' transform='translate([0-9.]*,\([0-9.]*\)).*/\1/p" "$run/a.svg" |
        sort -nu | awk '$1 > 100 { if (n++ && $1 - last > 0.1 && $1 - last < 10) bad = 1; last = $1 } END { exit bad || n < 44 }'
}

@test "a chart of one point is drawn without a word" {
    mkdir "$run/1" "$run/2" "$run/3"
    for lab in labs/{1,2,3}-*/recorded/h200; do
        to=$run/${lab:5:1}
        cp "$lab"/*.csv "$to"
        # Of each kind of result the first: one launch, one size, one dim.
        awk -F, '{ kind = $1 $2; sub(/ [0-9]+$/, "", kind) } !(kind in seen); { seen[kind] }' \
            "$lab/results.csv" >"$to/results.csv"
    done
    for chart in 1/launch-depth 2/time-to-return 3/overlap 3/predicted-observed; do
        run gnuplot -c "plots/lab-${chart/\//-}.gp" "$run/${chart%/*}" "$run/a.svg"
        echo "$chart: $output"
        [ "$status" -eq 0 ]
        [ -z "$output" ]
    done
}

@test "make plot without a trace says what writes one" {
    run -2 make -s plot
    [[ $output == *"nsys stats --report cuda_gpu_trace --format csv"* ]]
    [[ $output == *"nvprof --print-gpu-trace --csv"* ]]
}

@test "make plots PART= draws that part of the runs that have it, and says if none has" {
    for lab in 1 3; do
        mkdir -p "$run/out/lab-$lab"
        cp labs/$lab-*/recorded/h200/*.csv "$run/out/lab-$lab"
    done
    make -s OUT="$run/out" plots PART=e-graph-64 FORMAT=svg
    [ "$(cd "$run/out" && ls -- */*.svg)" = lab-3/timeline-e-graph-64.svg ]
    make -s OUT="$run/out" plots PART=b FORMAT=svg
    [ -s "$run/out/lab-1/timeline-b.svg" ]
    run -2 make -s OUT="$run/out" plots PART=no-such FORMAT=svg
    [[ $output == "plots: no run has a part no-such"* ]]
    run -2 make -s OUT="$run/none" plots FORMAT=svg
    [[ $output == "plots: no run is in $run/none; "* ]]
}
