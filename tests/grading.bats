#!/usr/bin/env bats
# The grader on the simulated GPU: right and wrong hand-ins, and the runs handed in with them.

bats_require_minimum_version 1.5.0
load grading.bash

setup_file() { prepared; }

lab1=labs/1-async-check lab3=labs/3-dgemm-streams

# hand_in_answers: one without exercises, which saves compiling them.
hand_in_answers() {
    hand_in
    rm "$in"/labs/*/exercise.cu
}

# ---- right and wrong ----

@test "a right hand-in gets every point that can be graded here" {
    hand_in
    grade
    score=$(tail -n 1 "$report")
    [[ $score =~ ^Score:\ ([0-9]+)/([0-9]+)$ ]]
    [ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
    [ "${BASH_REMATCH[1]}" -gt 100 ]
    run ! grep -E '^  fail ' "$report"
}

@test "the suite as handed out gets no point, and each blank answer a hint" {
    in=$BATS_TEST_TMPDIR/in
    mkdir "$in" && cp --parents labs/*/exercise.cu labs/*/answers.txt "$in"
    grade
    [[ $(tail -n 1 "$report") == "Score: 0/"* ]]
    run ! grep -E '^  pass ' "$report"
    python3 - "$grades" <<'END'
import json, sys
for test in json.load(open(sys.argv[1]))["tests"]:
    if test["name"].split()[1] in ("reading", "conclusion"):
        assert "blank" in test["output"] and "hint: " in test["output"], test
END
}

@test "an empty folder gets no point" {
    in=$BATS_TEST_TMPDIR/in
    mkdir "$in"
    grade
    [[ $(tail -n 1 "$report") == "Score: 0/"* ]]
}

@test "what one GPU cannot show is in nobody's score, whatever is handed in" {
    prepared=$BATS_TEST_TMPDIR/prepared
    SIM_GPUS=1 tests/grade --device sim --prepare "$prepared" lab-6
    in=$BATS_TEST_TMPDIR/perfect
    tests/grading/perfect.py "$prepared" "$in" lab-6
    grade lab-6
    [ "$(grep -c '^  not graded .* experiment ' "$report")" -eq 3 ]
    [ "$(grep -c '^  not graded .* reading ' "$report")" -eq 3 ]
    [ "$(grep -c '^  not graded .* exercise ' "$report")" -eq 2 ]
    [[ $(tail -n 1 "$report") =~ ^Score:\ ([0-9]+)/([0-9]+)$ ]]
    [ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
    possible=${BASH_REMATCH[2]}
    in=$BATS_TEST_TMPDIR/untouched
    mkdir "$in" && cp --parents labs/6-*/exercise.cu labs/6-*/answers.txt "$in"
    grade lab-6
    [ "$(tail -n 1 "$report")" = "Score: 0/$possible" ]
    in=$BATS_TEST_TMPDIR/empty
    mkdir "$in"
    grade lab-6
    [ "$(tail -n 1 "$report")" = "Score: 0/$possible" ]
}

@test "the report says what was graded on a simulated GPU, and what was not graded" {
    hand_in_answers
    grade lab-5
    grep -qE '^Graded on a simulated GPU: [1-9]' "$report"
    grep -qE '^Not graded: 1 item, 1 point, not part of the score' "$report"
    grep -q 'lab-5 experiment d-ramp: ' "$report"
    grep -q '^  not graded .* d-ramp' "$report"
}

@test "a lab is named in four ways; one that is none is refused" {
    hand_in_answers
    for name in lab-3 3 3-dgemm-streams dgemm-streams; do
        grade $name
        grep -q '^lab-3 ' "$report"
        run ! grep -q '^lab-1 ' "$report"
    done
    run -2 tests/grade --prepared "$prepared" lab-77
}

@test "wrong answers: each loses its own points only" {
    hand_in
    sed -i 's/^launch = .*/launch = 7 ms/; s/^null_stream.*=.*/null_stream_holds_up = all/
        s/^queue_depth = .*/queue_depth =/' "$in/$lab1/answers.txt"
    grade lab-1
    [ "$(sum reading)" = 6/10 ]
    [ "$(sum conclusion)" = 4/6 ]
    [ "$(sum prediction)" = 2/2 ]
    [ "$(sum exercise)" = 10/10 ]
}

