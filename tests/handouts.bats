#!/usr/bin/env bats
# The sheets: what they name is there, their numbers and figures are those of the recorded runs,
# their questions those of answers.txt and tests/rubric, guesses asked first; HTML in one file, PDF on
# A4; what students get is whole, works, and gives nothing away.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    export pages=${BUILD:-build}/handouts
    for tool in pandoc weasyprint gnuplot pdfinfo; do
        command -v $tool >/dev/null || { export missing=$tool; return 0; }
    done
    handouts/write --check "$pages" 2>"$BATS_FILE_TMPDIR/log" || true
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    sheets=(handouts/*.md)
    texts=("${sheets[@]}" handouts/students/README.md README.md)
}

needs_pages() {
    [ -z "${missing:-}" ] || skip "no $missing here: make setup"
    cat "$BATS_FILE_TMPDIR/log"
}

# A copy of what the sheets are made from, to spoil.
spoilable() {
    copy=$BATS_TEST_TMPDIR/copy
    mkdir -p "$copy/tests" "$copy/labs"
    cp -r handouts README.md "$copy"
    cp -r tests/grading tests/rubric "$copy/tests"
    for lab in labs/*/; do
        mkdir -p "$copy/$lab"
        cp -r "$lab"/{lab.cu,answers.txt,recorded} "$copy/$lab" 2>/dev/null || true
    done
}

# refused TEXT: --check fails in the copy, and says TEXT.
refused() {
    run "$copy/handouts/write" --check
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"$1"* ]]
}

# Code in the sheets: indented blocks, and spans between `.
code() {
    sed -n 's/^    //p' "$@"
    grep -oh '`[^`]*`' "$@" | tr -d '`'
}

@test "numbers, questions, points, answers and figures are up to date" {
    run handouts/write --check
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a number that is not the run's is found" {
    spoilable
    sed -i -E '0,/[0-9][0-9.]* ms(<!-- lab-1, b, d2h call -->)/s//99.9 ms\1/' "$copy/handouts/lab-1.md"
    refused "lab-1.md:"
}

@test "a new run makes old numbers and figures wrong" {
    spoilable
    sed -i -E 's/^(b,d2h call,ns,[0-9]+,)[^,]*/\177000000/' "$copy"/labs/1-*/recorded/h200/results.csv
    refused "77.0 ms<!-- lab-1, b, d2h call -->"
    [[ "$output" == *"figures/lab-1-timeline-b.png"* ]]
}

@test "values are worked out from left to right" {
    spoilable
    printf '%s\n' '1 ms<!-- lab-1, b, kernel device + d2h device / 2 -->' '1<!-- lab-1, b, d2h call / d2h device -->' >"$copy/handouts/lab-9.md"
    sed -i -E 's/^(b,kernel device,ns,[0-9]+,)[^,]*/\140000000/; s/^(b,d2h device,ns,[0-9]+,)[^,]*/\120000000/; s/^(b,d2h call,ns,[0-9]+,)[^,]*/\150000000/' "$copy"/labs/1-*/recorded/h200/results.csv
    refused "lab-9.md:1: not up to date (make handouts): 30.0 ms<"
    [[ "$output" == *"lab-9.md:2: not up to date (make handouts): 2.5<"* ]]
}

@test "a kept figure is stored anew only if it would look different" {
    command -v gnuplot >/dev/null && /usr/bin/python3 -c 'import PIL' 2>/dev/null || skip "no gnuplot or no PIL here: make setup"
    spoilable
    cp -r plots "$copy"
    keep() (cd "$copy" && PYTHONPATH=handouts /usr/bin/python3 -B -c 'import figures; figures.keep("drawn", "lab-6-peer-copies")')
    kept=figures/lab-6-peer-copies.png
    echo '# another remark' >>"$copy/plots/lab-6-peer-copies.gp"
    keep
    cmp "handouts/$kept" "$copy/handouts/$kept"
    sed -i 's/does a copy run/DOES a copy run/' "$copy/plots/lab-6-peer-copies.gp"
    keep
    run ! cmp "handouts/$kept" "$copy/handouts/$kept"
}

@test "a value that no run has, and a number without one, are found" {
    spoilable
    echo 'It took 3 ms<!-- lab-1, b, no such call -->, and then<!-- lab-1, b, d2h call -->.' >>"$copy/handouts/lab-1.md"
    refused 'no result "no such call" in part b'
    [[ "$output" == *"no value before"* ]]
}

