#!/usr/bin/env bats
# Charts: each draws every row it was given, in every format; bad input gives one line, a status
# that is not 0, and no picture. tests/data/run has a part for each case (times and names made up).

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    command -v gnuplot >/dev/null || skip "no gnuplot here: make setup"
    run=$BATS_TEST_TMPDIR/run
    cp -r tests/data/run "$run"
    out=$BATS_TEST_TMPDIR/picture
    unset PLOT_FONT PLOT_TERMINAL PLOT_SKIP PART
}

timeline() { # part, picture, more
    gnuplot -c plots/timeline.gp "$run" "$@"
}

# How many shapes of an SVG have this fill, "230, 159, 0": bars, and one in the legend.
fills() {
    tr -d ' ' <"$1" | grep -o "fill='rgb($(tr -d ' ' <<<"$2"))'" | wc -l
}

# How many points an SVG has drawn.
markers() {
    grep -c "<use xlink:href='#gpPt[0-9]*' transform=" "$1"
}

# refused TEXT SCRIPT ARG...: one line with TEXT on stderr, nothing else said, status not 0, no file.
refused() {
    local text=$1
    shift
    run --separate-stderr gnuplot -c "$@"
    echo "status $status: $output $stderr"
    [ "$status" -ne 0 ]
    [ "$(grep -c . <<<"$stderr")" -eq 1 ]
    [[ "$stderr" == *"$text"* ]]
    [ -z "$output" ]
    [ "$(find "$BATS_TEST_TMPDIR" -name '*picture*' | wc -l)" -eq 0 ]
}