@test "numbers are read with units, thousands and a decimal comma; within the tolerance" {
    python3 - <<'END'
import sys
sys.path.insert(0, "tests")
from grading.answers import number_of
for text, unit, value in (("8.33", "ms", 8.33e6), ("8330 us", "ms", 8.33e6), ("8,33 ms", "us", 8.33e6),
                          ("1,024", "count", 1024), ("1e3", "count", 1000), ("64 MiB", "MiB", 2**26),
                          ("50 %", "percent", 0.5), ("50", "percent", 0.5), ("5.5 GB/s", "GB/s", 5.5),
                          ("2.07 TB/s", "GB/s", 2070), ("~1.9us", "us", 1900), ("about 5", "count", 5),
                          ("13.2 (part b)", "ms", 13.2e6), ('"8.33 ms".', "ms", 8.33e6),
                          ("1.9 microseconds", "us", 1900)):
    assert abs(number_of(text, unit) - value) < 1e-6 * value, (text, number_of(text, unit))
for text, unit in (("fast", "ms"), ("8 GB/s", "ms"), ("", "ms"), ("1 2 x", "ms"), ("nan", "ms"),
                   ("inf", "ms"), ("1e999", "ms"), ("8 parsecs", "ms"), ("5-10", ""), ("16, 64", ""),
                   ("launch 1021", "count")):
    assert number_of(text, unit) is None, text
END
    hand_in_answers
    awk -F ' = ' '/^launch = / { print "launch =", $2 * 1.09; next } { print }' \
        "$perfect/$lab1/answers.txt" >"$in/$lab1/answers.txt"
    grade lab-1
    [ "$(sum reading)" = 10/10 ]
    awk -F ' = ' '/^launch = / { print "launch =", $2 * 1.2; next } { print }' \
        "$perfect/$lab1/answers.txt" >"$in/$lab1/answers.txt"
    grade lab-1
    [ "$(sum reading)" = 8/10 ]
}

@test "words are read with quotes, capitals, blanks and a full stop; several of them are none" {
    hand_in_answers
    for right in '"Kernel and copy".' KERNEL_AND_COPY 'kernel-and-copy (both)'; do
        sed -i "s/^copy_out_call_lasts = .*/copy_out_call_lasts = $right/" "$in/$lab1/answers.txt"
        grade lab-1
        [ "$(sum conclusion)" = 6/6 ]
    done
    for wrong in kernel-and-copy,kernel 'kernel and copy or kernel' kernel/copy; do
        sed -i "s|^copy_out_call_lasts = .*|copy_out_call_lasts = $wrong|" "$in/$lab1/answers.txt"
        grade lab-1
        [ "$(sum conclusion)" = 4/6 ]
        grep -q 'hint: write one of these words alone: queueing, kernel, copy, kernel-and-copy' "$report"
    done
    sed -i 's/^guess_launch = .*/guess_launch = about 5/; s/^guess_copy_out = .*/guess_copy_out = 5-10/
        s/^launch = .*/launch = quick/' "$in/$lab1/answers.txt"
    grade lab-1
    [ "$(sum prediction)" = 1/2 ]
    grep -q 'hint: a guess cannot be wrong, but write one number' "$report"
    grep -q 'hint: write one number; part c, the row "launch"' "$report"
}

@test "readings without a run of one's own are compared with the grader's; experiments have no points" {
    hand_in_answers
    rm -r "$in/out"
    grade lab-1
    [ "$(sum reading)" = 10/10 ]
    refused experiment "no run of yours handed in"
}

@test "a broken exercise.cu in the grader's own folder stops nobody else's grading" {
    cp -r --parents Makefile common labs tests "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    echo 'half repaired' >>$lab1/exercise.cu
    hand_in
    tests/grade --device sim --submission "$in" lab-1 >report
    [ "$(tail -n 1 report)" = "Score: 33/33" ]
    tests/grade --device sim lab-1 >report
    grep -q 'measured: it does not compile: labs/1-async-check/exercise.cu:.*error' report
}