@test "a new question is missed in its sheet" {
    spoilable
    echo 'reading | new_key | 2 | b, d2h call; ms; 10 % | nowhere' >>"$copy/tests/rubric/lab-1.txt"
    echo 'new_key =  # how long? ms' >>"$copy/labs/1-async-check/answers.txt"
    refused "lab-1.md:"
}

@test "every key of answers.txt is asked in the sheet" {
    for answers in labs/*/answers.txt; do
        number=$(basename "$(dirname "$answers")" | cut -d- -f1)
        keys=$(sed -n 's/^\([a-z][a-z0-9_]*\) *=.*/\1/p' "$answers")
        [ "$(wc -w <<<"$keys")" -gt 3 ]
        for key in $keys; do
            grep -q "^- \`$key\`: ..." "handouts/lab-$number.md" || { echo "lab-$number: $key"; return 1; }
        done
    done
}

@test "guesses are asked before any measured value is told" {
    for sheet in handouts/lab-*.md; do
        asked=$(grep -n '^<!-- predictions' "$sheet" | cut -d: -f1)
        told=$(grep -nE '<!-- lab-[0-9][^>]*-->' "$sheet" | head -n 1 | cut -d: -f1)
        [ "$asked" -lt "$told" ]
    done
    # The students' README sends them to the sheet before it names a run.
    asked=$(grep -n 'your guesses first' handouts/students/README.md | head -n 1 | cut -d: -f1)
    ran=$(grep -n 'make .*lab-[0-9]' handouts/students/README.md | head -n 1 | cut -d: -f1)
    [ "$asked" -lt "$ran" ]
}

@test "every column of the recorded reports is in the lab's sheet" {
    for report in labs/*/recorded/*/report.txt; do
        number=$(basename "${report%%/recorded*}" | cut -d- -f1)
        python3 - "$report" "handouts/lab-$number.md" <<'END'
import re, sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
sheet = re.sub(r"<!--.*?-->|[*`\n]", " ", open(sys.argv[2], encoding="utf-8").read()).lower()
plain = {  # what needs no explanation
    "call", "launch", "streams", "between the kernels", "memory", "the manual", "bytes", "dim", "mode",
    "because", "because the first", "wave", "method", "measured", "loading", "thing", "time", "naive benchmark",
    "all three", "second time", "first time", "the two kernels"}
missing = set()
for above, rule in zip(lines, lines[1:]):
    if re.fullmatch(r"-{2,}(  -+)+", rule):
        for column in re.finditer("-+", rule):
            words = re.sub(r" \(.*\)", "", above[column.start():column.end()].strip().lower())
            parts = re.split(r"[:,] ", words)
            missing |= {p for p in parts if p and p not in plain and p not in sheet
                        and not re.fullmatch("(h2d|d2h) (pageable|pinned|registered)", p)}
sys.exit(f"{sys.argv[2]} does not say what these columns are: {sorted(missing)}" if missing else 0)
END
    done
}