bad_timeline() { # TEXT: the timeline as it is now is refused
    refused "$1" plots/timeline.gp "$run" a "$out.png"
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
    # A marker for each of 6 overlaps, and one in the key for each of the 4 classes and for the boundary.
    [ "$(markers "$out.svg")" -eq $((6 + 5)) ]
    sed -i 's/^\(a,predicted-classes two-streams 256,bits\),1,2,/\1,1,3,/' "$run/results.csv"
    gnuplot -c plots/lab-3-overlap.gp "$run" "$out.near.svg" # this size lies near a boundary: framed
    [ "$(markers "$out.near.svg")" -eq $((6 + 5 + 1)) ]
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

@test "every script in every format" {
    for format in png svg pdf txt; do
        timeline b "$out.$format"
        gnuplot -c plots/blocks.gp "$run" c "$out-blocks.$format"
        for script in plots/lab-3-*.gp; do
            gnuplot -c "$script" "$run" "$out-$(basename "$script").$format"
        done
    done
    [ "$(find "$BATS_TEST_TMPDIR" -name 'picture*' -size +400c | wc -l)" -eq 20 ]
    file -b "$out.png" "$out.svg" "$out.pdf" "$out.txt" >"$BATS_TEST_TMPDIR/kinds" 2>/dev/null || true
    head -c 8 "$out.png" | grep -q PNG
    head -c 5 "$out.pdf" | grep -q '%PDF-'
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$out.svg"
    grep -qF "long_kernel" "$out.txt"
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
    [ "$(markers "$out.svg")" -eq $((12 + 5)) ] # none in the head: the key has the runs' lines
    grep -qF "run 2: RECORDED on NVIDIA Test GPU" "$out.svg"
    grep -qF ">run 2<" "$out.svg"
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

@test "refused: files that are missing, empty, headings only, binary" {
    mv "$run/timeline.csv" "$run/kept.csv"
    bad_timeline "timeline.csv: No such file or directory"
    : >"$run/timeline.csv"
    bad_timeline "timeline.csv: empty file"
    head -n 1 "$run/kept.csv" >"$run/timeline.csv"
    bad_timeline "timeline.csv: a header and no rows"
    printf 'a\0b' >"$run/timeline.csv"
    bad_timeline "timeline.csv: not a text file"
    mkdir "$run/folder" && rm "$run/timeline.csv" && mv "$run/folder" "$run/timeline.csv"
    bad_timeline "timeline.csv: not a file"
}

@test "refused: wrong columns, short rows, open quotes, numbers with a decimal comma, no such part" {
    cp "$run/timeline.csv" "$run/kept.csv"
    sed -i '1s/start_ns/begin/' "$run/timeline.csv"
    bad_timeline "no column 'start_ns' (it has: part kind"
    tr ',' ';' <"$run/kept.csv" >"$run/timeline.csv"
    bad_timeline "separated by ';'"
    sed '3s/,[^,]*$//' "$run/kept.csv" >"$run/timeline.csv"
    bad_timeline "timeline.csv:3: 16 fields, but the header has 17"
    sed '3s/,[0-9]*,\([0-9]*\),\([0-9]*,[0-9]*,,\)/,"5,1",\1,\2/' "$run/kept.csv" >"$run/timeline.csv"
    bad_timeline "is '5,1', not a whole number"
    sed '3s/^a,api/a,"api/' "$run/kept.csv" >"$run/timeline.csv"
    bad_timeline "timeline.csv"
    sed '3s/,api,/,apple,/' "$run/kept.csv" >"$run/timeline.csv"
    bad_timeline "kind is 'apple'"
    sed '3s/\(-1,\)\([0-9]*\),\([0-9]*\)/\1\3,\2/' "$run/kept.csv" >"$run/timeline.csv"
    bad_timeline "ends before it starts"
    sed 's/^a,api,[^,]*,0,-1,[0-9]*,[0-9]*/a,api,x,0,-1,0,9223372036854775807/' "$run/kept.csv" >"$run/timeline.csv"
    bad_timeline "'x' starts or ends a lifetime away"
    cp "$run/kept.csv" "$run/timeline.csv"
    refused "no part 'z'" plots/timeline.gp "$run" z "$out.png"
    refused "no records of blocks" plots/blocks.gp "$run" a "$out.png"
    sed -i '2s/,3,[^,]*,/,3,"0,5",/' "$run/results.csv"
    refused "not a number (a comma-decimal locale? numbers use '.')" plots/lab-3-overlap.gp "$run" "$out.png"
    sed -i $'2s/"0,5",/"0\\n\033[31m5",/' "$run/results.csv"
    refused "is '0??[31m5', not a number" plots/lab-3-overlap.gp "$run" "$out.png"
}

@test "refused: a format, a folder, a font or a terminal that is not there; a full disk" {
    refused "a picture's name ends with .png, .svg, .pdf or .txt" plots/timeline.gp "$run" a "$out.bmp"
    refused "cannot write" plots/timeline.gp "$run" a "$BATS_TEST_TMPDIR/none/p.png"
    mkdir "$BATS_TEST_TMPDIR/d.png"
    refused "it is a folder" plots/timeline.gp "$run" a "$BATS_TEST_TMPDIR/d.png"
    PLOT_FONT="No Such Font" refused "font 'No Such Font' is missing" plots/timeline.gp "$run" a "$out.png"
    PLOT_TERMINAL=none refused "has no terminal none" plots/timeline.gp "$run" a "$out.png"
    mkdir "$BATS_TEST_TMPDIR/full"
    mount -t tmpfs -o size=8k none "$BATS_TEST_TMPDIR/full" 2>/dev/null || skip "the rest: cannot mount here"
    run gnuplot -c plots/timeline.gp "$run" a "$BATS_TEST_TMPDIR/full/p.png"
    left=$(ls -A "$BATS_TEST_TMPDIR/full")
    umount "$BATS_TEST_TMPDIR/full"
    [ "$status" -ne 0 ]
    [ -z "$left" ]
}

@test "refused: said once, however many charts it keeps from being drawn" {
    PLOT_FONT="No Such Font" run -1 plots/draw "$run" png
    [ "$output" = "plots: font 'No Such Font' is missing: install fonts-dejavu-core (make setup), or name another in PLOT_FONT" ]
    run -1 plots/draw "$run" svg "$BATS_TEST_TMPDIR/none"
    [ "${#lines[@]}" -eq 1 ]
    [ -z "$(find "$run" -name '*.svg' -o -name '*.part')" ]
    refused "cannot write" plots/lab-3-overlap.gp "$run" /proc/picture.png
}

@test "refused: a run without run.csv, a file for a folder, output that is closed or full, no folder to build in" {
    run -3 plots/draw --out "$run/run.csv" "$run"
    [ "$output" = "plots: cannot write to $run/run.csv" ]
    run -0 bash -c 'plots/draw "$1" svg 2>&1 >&-' - "$run"
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "charts: "* ]]
    run -3 bash -c 'plots/draw "$1" txt 2>&1 >&-' - "$run"
    [ "$output" = "plots: standard output is closed: nowhere to draw" ]
    run -1 bash -c 'plots/draw "$1" txt 2>&1 >/dev/full' - "$run"
    [ "$output" = "plots: cannot write to standard output (disk full?)" ]
    run -0 bash -c 'plots/draw "$1" txt 2>&1 | head -n 1' - "$run" # who closes a pipe knows
    [ "${#lines[@]}" -eq 1 ]
    PLOT_BUILD=/proc/b XDG_CACHE_HOME=/proc/c run -3 plots/draw "$run"
    [[ $output == "plots: cannot write to "*" nor to /proc/c/gpu-asynchrony-labs; name a folder with B= (make) or PLOT_BUILD=" ]]
    rm "$run/run.csv"
    run -1 plots/draw "$run" svg
    [ "$output" = "plots: $run/run.csv: No such file or directory; run the lab first (make lab-N)" ]
}