@test "20 repeats on the simulator say the same, word for word" {
    hand_in
    # shellcheck disable=SC2016 # for the inner shell
    seq 20 | prepared=$prepared in=$in out=$BATS_TEST_TMPDIR xargs -P 2 -I N sh -c \
        'tests/grade --device sim --prepared "$prepared" --submission "$in" lab-3 lab-4 >"$out/N.txt"'
    [ "$(cat "$BATS_TEST_TMPDIR"/*.txt | grep -c ' exercise ')" -eq 40 ]
    for i in $(seq 2 20); do cmp "$BATS_TEST_TMPDIR/1.txt" "$BATS_TEST_TMPDIR/$i.txt"; done
}

# ---- the files of an own run ----

@test "why a run does not count is said once a lab; the device and the labs' scores too" {
    hand_in_answers
    sed -i 's/^lab,lab-1/lab,lab-2/' "$in/out/lab-1/run.csv"
    grade lab-1 lab-3
    [ "$(grep -c "your run does not count: run.csv is of 'lab-2'" "$report")" -eq 1 ]
    [ "$(grep -c 'your run does not count, as said above' "$report")" -ge 4 ]
    [ "$(grep -c 'hint: run make lab-1 as it is, and hand in all files of out/lab-1 as they are' "$report")" -eq 1 ]
    grep -qE '^lab-3  [0-9]+/[0-9]+  on SIMULATED NVIDIA H200$' "$report"
    run ! grep -q 'on: SIMULATED NVIDIA H200$' "$report"
    tail -n 2 "$report" | head -n 1 | grep -qE '^lab-1 [0-9]+/33  lab-3 24/34$'
}

@test "an edited figure: the run does not count, the reading that fits it neither" {
    hand_in_answers
    sed -i 's/^c,launch call,ns,11,[0-9]*,[0-9]*,[0-9]*/c,launch call,ns,11,99,99,99/' \
        "$in/out/lab-1/results.csv"
    grep -q '^c,launch call,ns,11,99,99,99' "$in/out/lab-1/results.csv"
    sed -i 's/^launch = .*/launch = 0.099 us/' "$in/$lab1/answers.txt"
    grade lab-1
    refused experiment "your run does not count: c 'launch call' is 99 ns in it; on SIMULATED NVIDIA H200 it is"
    refused reading "your run does not count"
}

@test "a simulated run that calls itself a GPU's is found out" {
    hand_in_answers
    sed -i 's/^device_kind,sim/device_kind,gpu/; s/SIMULATED //' "$in/out/lab-1/run.csv"
    grade lab-1
    refused experiment "your run does not count: timeline: no kernel takes 1 ns"
}

@test "the run of another lab, an invalid one, rows out of nothing, and an empty timeline" {
    local file text
    while IFS='|' read -r file edit text; do
        rm -rf "$BATS_TEST_TMPDIR/in"
        hand_in_answers
        sed -i "$edit" "$in/out/lab-1/$file"
        grade lab-1
        refused experiment "your run does not count: $text"
    done <<'END'
run.csv|s/^lab,lab-1/lab,lab-2/|run.csv is of 'lab-2'
run.csv|s/^version,.*/version,0.0.9/|it is of version 0.0.9 of the suite
run.csv|s/^invalid,/invalid,CUDA_LAUNCH_BLOCKING is set/|the run is marked invalid
results.csv|s/^\(a,launch call,ns,11,[0-9]*\),[0-9]*/\1,9999999/|a 'launch call': no samples have
results.csv|s/^a,launch call.*/a,launch/|results.csv: a row has too few or too many fields
results.csv|1s/,n,/,number,/|results.csv has no column n
results.csv|/^c,/{/callback/!d}|part c lacks
timeline.csv|2,$d|timeline.csv is empty
timeline.csv|2s/^.*$/\x00\x01/|out/lab-1/timeline.csv is not text
timeline.csv|/^b,/d|part b lacks
timeline.csv|2s/,[0-9]*,\([0-9]*\),/,1,1e999,/|timeline.csv does not parse
checks.csv|1d|checks.csv has no column
checks.csv|/^d-/d|part d lacks
END
}

@test "a run on a GPU counts as handed in; edited, it does not fit its timeline" {
    hand_in_answers
    gpu_run $lab1/recorded/h200 "$in/out/lab-1"
    grade lab-1
    [ "$(sum experiment)" = 5/5 ]
    grep -qE 'on:? NVIDIA H200 \(as handed in\)' "$report"
    sed -i 's/^b,kernel device,ns,1,.*/b,kernel device,ns,1,5000000,5000000,5000000,0/' \
        "$in/out/lab-1/results.csv"
    grade lab-1
    refused experiment "your run does not count: results.csv has b 'kernel device' 5e+06 ns, the timeline"
}

