#!/usr/bin/env bats
# What the grader writes for other programs, and what is packed for other places.

bats_require_minimum_version 1.5.0
load grading.bash

setup_file() { prepared lab-1 lab-3 lab-5; }

lab1=labs/1-async-check lab3=labs/3-dgemm-streams

# ---- formats ----

@test "text ends with the score; autolab's last line is JSON; classroom is one line of base64" {
    hand_in
    cp $lab3/exercise.cu "$in/$lab3/exercise.cu"
    grade lab-3 lab-1
    [ "$(tail -n 1 "$report")" = "Score: 57/67" ]
    grade lab-3 lab-1 --format autolab
    tail -n 1 "$report" | python3 -c 'import json, sys
assert json.load(sys.stdin) == {"scores": {"lab-3": 24, "lab-1": 33}}'
    grade lab-3 lab-1 --format classroom
    [ "$(wc -l <"$report")" -eq 1 ]
    base64 -d "$report" | python3 -c 'import json, sys
whole = json.load(sys.stdin)
assert whole["version"] == 1 and whole["status"] == "fail" and whole["max_score"] == 67, whole
assert sum(t["score"] for t in whole["tests"]) == 57
assert {t["status"] for t in whole["tests"]} == {"pass", "fail"}
assert all(isinstance(t["name"], str) and isinstance(t["message"], str) for t in whole["tests"])'
}

@test "gradescope: results.json as its autograder reads it" {
    hand_in
    cp $lab3/exercise.cu "$in/$lab3/exercise.cu"
    grade lab-3 lab-5 --format gradescope
    python3 - "$report" <<'END'
import json, sys
whole = json.load(open(sys.argv[1]))
assert whole["score"] == sum(t["score"] for t in whole["tests"])
assert whole["visibility"] in ("visible", "hidden", "after_due_date", "after_published")
for t in whole["tests"]:
    assert 0 <= t["score"] <= t["max_score"] and t["visibility"] == "visible" and t["output"]
    assert t.get("status", "passed") in ("passed", "failed")
    assert (t.get("status") == "passed") == (t["score"] == t["max_score"] > 0)
assert any("not graded" in t["output"] and t["max_score"] == 0 for t in whole["tests"])
assert any("required: " in t["output"] for t in whole["tests"])
END
}

@test "junit: xmllint reads it; tap: prove reads it" {
    hand_in
    cp $lab3/exercise.cu "$in/$lab3/exercise.cu"
    grade lab-3 lab-5 --format junit
    xmllint --noout "$report"
    [ "$(xmllint --xpath 'count(//testcase)' "$report")" -eq "$(xmllint --xpath 'string(/testsuites/@tests)' "$report")" ]
    [ "$(xmllint --xpath 'count(//failure)' "$report")" -eq 1 ]
    [ "$(xmllint --xpath 'count(//skipped)' "$report")" -eq 1 ]
    grade lab-3 lab-5 --format tap
    run prove -e cat "$report"
    [ "$status" -eq 1 ]
    [[ $output == *"Failed 1/"* ]]
    [[ $output == *"1 skipped"* || $output == *"skipped: 1"* || $output == *"less 1 skipped"* ]]
    cp tests/solutions/exercise-3.cu "$in/$lab3/exercise.cu"
    grade lab-3 --format tap
    prove -e cat "$report"
}