@test "results that a run has not: status 77 and a line; plots/draw leaves that chart out" {
    sed -i '/^e,/d' "$run/results.csv"
    run gnuplot -c plots/lab-3-total-time.gp "$run" "$out.png"
    [ "$status" -eq 77 ]
    [[ "$output" == *"has no results for this chart (part e, total <method> <dim>)"* ]]
    [ ! -e "$out.png" ]
    run plots/draw "$run"
    echo "$output"
    [ "$status" -eq 0 ]
    [ ! -e "$run/total-time.png" ]
    [ -s "$run/overlap.png" ]
    [ -s "$run/timeline-a.png" ]
    [ -s "$run/blocks-c.png" ]
    [ -z "$(find "$run" -name '.*.part')" ]
}

@test "plots/draw: a run of parts that trace nothing has the charts of its results" {
    head -n 1 tests/data/run/timeline.csv >"$run/timeline.csv"
    run -0 plots/draw "$run" svg
    [ -s "$run/overlap.svg" ]
    [ "$output" = "charts: $(ls "$run" | grep -c 'svg$') in $run (*.svg)" ]
    sed -i 1q "$run/results.csv"
    rm "$run"/*.svg
    run -1 plots/draw "$run" svg
    [ -z "$(ls "$run" | grep 'svg$')" ]
    # A queue of which one launch was tried.
    sed -i 's/^lab,.*/lab,lab-1/' "$run/run.csv"
    printf 'd,launch return 1,ns,1,5000,5000,5000,0\nd,queue depth,count,1,1,1,1,0\n' >>"$run/results.csv"
    run -0 plots/draw "$run" svg
    [ "$output" = "charts: 1 in $run (*.svg)" ]
    # First uses that are not measured a second time, as in lab 5's part f.
    sed -i 's/^lab,.*/lab,lab-5/' "$run/run.csv"
    sed -i '2,$d' "$run/results.csv"
    printf 'f,first launch lazy,ns,3,13288,13288,13288,0\n' >>"$run/results.csv"
    rm "$run"/*.svg
    run -0 plots/draw "$run" svg
    [ -s "$run/first-call.svg" ]
}

@test "plots/draw: folders that are called OUT, R&D or -run; a part with a slash stays in its folder" {
    sed -i 's/^lab,.*/lab,lab-none/' "$run/run.csv"
    sed -i 's|^a,|../a,|' "$run/timeline.csv"
    cd "$BATS_TEST_TMPDIR"
    for folder in OUT "R&D" -run; do
        cp -r run "./$folder"
        "$BATS_TEST_DIRNAME/../plots/draw" "$folder" svg
        [ -s "./$folder/timeline-.._a.svg" ]
    done
    [ "$(LC_ALL=C ls)" = "$(printf '%s\n' -run OUT 'R&D' run)" ]
}

@test "plots/draw: what gnuplot itself stumbles over is one line, and leaves no file" {
    sed -i 's/^lab,.*/lab,lab-1/' "$run/run.csv"
    printf 'part,name,unit,n,median,min,max,cov\nd,launch return 1,ns,1,nan,nan,nan,0\nd,queue depth,count,1,nan,nan,nan,0\n' \
        >"$run/results.csv"
    run -1 --separate-stderr plots/draw "$run" svg
    echo "$stderr"
    [ "$(grep -c "^plots: cannot draw .*launch-depth.svg" <<<"$stderr")" -eq 1 ]
    [ "$(wc -l <<<"$stderr")" -eq 2 ]
    [ "$(find "$run" -name '.*.part' -o -name '*launch-depth*' | wc -l)" -eq 0 ]
}