@test "a GPU's run that nothing ran: most of it missing, excuses that no lab gives, the simulator's times" {
    hand_in_answers
    gpu_run $lab1/recorded/h200 "$in/out/lab-1"
    sed -i '/^[a-e],/{/^c,launch call,/!d}' "$in/out/lab-1/results.csv"
    grade lab-1
    refused experiment "your run does not count: part c lacks"
    { head -n 1 $lab1/recorded/h200/checks.csv; printf '%s-x,cannot-show,,,this GPU is not there\n' a b c d e; } >"$in/out/lab-1/checks.csv"
    sed -i '/^c,/d' "$in/out/lab-1/results.csv"
    grade lab-1
    [ "$(sum experiment)" = 0/5 ]
    [ "$(sum reading)" = 0/10 ]
    run ! grep 'not graded' "$report"
    for lab in lab-3 lab-5; do
        sed -i 's/^device_kind,sim/device_kind,gpu/; s/SIMULATED //' "$in/out/$lab/run.csv"
        grade $lab
        refused experiment "your run does not count: run.csv says that it is of a GPU; its times are those of the simulated one"
    done
    cp $lab3/recorded/h200/*.csv "$in/out/lab-3"
    awk -F, -v OFS=, '$3 == "ns" { $5 += 0.5; $6 += 0.5; $7 += 0.5 } { print }' $lab3/recorded/h200/results.csv >"$in/out/lab-3/results.csv"
    grade lab-3
    refused experiment "your run does not count: it is the recorded run"
    cp "$perfect"/out/lab-4/*.csv "$in/out/lab-4"
    awk -F, -v OFS=, '$3 != "ns" && NR > 1 { $5 = $6 = $7 = 0 } { print }' "$perfect/out/lab-4/results.csv" >"$in/out/lab-4/results.csv"
    grade lab-4
    refused experiment "your run does not count: "
}

@test "a figure without end makes no answer right" {
    hand_in_answers
    gpu_run $lab1/recorded/h200 "$in/out/lab-1"
    sed -i 's/^c,launch call,ns,\([0-9]*\),.*/c,launch call,ns,\1,1,inf,inf,0/' "$in/out/lab-1/results.csv"
    grade lab-1
    refused experiment "your run does not count: c 'launch call'"
    python3 - <<'END'
import sys
sys.path.insert(0, "tests")
from grading import answers, rubric
item = rubric.Item("lab-1", "reading", "x", 2, [("a", "b"), ("a", "c")], "times", 0.1)
for b, c in ((1e308, 1e-308), (float("inf"), 1)):
    assert not answers.grade_reading(item, "5", {("a", "b"): b, ("a", "c"): c}, "it")[0], (b, c)
assert answers.grade_reading(item, "5", {("a", "b"): 5, ("a", "c"): 1}, "it")[0]
END
}

@test "a rubric that is misspelt: said in one line, with what is wrong" {
    suite=$BATS_TEST_TMPDIR/suite
    mkdir "$suite" && cp -r Makefile common labs tests "$suite"
    misspelt() { # TEXT NEW-TEXT LINE
        cp tests/rubric/lab-1.txt "$suite/tests/rubric"
        sed -i "s/$1/$2/" "$suite/tests/rubric/lab-1.txt"
        run --separate-stderr "$suite/tests/grade" --device sim lab-1
        [[ $stderr == "$3" ]] || { echo "$stderr"; return 1; }
    }
    misspelt '^\(reading *| launch *| \)2' '\12.5' "grade: lab-1 reading launch: '2.5' points; a whole number is wanted"
    [ "$status" -eq 2 ]
    misspelt '; us; 10 %' '; os; 10 %' "grade: lab-1 reading launch: 'c, launch call; os; 10 %' is not <part>, <name>; <unit>; <tolerance> %"
    misspelt '^reading *| launch ' 'reading | lunch ' "grade: lab-1 reading lunch: labs/1-async-check/answers.txt has no lunch"
    misspelt 'a-queueing-returns' 'a-qeueing-returns' "grade: lab-1 exercise a-qeueing-returns: labs/1-async-check/judge.cu has no a-qeueing-returns"
    misspelt 'c, launch call; us; 10 %' 'c, launch cull; us; 2.5%' "grade: lab-1 reading launch: the lab has no 'launch cull' here; see tests/rubric/lab-1.txt"
    [ "$status" -eq 0 ]
}