@test "odd bytes in answers do not break a report" {
    hand_in
    rm "$in"/labs/*/exercise.cu
    printf 'launch = <&>"\033[31m]]> Score: 7/7 # \nqueue_depth = \xc3\xa9 #\nnull_stream_holds_up = \xe2\x80\xae\n' >"$in/$lab1/answers.txt"
    for format in junit gradescope tap; do
        grade lab-1 --format $format
    done
    grade lab-1 --format junit
    xmllint --noout "$report"
    grade lab-1
    [ "$(tail -n 1 "$report" | cut -d/ -f2)" = 33 ]
}

# ---- files that belong together, and packing ----

@test "each question has a line in the rubric; each exercise has points and a solution" {
    python3 - <<'END'
import os, re, sys
sys.path.insert(0, "tests")
from grading import answers, rubric
rubrics = rubric.all_rubrics(".")
assert len(rubrics) == len([d for d in os.listdir("labs") if os.path.exists(f"labs/{d}/lab.cu")])
for r in rubrics:
    text = open(f"{r.folder}/answers.txt").read()
    asked = answers.read_answers(text)
    items = {i.name: i for i in r.items if i.kind in ("prediction", "reading", "conclusion")}
    assert list(asked) == list(items), (r.lab, set(asked) ^ set(items))
    assert not any(asked.values()), r.lab
    for line in text.splitlines():
        key = line.split("=")[0].strip()
        if key in items:
            words, unit = items[key].words, items[key].unit
            assert all(re.search(rf"[ :]{w}(,|$)", line) for w in words), line
            assert not unit or re.search("how many" if unit == "count" else f"how many {unit}\\b", line), line
    assert not r.needs or r.needs in [i.name for i in r.items if i.kind == "experiment"], r.lab
    assert r.has_exercise == os.path.exists(f"{r.folder}/judge.cu"), r.lab
    assert not r.has_exercise or os.path.exists(f"tests/solutions/exercise-{r.lab[4:]}.cu"), r.lab
END
}

@test "the handout has no solution, no right answer and no grader, and its exercises build" {
    for tool in pandoc weasyprint; do command -v $tool >/dev/null || skip "no $tool here: make setup"; done
    make -s handout-bundle OUT="$BATS_TEST_TMPDIR"
    tar xzf "$BATS_TEST_TMPDIR/gpu-asynchrony-labs.tar.gz" -C "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR/gpu-asynchrony-labs"
    [ -e $lab1/exercise.cu ]
    [ -e $lab1/answers.txt ]
    [ -e README.md ]
    unset SAN # the build folder is the one that students have
    [ -z "$(find . -path '*solution*' -o -path '*rubric*' -o -path '*grad*' -o -name 'instructor*' | head)" ]
    run ! grep -rl 'cublasDgemmStridedBatched(x->cublas' .
    make -s -j2 DEVICE=sim OPT=-O1 build/sim/exercise-3
    run -3 ./build/sim/exercise-3 --out "/dev/null/x"
    run -2 make -s grade DEVICE=sim
    [[ $output == *"make grade is for instructors"* ]]
}

@test "some of the labs: what students get, and Gradescope's zip" {
    for tool in pandoc weasyprint; do command -v $tool >/dev/null || skip "no $tool here: make setup"; done
    make -s handout-bundle gradescope ARGS="lab-1 dgemm-streams" OUT="$BATS_TEST_TMPDIR"
    tar xzf "$BATS_TEST_TMPDIR/gpu-asynchrony-labs.tar.gz" -C "$BATS_TEST_TMPDIR"
    python3 -m zipfile -e "$BATS_TEST_TMPDIR/gradescope.zip" "$BATS_TEST_TMPDIR/zip"
    for packed in gpu-asynchrony-labs zip/suite; do
        [ "$(cd "$BATS_TEST_TMPDIR/$packed/labs" && echo [1-9]*)" = "1-async-check 3-dgemm-streams" ]
    done
    [ "$(ls "$BATS_TEST_TMPDIR/zip/suite/tests/rubric" | xargs)" = "lab-1.txt lab-3.txt" ]
    cd "$BATS_TEST_TMPDIR/gpu-asynchrony-labs"
    [ "$(echo handouts/*.pdf handouts/*.md)" = "handouts/lab-1.pdf handouts/lab-3.pdf handouts/lab-1.md handouts/lab-3.md" ]
    [ "$(grep -c '^| [0-9]' README.md)" -eq 2 ]
    run -2 make -s gradescope ARGS=lab-9 -C "$BATS_TEST_DIRNAME/.." OUT="$BATS_TEST_TMPDIR/none"
    [[ $output == *"pack: lab-9 is no lab with a rubric"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/none/gradescope.zip" ]
}

@test "make grade: a format that is none, an archive, and what is neither folder nor archive" {
    run -2 make -s grade DEVICE=sim FORMAT=foo
    [[ $output == *"FORMAT=foo: choose one of text tap junit gradescope classroom autolab"* ]]
    run -2 make -s grade DEVICE=sim SUBMISSION=/dev/null
    [[ $output == *"grade: /dev/null is no folder, .zip or .tar.gz"* ]]
    (cd "$perfect" && python3 -m zipfile -c "$BATS_TEST_TMPDIR/in.zip" labs out)
    tar czf "$BATS_TEST_TMPDIR/in.tar.gz" -C "$perfect" labs out
    for archive in in.zip in.tar.gz; do
        make -s grade DEVICE=sim SUBMISSION="$BATS_TEST_TMPDIR/$archive" FORMAT=text \
            ARGS="lab-1 --prepared $prepared" >"$BATS_TEST_TMPDIR/report"
        [ "$(tail -n 1 "$BATS_TEST_TMPDIR/report")" = "Score: 33/33" ]
    done
    echo torn >"$BATS_TEST_TMPDIR/in.zip"
    run -2 make -s grade DEVICE=sim SUBMISSION="$BATS_TEST_TMPDIR/in.zip"
    [[ $output == *"grade: in.zip cannot be unpacked"* ]]
}

@test "make grade and grade-class: the names that students give are not taken for make's or the shell's words" {
    cd "$BATS_TEST_DIRNAME/.."
    name="$BATS_TEST_TMPDIR/x\$(shell touch $BATS_TEST_TMPDIR/ran)'; touch $BATS_TEST_TMPDIR/ran"
    run -2 make -s grade DEVICE=sim SUBMISSION="$name"
    [[ $output == *"is no folder, .zip or .tar.gz"* ]]
    run -2 make -s grade-class DEVICE=sim CLASS="$name"
    [[ $output == *"No such file or directory"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "hand-in: what make packs is what the grader takes" {
    cp -r "$perfect" "$BATS_TEST_TMPDIR/tree"
    cp -r Makefile common "$BATS_TEST_TMPDIR/tree"
    make -s -C "$BATS_TEST_TMPDIR/tree" DEVICE=sim hand-in
    mkdir "$BATS_TEST_TMPDIR/in" && in=$BATS_TEST_TMPDIR/in
    python3 -m zipfile -e "$BATS_TEST_TMPDIR/tree/out/hand-in.zip" "$in"
    grade lab-1
    [ "$(tail -n 1 "$report")" = "Score: 33/33" ]
}

@test "hand-in: says what cannot count as it is, and nothing of what is right" {
    cp -r --parents Makefile common labs handouts/lab-*.md "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    cp -r "$perfect"/out .
    cp "$perfect"/$lab3/exercise.cu $lab3
    sed -i 's/^device,.*/device,SIMULATED Tesla K40/' out/lab-3/run.csv
    sed -i 's/^guess_launch = /guess_launch: 5/; s/^launch = /launch = fast/; s/^queue_depth = /queue_depth = ~1.021e3 (d)/
        s/^pageable_copy_out = /pageable_copy_out = "8,33 ms"./; s/^pinned_copy_out = /pinned_copy_out = 5-10/
        s/^copy_out_call_lasts = /copy_out_call_lasts = "Kernel and copy" (b)/
        s/^synchronise = /synchronise = 8 parsecs/
        s/^null_stream_holds_up = /null_stream_holds_up = some/
        s/^clear_flag_proves_asynchronous_copies = /clear_flag_proves = no/' $lab1/answers.txt
    echo 'int broken = byts;' >>labs/4-tail-effect/exercise.cu
    run --separate-stderr make -s DEVICE=sim hand-in
    [ "$status" -eq 0 ]
    [ "$output" = out/hand-in.zip ]
    said() { grep -E "^lab-$1: " <<<"$stderr" | sed "s/^lab-$1: //"; }
    diff - <(said 1) <<'END'
"guess_launch: 5" is no answer; one is key = value
launch = fast: not one number
pinned_copy_out = 5-10: not one number
synchronise = 8 parsecs: no unit is called parsecs
null_stream_holds_up = some: not one of the words none, blocking, non-blocking, all
1 answer is blank
clear_flag_proves: no question is called that
clear_flag_proves_asynchronous_copies: its line is missing
guess_launch: its line is missing
exercise.cu is as it was handed out
END
    said 3 | grep -q '^a run on SIMULATED Tesla K40, which may not count; make lab-3 runs on the SIMULATED NVIDIA H200'
    run ! grep -q exercise <(said 3)
    said 4 | grep -q '^does not compile: labs/4-tail-effect/exercise.cu:.*byts'
    said 6 | grep -q '^no run in it; make lab-6'
    cd "$BATS_TEST_DIRNAME"
    units=$(sed -n '/^units="/,/"$/p' ../common/hand-in.sh | sed 's/^units=//' | tr -d '"\\\\\n')
    python3 -c 'import sys; from grading.answers import UNITS; assert set(sys.argv[1].split()) == set(UNITS)' "$units"
}

