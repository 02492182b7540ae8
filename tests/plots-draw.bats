#!/usr/bin/env bats
# Charts: in every format and locale; bad input gives one line, a status that is not 0, and no picture.

bats_require_minimum_version 1.5.0
load plots.bash

bad_timeline() { # TEXT: the timeline as it is now is refused
    refused "$1" plots/timeline.gp "$run" a "$out.png"
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

@test "no locale, as in a bare container: nothing but the charts is spoken of" {
    run --separate-stderr env -u LANG -u LC_ALL -u LC_CTYPE plots/draw "$run" png
    [ "$status" -eq 0 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "charts: "* ]]
}