@test "the recorded run that the suite comes with is nobody's own, whatever its run.csv says" {
    hand_in_answers
    cp $lab1/recorded/h200/*.csv "$in/out/lab-1"
    sed -i 's/^date,.*/date,2027-01-02T03:04:05Z/; s/^host,.*/host,mine/' "$in/out/lab-1/run.csv"
    grade lab-1
    refused experiment "it is the recorded run that the suite comes with"
    refused reading "it is the recorded run that the suite comes with"
}

@test "a run with options, and one of another simulated GPU: what to do is said" {
    hand_in_answers
    "$prepared/tree/build/sim/lab-3" --out "$in/out/lab-3" --seed 7 --repeats 3 --product-dims 64 >"$BATS_TEST_TMPDIR/said" || true
    sed -i 's/^a,call 64,ns,\([0-9]*\),.*/a,call 64,ns,\1,7,7,7,0/' "$in/out/lab-3/results.csv"
    GPU=k40 "$prepared/tree/build/sim/lab-1" --out "$in/out/lab-1" >"$BATS_TEST_TMPDIR/said" || true
    grade lab-1 lab-3
    grep -q 'it was made with --seed 7 --repeats 3 --product-dims 64: run make lab-3 without ARGS' "$report"
    grep -q 'K40.*, and is graded on SIMULATED NVIDIA H200: run make lab-1 without GPU= and SIM_HOST=' "$report"
}

@test "one lab that is broken costs its own points only: not C, does not link, no folder, odd answers" {
    hand_in
    echo 'int broken(' >>"$in/$lab1/exercise.cu"
    sed -i 's/^void exercise_cleanup/void exercise_clean/' "$in/$lab3/exercise.cu"
    rm "$in"/labs/{2,4,6}-*/exercise.cu
    printf 'launch = 3 \xb5s\n' >"$in/$lab1/answers.txt"
    rm "$in/$lab3/answers.txt"
    rm -r "$in"/labs/5-* "$in/out/lab-5"
    sed -i 's/$/\r/' "$in"/labs/4-*/answers.txt
    grade
    grep -q 'it does not compile: labs/1-async-check/exercise.cu:[0-9]*:[0-9]*: error: ' "$report"
    grep -q 'it does not link: .*undefined reference to .exercise_cleanup' "$report"
    grep -q "$lab1/answers.txt is not text in UTF-8 (line 1); save it as UTF-8" "$report"
    grep -q "$lab3/answers.txt is not handed in" "$report"
    grep -q '^lab-1  5/33' "$report"
    grep -q '^lab-2  24/34' "$report"
    grep -q '^lab-3  6/34' "$report"
    grep -q '^lab-4  20/30' "$report"
    grep -q '^lab-5  0/30' "$report"
    grep -q '^lab-6  21/31' "$report"
}

@test "a reading says which figure of which run it is held against, with units; a count is exact" {
    hand_in_answers
    sed -i 's/^launch = .*/launch = 7/' "$in/$lab1/answers.txt"
    sed -i 's/^capacity = .*/capacity = 265/' "$in"/labs/4-*/answers.txt
    grade lab-1 lab-4
    grep -A 2 ' reading launch' "$report" | grep -q 'measured: 7 us'
    grep -A 2 ' reading launch' "$report" | grep -q "required: 'launch call' of part c in your results.csv, in us, within 10 %"
    grep -A 2 ' reading capacity' "$report" | grep -q "required: 'capacity' of part a in your results.csv, exactly"
    grep -q '^  fail .* reading capacity' "$report"
}

@test "every recorded run of a GPU is one that counts; what one GPU cannot show is not graded" {
    hand_in_answers
    for recorded in labs/*/recorded/*/; do
        lab=${recorded#labs/} && lab=lab-${lab%%-*}
        gpu_run "$recorded" "$in/out/$lab"
        grade "$lab"
        [ "$(grep -c 'your run does not count' "$report")" -eq 0 ]
        if grep -q c-two-gpus "$in/out/$lab/checks.csv"; then
            grep -q '^  not graded .* reading direct_rate' "$report"
        fi
    done
}