@test "what is handed out is as it was: a list to hold it against, and a filled-in file is refused" {
    sha256sum --quiet --strict -c labs/handed-out.sha256
    [ "$(wc -l <labs/handed-out.sha256)" -eq "$(printf '%s\n' labs/*/answers.txt labs/*/exercise.cu | wc -l)" ]
    cp -r --parents Makefile common labs tests handouts "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    if command -v pandoc >/dev/null && command -v weasyprint >/dev/null; then
        sed -i 's/^\(reading *| launch *| \)2/\13/' tests/rubric/lab-1.txt
        run --separate-stderr -2 make -s handout-bundle
        [[ $stderr == "handouts/lab-1.md:"*": not up to date (make handouts): "*"| 34 |"* ]]
    fi
    sed -i 's/^launch = /&7/' $lab1/answers.txt
    locale -a | grep -q '^de_DE.utf8' && export LC_ALL=de_DE.UTF-8 # where sha256sum says so in German
    run --separate-stderr -2 make -s handout-bundle
    [[ $stderr == "handout-bundle: filled in or changed since they were handed out: $lab1/answers.txt; put them back"* ]]
    rm labs/handed-out.sha256
    run --separate-stderr -2 make -s handout-bundle
    [[ $stderr == *"labs/handed-out.sha256 is missing"* ]]
    [ ! -e out ]
}

