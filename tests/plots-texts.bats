#!/usr/bin/env bats
# Charts: what is written in them: names as they are, titles in words, and no text that is cut or lies
# on another.

bats_require_minimum_version 1.5.0
load plots.bash

@test "names are printed as they are: commas, underscores, quotes" {
    timeline a "$out.svg"
    grep -qF "my_kernel_with_underscores" "$out.svg"
    grep -qF "gemm " "$out.svg"
    grep -qF "say 'hi'" "$out.svg"
    plots/trace-convert "$run" tests/data/traces/nsys-gpu.csv
    run plots/plot-data timeline "" trace "$run"
    [[ "$output" == *"sleep_kernel"* ]]
}

@test "names that a picture cannot have: other bytes and control characters become ?" {
    printf 'a,kernel,x\377\033[31m\300\257\355\240\200y,0,7,900000,990000,0,0,,,1,1,1,1,1,1\n' >>"$run/timeline.csv"
    sed -i $'s/^title,.*/title,\001\376/' "$run/run.csv"
    timeline a "$out.svg"
    xmllint --noout "$out.svg"
    run --separate-stderr gnuplot -c plots/timeline.gp "$run" a "$out.png"
    [ -z "$stderr" ]
    plots/plot-data timeline-text "" a "$run" >"$out.txt"
    run ! grep -q $'\033\|\376\|\377' "$out.txt"
    printf 'a,kernel,ядро κ核🚀é,0,8,0,900000,0,0,,,1,1,1,1,1,1\n' >>"$run/timeline.csv"
    timeline a "$out.svg"
    grep -q "ядро κ核🚀é" "$out.svg"
}

@test "the title says a part in words; a name that nobody knows stays" {
    recorded=labs/1-async-check/recorded/h200
    gnuplot -c plots/timeline.gp $recorded e-blocking-null "$out.svg"
    grep -qF "part e, blocking streams, NULL stream work between<" "$out.svg"
    recorded=labs/3-dgemm-streams/recorded/h200
    gnuplot -c plots/timeline.gp $recorded b-two-streams-gated-64-round-2 "$out.svg"
    grep -qF "part b, two streams, behind a gate, dim 64, round 2<" "$out.svg"
    sed -i 's/^a,/a-my-own_thing,/' "$run/timeline.csv"
    timeline a-my-own_thing "$out.svg"
    grep -qF "part a-my-own_thing<" "$out.svg"
}

@test "every part of the recorded runs has a title in words" {
    for recorded in labs/*/recorded/*; do
        for part in $(sed 1d "$recorded/timeline.csv" | cut -d, -f1 | sort -u | grep -e - | grep -v -e -round-); do
            plots/plot-data timeline "" "$part" "$recorded" | grep -qF "part ${part:0:1}, " || { echo "$recorded: $part"; return 1; }
        done
    done
}

@test "no number of an axis of time stands out over its right end; its tick stays" {
    for recorded in labs/[1256]-*/recorded/*; do
        for part in $(sed 1d "$recorded/timeline.csv" | cut -d, -f1 | sort -u); do
            plots/plot-data timeline "" "$part" "$recorded"
        done
    done >"$BATS_TEST_TMPDIR/axes"
    python3 - "$BATS_TEST_TMPDIR/axes" <<'END'
import re, sys
text, left_off, labels = open(sys.argv[1], encoding="utf-8").read(), 0, 0
for width, axis in re.findall(r"P_width\[\d\] = ([\d.]+).*?P_axis\[\d\] = [\"'](.*?)\); set xlabel", text, re.S):
    for label, at in re.findall(r"'+([\d. ]+?)'+ ([\d.]+)", axis):
        labels += label != " "
        left_off += label == " "
        assert label == " " or float(at) + len(label) * 8.5 / 2 <= float(width) + 9, (label, at, width)
        assert float(at) <= float(width) + 0.01
assert labels > 200 and left_off > 0, (labels, left_off)
END
}

@test "overlap: of all lines none lies on another, not those in one stream nor those of two runs" {
    run=labs/3-dgemm-streams/recorded/h200
    gnuplot -c plots/lab-3-overlap.gp "$run" "$out.svg" "$run"
    python3 - "$out.svg" <<'END'
import re, sys
svg = open(sys.argv[1], encoding="utf-8").read()
lines = [[tuple(map(float, point.split(","))) for point in re.split(r"\s+L", line.strip())]
         for path in re.findall(r" d='M(\d[^'z]*)'", svg) for line in re.split(r"\s+M", path)]
lines = [line for line in lines if len(line) >= 4 and line == sorted(line)]
assert len(lines) == 10, lines
starts = sorted(line[0][1] for line in lines)
assert min(b - a for a, b in zip(starts, starts[1:])) >= 2, starts
END
}

# texts ARG...: plots/draw ARG..., and no text of its charts is cut or lies on another.
texts() {
    rm -rf "$BATS_TEST_TMPDIR/drawn"
    plots/draw --out "$BATS_TEST_TMPDIR/drawn" "$@" 2>/dev/null
    tests/svg-texts "$BATS_TEST_TMPDIR"/drawn/*.svg
}

@test "no text is cut or lies on another: every chart of the recorded runs, alone and beside another" {
    for recorded in labs/*/recorded/*/; do
        texts "recorded:$recorded" svg
        texts "recorded:$recorded" svg "$recorded"
        PLOT_WIDTH=1200 texts "recorded:$recorded" svg # as the handouts have them
    done
}

@test "no text is cut: long titles, labels and names go on in another line, in every kind of chart" {
    long="a trace that somebody has called for_once_with_a_very_long_name_and_without_any_space_in_it"
    timeline a "$out.svg" "$long, $long"
    gnuplot -c plots/blocks.gp "$run" c "$out-2.svg" "$long, $long"
    sed -i "s/^device,.*/device,\"NVIDIA GPU, of which $long\"/" "$run/run.csv"
    sed -i "s/my_kernel_with_underscores/${long// /_}/" "$run/timeline.csv"
    echo "invalid,CUDA_LAUNCH_BLOCKING is set, and so every launch waits until its kernel has ended" | sed 's/,\(.*\)/,"\1"/' >>"$run/run.csv"
    timeline a "$out-3.svg"
    timeline a "$out-4.svg" "" "$run"
    gnuplot -c plots/lab-3-overlap.gp "$run" "$out-5.svg" "$run" "$run"
    PLOT_WIDTH=800 timeline a "$out-6.svg" # its legend takes two rows
    tests/svg-texts "$out"*.svg
    grep -q "for_once_with" "$out.svg"
}