@test "plots/draw: a run that names a script of its own is not drawn with it" {
    printf 'system "touch %s/ran"\n' "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/lab-1-mine.gp"
    sed -i "s|^lab,.*|lab,../../../../../../../..$BATS_TEST_TMPDIR/lab-1|" "$run/run.csv"
    run -1 plots/draw "$run" svg
    [[ $output == "plots: $run/run.csv: no lab is called"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "a locale with a decimal comma draws the same picture" {
    comma=$(locale -a 2>/dev/null | grep -m 1 -iE '^(de|fr|da|nl)_.*utf-?8') || true
    if [ -z "$comma" ]; then
        localedef -i de_DE -f UTF-8 "$BATS_TEST_TMPDIR/de_DE.UTF-8" 2>/dev/null || skip "no such locale"
        export LOCPATH=$BATS_TEST_TMPDIR
        comma=de_DE.UTF-8
    fi
    timeline b "$out.svg"
    LC_ALL=$comma timeline b "$out.2.svg"
    cmp "$out.svg" "$out.2.svg"
    gnuplot -c plots/lab-3-overlap.gp "$run" "$out.3.svg"
    LC_ALL=$comma gnuplot -c plots/lab-3-overlap.gp "$run" "$out.4.svg"
    cmp "$out.3.svg" "$out.4.svg"
}

@test "other profilers' traces: Nsight Systems (GPU and API), nvprof" {
    plots/trace-convert "$run" tests/data/traces/nsys-gpu.csv tests/data/traces/nsys-api.csv
    [ "$(grep -c '^trace,' "$run/timeline.csv")" -eq 11 ]
    grep -qF 'trace,kernel,"void gemm<double, (int)16>(T1, ""quoted"")",0,14,731990900,733193234,114,0,,,24,12,1,128,1,1' "$run/timeline.csv"
    grep -qF 'trace,h2d,[CUDA memcpy Host-to-Device],0,13,713025011,731978134,112,67109000,pageable,device,' "$run/timeline.csv"
    grep -qF 'trace,api,cudaMemcpyAsync,0,-1,732004000,746269000,115,' "$run/timeline.csv"
    timeline trace "$out.png"
    plots/trace-convert "$run" tests/data/traces/nvprof-gpu.csv
    grep -qF 'trace,kernel,"sleep_kernel(long, int)",0,13,253480000,273637648,117,0,,,128,1,1,128,1,1' "$run/timeline.csv"
    grep -qF 'trace,h2d,[CUDA memcpy HtoD],0,13,245112000,253446000,0,50000000,pageable,device,' "$run/timeline.csv"
    timeline trace "$out.png"
    run plots/trace-convert "$run" tests/data/run/results.csv
    [ "$status" -eq 1 ]
    [[ "$output" == *"no heading with Start, Duration and Name"* ]]
    sed 's/713025011/713,025/' tests/data/traces/nsys-gpu.csv >"$BATS_TEST_TMPDIR/comma.csv"
    run plots/trace-convert "$run" "$BATS_TEST_TMPDIR/comma.csv"
    [ "$status" -eq 1 ]
    [[ "$output" == *"fields, but its heading has"* ]]
}

@test "other profilers' traces: several GPUs, microseconds, a byte-order mark, CRLF, old units, unified memory" {
    plots/trace-convert "$run" tests/data/traces/nsys-several.csv
    [ "$(grep -c '^trace,' "$run/timeline.csv")" -eq 4 ]
    grep -qF 'trace,kernel,"void gemm<double, (int)16>(T1, ""quoted"")",1,14,731990900,733193234,114,0,,,24,12,1,128,1,1' "$run/timeline.csv"
    grep -qF 'trace,peer,[CUDA memcpy Peer-to-Peer],1,13,732055001,736266003,115,67109000,device,device,' "$run/timeline.csv"
    timeline trace "$out.svg"
    grep -q "GPU 0 stream 13" "$out.svg"
    grep -q "GPU 1 peer copy" "$out.svg"
    sed 's/Start (μs)/"Start(usec)"/; s/Duration (μs)/"Duration(usec)"/' tests/data/traces/nsys-several.csv >"$BATS_TEST_TMPDIR/old.csv"
    cp "$run/timeline.csv" "$BATS_TEST_TMPDIR/new.csv"
    plots/trace-convert "$run" "$BATS_TEST_TMPDIR/old.csv"
    cmp "$run/timeline.csv" "$BATS_TEST_TMPDIR/new.csv"
    run plots/trace-convert "$run" tests/data/traces/nvprof-several.csv tests/data/traces/nvprof-api.csv
    [ "$output" = "8 records; 1 of unified memory that are no copies are left out" ]
    grep -qF 'trace,kernel,"sleep_kernel(long, int)",1,13,253480000,273637648,117,' "$run/timeline.csv"
    grep -qF 'trace,api,"cudaLaunch (sleep_kernel(long, int))",0,-1,253450000,253481000,117,' "$run/timeline.csv"
    grep -qF 'trace,h2d,[Unified Memory Memcpy HtoD],0,0,283640000,283652000,0,65536,' "$run/timeline.csv"
    timeline trace "$out.svg"
    sed 's/μs/hours/g' tests/data/traces/nsys-several.csv >"$BATS_TEST_TMPDIR/hours.csv"
    run -1 plots/trace-convert "$run" "$BATS_TEST_TMPDIR/hours.csv"
    [[ "$output" == *'unit "hours" of a time'* ]]
}

@test "other profilers' traces: a name with =, a folder, UTF-16, a full disk" {
    mkdir "$BATS_TEST_TMPDIR/traces"
    cp tests/data/traces/nsys-gpu.csv "$BATS_TEST_TMPDIR/traces/a=b.csv"
    here=$PWD
    cd "$BATS_TEST_TMPDIR/traces"
    run -0 "$here/plots/trace-convert" "$run" a=b.csv
    [ "$output" = "5 records" ]
    cp "$run/timeline.csv" before.csv
    run -1 "$here/plots/trace-convert" "$run" .
    [ "$output" = "trace-convert: cannot read ." ]
    iconv -f UTF-8 -t UTF-16 a=b.csv >16.csv
    run -1 "$here/plots/trace-convert" "$run" 16.csv
    [[ $output == "trace-convert: ./16.csv:1: text in UTF-16"* ]]
    [ "${#lines[@]}" -eq 1 ]
    cmp "$run/timeline.csv" before.csv
    mkdir full
    mount -t tmpfs -o size=4k none full 2>/dev/null || skip "the rest: cannot mount here"
    head -c 4096 /dev/zero >full/up
    run -3 "$here/plots/trace-convert" full a=b.csv
    left=$(ls -A full)
    umount full
    [[ ${lines[-1]} == "trace-convert: cannot write to full (disk full?)" ]]
    [ "$left" = up ]
}

@test "a million rows: PNG under 10 s and 1 GiB; SVG and PDF under 2 MiB" {
    head -n 1 tests/data/run/timeline.csv >"$run/timeline.csv"
    awk 'BEGIN { srand(1); for (i = 0; i < 500000; i++) { t = i * 4000
        printf "x,api,cudaLaunchKernel,0,-1,%d,%d,%d,0,,,0,0,0,0,0,0\n", t, t + 3000, i + 1
        printf "x,kernel,\"gemm<double, 16>\",0,%d,%d,%d,%d,0,,,24,12,1,128,1,1\n", i % 64, t + 5000,
            t + 5000 + int(rand() * rand() * 400000), i + 1 } }' >>"$run/timeline.csv"
    ulimit -v 1048576
    SECONDS=0
    timeline x "$out.png"
    echo "$SECONDS s"
    [ "$SECONDS" -lt 10 ]
    timeline x "$out.svg"
    timeline x "$out.pdf"
    [ "$(stat -c %s "$out.svg")" -lt 2097152 ]
    [ "$(stat -c %s "$out.pdf")" -lt 2097152 ]
    grep -qE "of 1 000 000 records are shorter than" "$out.svg"
}

@test "timeline.json is valid and has every field of every row of timeline.csv" {
    for n in 1 6; do
        [ -x "$BUILD/sim/lab-$n" ] || skip "lab-$n is not built: make sim"
        rm -rf "$run"
        "$BUILD/sim/lab-$n" --out "$run" --parts abc >/dev/null || [ $? -eq 1 ]
        tests/compare-json "$run/timeline.csv" "$run/timeline.json"
    done
}

@test "no locale, as in a bare container: nothing but the charts is spoken of" {
    run --separate-stderr env -u LANG -u LC_ALL -u LC_CTYPE plots/draw "$run" png
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "charts: "* ]]
}