@test "gradescope's zip in a clean folder, as the service runs it" {
    make -s gradescope OUT="$BATS_TEST_TMPDIR"
    root=$BATS_TEST_TMPDIR/autograder
    mkdir -p "$root/source" "$root/submission" "$root/results"
    python3 - "$BATS_TEST_TMPDIR/gradescope.zip" "$root/source" <<'END'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert {"setup.sh", "run_autograder"} <= set(archive.namelist())
    for info in archive.infolist():
        os.chmod(archive.extract(info, sys.argv[2]), info.external_attr >> 16)
END
    [ -z "$(find "$root/source" -path '*solution*')" ]
    for recorded in labs/*/recorded/*/results.csv; do cmp "$recorded" "$root/source/suite/$recorded"; done
    # shellcheck disable=SC2086 # no variables but these, no toolkit in the path
    clean="env -i PATH=/usr/bin:/bin HOME=$root AUTOGRADER_ROOT=$root"
    $clean "$root/source/setup.sh"
    cp "$root/source/run_autograder" "$root/run_autograder"
    cp -r "$perfect/labs" "$perfect/out" "$root/submission"
    (cd "$root" && $clean ./run_autograder >"$BATS_TEST_TMPDIR/stdout")
    python3 - "$root/results/results.json" <<'END'
import json, sys
whole = json.load(open(sys.argv[1]))
done = [t for t in whole["tests"] if t["name"].split()[0] in ("lab-1", "lab-3", "lab-5")]
assert sum(t["score"] for t in done) == sum(t["max_score"] for t in done) == whole["score"] > 90, whole["output"]
assert all("SIMULATED" in t["output"] for t in done if t["name"].split()[1] == "exercise")
assert {t["name"].split()[0] for t in whole["tests"]} > {"lab-1", "lab-3", "lab-5"}
END
    rm -rf "$root/source/suite/tests/rubric" "$root/results/results.json"
    (cd "$root" && $clean ./run_autograder)
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["score"] == 0' "$root/results/results.json"
}