@test "the check of texts finds a text that is cut, and one that lies on another" {
    timeline a "$out.svg"
    tests/svg-texts "$out.svg"
    at=$(grep -o 'translate([0-9.]*,[0-9.]*)' "$out.svg" | head -n 1)
    sed "0,/$at/s//translate(-20,20)/" "$out.svg" >"$out.2.svg"
    run -1 tests/svg-texts "$out.2.svg"
    [[ "$output" == *"cut: "* ]]
    [ "$(grep -c 'translate(' "$out.svg")" -gt 20 ]
    sed 's/translate([0-9.]*,[0-9.]*)/translate(400,100)/' "$out.svg" >"$out.2.svg"
    run -1 tests/svg-texts "$out.2.svg"
    [[ "$output" == *"on each other: "* ]]
}

@test "a zoom's letter stands above all bars, and its frame crosses no name" {
    run plots/plot-data timeline "" e-blocking-null labs/1-async-check/recorded/h200
    [[ "$output" == *"letter_y[1] = -7.00"*"letter_y[2] = -7.00"* ]]
    # The long call under both frames: x of its name, and of the frames.
    name=$(awk -F '\t' '$1 == 1 && /cudaDeviceSynchronize/ { print int($2) }' <<<"$output")
    frame=$(awk '/^EOD/ { on = 0 } on { print int($2); exit } /^\$frames/ { getline; on = 1 }' <<<"$output")
    [ "$frame" -gt 600 ]
    [ "$name" -gt $((frame + 100)) ]
}

@test "txt: no line is longer than 80 columns, and each row has its line" {
    for recorded in labs/*/recorded/*/; do
        plots/draw --out "$BATS_TEST_TMPDIR/drawn" "recorded:$recorded" txt >>"$out.txt"
    done
    run python3 -c 'import sys; print(max(len(line.rstrip()) for line in open(sys.argv[1])))' "$out.txt"
    [ "$output" -le 80 ]
    [ "$output" -gt 70 ]
    run gnuplot -c plots/lab-2-time-to-return.gp labs/2-pageable-copies/recorded/h200 -
    [ "$(grep -c '^c\. return' <<<"$output")" -eq "$(grep -cE '^c,return (h2d|d2h) [a-z]* busy' labs/2-pageable-copies/recorded/h200/results.csv)" ]
    [[ "$output" == *"RECORDED on NVIDIA H200"*"n 11"* ]]
    run gnuplot -c plots/lab-3-predicted-observed.gp labs/3-dgemm-streams/recorded/h200 -
    [[ "$output" == *"class two-streams 8192"*"tail-only (predicted tail-only)"* ]]
}