@test "what the column \"blocked\" says is in lab 1's sheet" {
    words=$(sed -n '/  blocked$/,/^blocked:/p' labs/1-*/recorded/*/report.txt |
        awk -F '  +' '/ n [0-9]/ { sub(/(, )?[0-9]+ of [0-9]+/, "", $NF); print $NF }' | sort -u | grep -vxE 'yes|no')
    [ "$(wc -l <<<"$words")" -ge 3 ]
    while read -r word; do
        tr '\n' ' ' <handouts/lab-1.md | grep -qi "\*$word\*" || { echo "$word"; return 1; }
    done <<<"$words"
}

@test "how to write an answer is said in the sheet and in answers.txt" {
    for answers in labs/*/answers.txt; do
        number=$(basename "$(dirname "$answers")" | cut -d- -f1)
        for file in "$answers" "handouts/lab-$number.md"; do
            grep -q "report.*, not its charts" "$file"
            grep -q "one number, its unit optional" "$file"
            grep -q "one of the words given, as it stands there" "$file"
        done
    done
}

@test "every make target named is there" {
    targets=$(make -pRrq : 2>/dev/null | sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' | sort -u)
    named=$(code "${texts[@]}" | grep -oE '(^|[ =])make( [A-Za-z0-9_=./-]+)+' | sed 's/^.*make//' |
        tr ' ' '\n' | grep -E '^[a-z]' | grep -v = | sort -u)
    [ "$(wc -l <<<"$named")" -gt 10 ]
    for target in ${named//lab-N/lab-1}; do
        grep -qx -- "${target/exercise-N/exercise-1}" <<<"$targets" || { echo "make $target"; return 1; }
    done
}

@test "every option of a lab named is one of it" {
    named=$(code "${texts[@]}" | sed -nE 's/.*make (.* )?lab-([0-9]) (OUT=.* )?ARGS="--([a-z-]+).*/\2 \4/p')
    [ "$(wc -l <<<"$named")" -ge 4 ]
    while read -r number option; do
        grep -q "{\"$option\", OPTION_" labs/"$number"-*/lab.cu || { echo "lab-$number --$option"; return 1; }
    done <<<"$named"
}

@test "another simulated GPU never takes the place of the run to hand in" {
    named=$(code "${texts[@]}" | grep -E '\b(GPU|SIM_HOST)=')
    [ "$(wc -l <<<"$named")" -ge 5 ]
    run grep -vE '\bOUT=' <<<"$named"
    echo "$output"
    [ "$status" -eq 1 ]
}

@test "every simulated GPU and host named is there" {
    for gpu in $(code "${texts[@]}" | grep -o '\bGPU=[a-z0-9-]*' | cut -d= -f2 | sort -u); do
        [ -e "common/sim/devices/$gpu.txt" ] || { echo "$gpu"; return 1; }
    done
    for host in $(code "${texts[@]}" | grep -o 'SIM_HOST=[a-z0-9-]*' | cut -d= -f2 | sort -u); do
        [ -e "common/sim/devices/hosts/$host.txt" ] || { echo "$host"; return 1; }
    done
}

@test "every file and link named is there" {
    for path in $(code "${sheets[@]}" handouts/students/README.md | grep -oP '(?<![\w/])(labs|tests|handouts|common|plots)/[\w./-]+' | sort -u); do
        [ -e "${path%.}" ] || { echo "$path"; return 1; }
    done
    for sheet in "${sheets[@]}" README.md; do
        for link in $(grep -oE '\]\([^)#]+' "$sheet" | sed 's/^](//' | grep -v '^http'); do
            [ -e "$(dirname "$sheet")/$link" ] || { echo "$sheet: $link"; return 1; }
        done
    done
}

@test "every lab has a sheet that says what it was recorded on" {
    for lab in labs/*/lab.cu; do
        number=$(basename "$(dirname "$lab")" | cut -d- -f1)
        grep -q '^\*Recorded on an .*, 20[0-9-]*\.<!-- lab-'"$number\(/[a-z0-9-]*\)\?, run -->" "handouts/lab-$number.md"
        grep -q "figures/lab-$number-" "handouts/lab-$number.md"
    done
}

@test "kept figures are few and small, and their letters are not" {
    [ "$(ls handouts/figures/*.png | wc -l)" -le 16 ]
    [ -z "$(find handouts/figures -size +60k)" ]
    # Of 1200 px on 190 mm a letter of 10 points has 6 of them left.
    for figure in handouts/figures/*.png; do
        [ "$(od -An -tu1 -j16 -N4 "$figure" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }')" -le 1200 ]
    done
}

@test "every chart named is drawn, and every chart drawn is in the gallery" {
    needs_pages
    for sheet in handouts/lab-*.md; do
        lab=$(basename "$sheet" .md)
        for chart in $(code "$sheet" | grep -oE '[a-z0-9-]+\.png' | sort -u); do
            [ -e "$pages/charts/$lab/$chart" ] || { echo "$lab: $chart"; return 1; }
        done
    done
    [ "$(grep -c . "$BATS_FILE_TMPDIR/log")" -eq 1 ]
    [ "$(grep -o '<img' "$pages/gallery.html" | wc -l)" -eq "$(ls "$pages"/charts/*/*.png | wc -l)" ]
}

@test "HTML stands alone" {
    needs_pages
    for sheet in "${sheets[@]}"; do
        html=$pages/$(basename "$sheet" .md).html
        [ "$(grep -c '<h1' "$html")" -eq 1 ]
        [ -z "$(grep -oE '(src|href)="[^"]{1,60}' "$html" | grep -vE '="(data:|#|[a-z0-9-]+\.html$)')" ]
        [ -z "$(grep -oE 'url\([^d)][^)]*|@import' "$html")" ]
        [ "$(grep -c '<!-- ' "$html")" -eq 0 ]
        grep -q '<img src="data:image/png' "$html" || [[ "$html" == *instructor* ]]
    done
}

@test "PDF is on A4, two pages a lab, six for the instructor, the last of them no scrap" {
    needs_pages
    for sheet in "${sheets[@]}"; do
        pdf=$pages/$(basename "$sheet" .md).pdf
        info=$(pdfinfo "$pdf")
        grep -q 'Page size:.*(A4)' <<<"$info"
        count=$(sed -n 's/^Pages: *//p' <<<"$info")
        [[ $pdf == *gallery* ]] || [ "$(pdftotext -f "$count" -layout "$pdf" - | grep -c '[a-z]')" -ge 15 ]
        case $pdf in *lab-*) [ "$count" -le 2 ] ;; *instructor*) [ "$count" -le 6 ] ;; *) [ "$count" -ge 2 ] ;; esac
        pdffonts "$pdf" | awk 'NR > 2 && $0 !~ /yes/ { bad = 1 } END { exit bad }'
    done
}

@test "what students get: sheets to print, a README whose commands work, nothing of the instructor's" {
    for tool in pandoc weasyprint; do command -v $tool >/dev/null || skip "no $tool here: make setup"; done
    make -s handout-bundle OUT="$BATS_TEST_TMPDIR/made"
    tar xzf "$BATS_TEST_TMPDIR/made/gpu-asynchrony-labs.tar.gz" -C "$BATS_TEST_TMPDIR"
    cmp handouts/students/README.md "$BATS_TEST_TMPDIR/gpu-asynchrony-labs/README.md"
    cd "$BATS_TEST_TMPDIR/gpu-asynchrony-labs"
    for number in 1 2 3 4 5 6; do
        [ "$(head -c 5 handouts/lab-$number.pdf)" = %PDF- ]
        grep -q '<img src="data:image/png' handouts/lab-$number.html
        for link in $(grep -oE '\]\([^)#]+' handouts/lab-$number.md | sed 's/^](//'); do [ -e "handouts/$link" ]; done
    done
    for link in $(grep -oE '\]\([^)#]+' README.md | sed 's/^](//'); do [ -e "$link" ]; done
    [ -z "$(find . -iname '*instructor*' -o -iname '*solution*' -o -iname '*gallery*' -o -iname '*rubric*' -o -iname '*grad*')" ]
    run ! grep -rlE 'make (grade|gradescope|grade-class|handouts|handout-bundle|test)\b|SOLUTION=tests' README.md handouts/*.md labs common
    run ! grep -rhE '^(reading|conclusion) *\|' .
    run ! grep -E '^ +make (grade|gradescope|handout|test|lint|record|bench)' <(make -s help)
    run -2 make -s test
    [[ $output == *"is for instructors"* ]]

    # In a folder of their own, with the commands of the README.
    student="env -i PATH=/usr/bin:/bin HOME=$BATS_TEST_TMPDIR"
    $student make -s -j2 DEVICE=sim OPT=-O1 lab-1 >"$BATS_TEST_TMPDIR/lab-1"
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/lab-1")" = "24 passed, 0 failed, 0 cannot be shown here" ]
    run -2 $student make -s -j2 DEVICE=sim OPT=-O1 exercise-1
    [[ $output == *"3 passed, 2 failed"* ]]
    $student make -s DEVICE=sim hand-in
    python3 -m zipfile -l out/hand-in.zip >"$BATS_TEST_TMPDIR/list"
    grep -q 'hand-in/labs/1-async-check/answers.txt' "$BATS_TEST_TMPDIR/list"
    grep -q 'hand-in/out/lab-1/results.csv' "$BATS_TEST_TMPDIR/list"
}

@test "wrong usage" {
    run --separate-stderr handouts/write --no-such
    [ "$status" -eq 2 ]
    [[ "$stderr" == *usage* ]]
    run --separate-stderr handouts/write --help
    [ "$status" -eq 0 ]
}
