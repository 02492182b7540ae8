#!/usr/bin/env bats
# A class: many hand-ins at once, some of them broken, and the grade book.

bats_require_minimum_version 1.5.0
load grading.bash

setup_file() { prepared lab-1 lab-3; }

setup() {
    class=$BATS_TEST_TMPDIR/class out=$BATS_TEST_TMPDIR/out
    mkdir "$class"
}

grade_class() {
    tests/grade-class --device sim --prepared "$prepared" --out "$out" "$class" lab-1 lab-3 "$@"
}

# An exercise.cu that does not come to its end.
endless() {
    sed 's/^void exercise_queue.*/static volatile int n;\n&\n    for (;;) n++;/'
}

# cell NAME COLUMN: of the grade book.
cell() {
    python3 -c 'import csv, sys
rows = {r["hand-in"]: r for r in csv.DictReader(open(sys.argv[1], newline=""))}
print(rows[sys.argv[2]][sys.argv[3]])' "$out/grades.csv" "$1" "$2"
}

@test "right, wrong, empty, looping and unreadable hand-ins: each has its line" {
    for name in ada empty endless; do cp -r "$perfect" "$class/$name"; done
    rm -r "$class/empty/labs" "$class/empty/out"
    endless <labs/1-async-check/exercise.cu >"$class/endless/labs/1-async-check/exercise.cu"
    echo 'nothing to unzip' >"$class/torn.zip"
    mkdir "$class/=cmd()" && cp labs/1-async-check/exercise.cu "$class/=cmd()/exercise-1.cu"
    echo 'a file, not a hand-in' >"$class/notes.txt"
    ln -s /etc "$class/link"
    mkdir "$out" && touch "$out/zoe.txt"
    run -1 grade_class -j 2 --time-limit 5
    [[ $output == *"of 5: ada: 67/67"* ]]
    [[ $output == *"of 5: torn: torn.zip cannot be unpacked"* ]]
    [[ $output == *"has reports of hand-ins that are not in $class too: zoe"* ]]
    [[ $output == *"4 of 5 graded"* ]]
    [ "$(cell ada score)" = 67 ]
    [ "$(cell ada of)" = 67 ]
    [ "$(cell ada lab-3)" = 34 ]
    [ "$(cell empty score)" = 0 ]
    [ "$(cell empty of)" = 67 ]
    [ "$(cell endless score)" = 57 ]
    [ "$(cell endless lab-1)" = 23 ]
    [ "$(cell torn score)" = 0 ]
    [[ $(cell torn problem) == *"cannot be unpacked"* ]]
    [ "$(cell "'=cmd()" score)" = 0 ]
    [ "$(wc -l <"$out/grades.csv")" -eq 6 ]
    grep -q 'stopped: still running after 5 s' "$out/endless.txt"
    [ "$(tail -n 1 "$out/ada.txt")" = "Score: 67/67" ]
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["score"] == 67' "$out/ada.json"
}

@test "a zip as the hand-in rule makes it; a zip that climbs out of its folder" {
    mkdir "$BATS_TEST_TMPDIR/x" && cp -r "$perfect" "$BATS_TEST_TMPDIR/x/hand-in"
    (cd "$BATS_TEST_TMPDIR/x" && python3 -m zipfile -c "$class/bob.zip" hand-in)
    python3 - "$class/eve.zip" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    archive.writestr("../../answers.txt", "x = 1\n")
    archive.writestr("/labs/1-async-check/answers.txt", "guess_launch = 4 us\n")
    link = zipfile.ZipInfo("labs/1-async-check/exercise.cu")
    link.external_attr = 0o120777 << 16
    archive.writestr(link, "/etc/passwd")
END
    grade_class
    [ "$(cell bob score)" = 67 ]
    [ "$(cell eve score)" = 1 ]
    [ ! -e "$BATS_TEST_TMPDIR/answers.txt" ]
    [ ! -e /labs ]
}

@test "archives of other kinds and of other systems; two of the same name; what is left out is said" {
    mkdir "$BATS_TEST_TMPDIR/x" && cp -r "$perfect" "$BATS_TEST_TMPDIR/x/hand-in"
    tar czf "$class/tom.tar.gz" -C "$BATS_TEST_TMPDIR/x" ./hand-in
    (cd "$BATS_TEST_TMPDIR/x" && python3 -m zipfile -c "$class/UNA.ZIP" hand-in)
    python3 - "$class/win.zip" "$class/bent.zip" "$class/many.zip" "$class/bomb.tgz" "$class/head.tgz" "$class/bzip2.zip" "$class/deep.zip" "$class/twice.zip" <<'END'
import gzip, io, sys, tarfile, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    archive.writestr("hand-in/labs/1-async-check/answers.txt", "guess_launch = 4 us\n")
with open(sys.argv[1], "rb") as file: # as some programs on Windows write it
    data = file.read().replace(b"hand-in/labs/1-async-check/", b"hand-in\\labs\\1-async-check\\")
with open(sys.argv[1], "wb") as file: file.write(data)
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_LZMA) as archive:
    archive.writestr("answers-1.txt", "guess_launch = 4 us\n" * 1000)
with open(sys.argv[2], "r+b") as file:
    file.seek(47), file.write(b"\xff" * 20)
with zipfile.ZipFile(sys.argv[3], "w") as archive:
    for i in range(3000): archive.writestr(f"{i}/answers-1.txt", "")
with tarfile.open(sys.argv[4], "w:gz") as archive:
    info = tarfile.TarInfo("zeros")
    info.size = 1 << 29
    archive.addfile(info, open("/dev/zero", "rb"))
with gzip.open(sys.argv[5], "wb", compresslevel=1) as file: # a name of 512 MiB
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = b"x", 1 << 29
    file.write(info.tobuf(tarfile.USTAR_FORMAT))
    for _ in range(512): file.write(bytes(1 << 20))
with zipfile.ZipFile(sys.argv[6], "w", zipfile.ZIP_BZIP2) as archive:
    archive.writestr("answers-1.txt", bytes(1 << 26))
with zipfile.ZipFile(sys.argv[7], "w") as archive:
    archive.writestr("answers-1.txt", "guess_launch = 4 us\n")
    archive.writestr("a/" * 1900 + "answers-1.txt", "guess_copy_out = 4 us\n")
import warnings
warnings.simplefilter("ignore")
with zipfile.ZipFile(sys.argv[8], "w") as archive:
    for _ in range(2): archive.writestr("answers-1.txt", "guess_launch = 4 us\n")
END
    mkdir "$class/both" "$class"/$'nam\xff' "$class"/$'two\nlines \e[31m' && cp "$class/win.zip" "$class/both.zip"
    touch "$class/dan.rar" "$class/notes.txt"
    truncate -s 65M "$class/huge.zip"
    run -1 grade_class
    [[ $output == *"left out: notes.txt is no folder, .zip or .tar.gz"* ]]
    [[ $output == *"8 of 16 graded"* ]]
    [[ $output != *$'\e'* && $output == *'two\nlines \x1b[31m: 0/67'* ]]
    [ "$(cell tom score)" = 67 ]
    [ "$(cell UNA score)" = 67 ]
    [ "$(cell win score)" = 1 ]
    [ "$(cell both score)" = 0 ]
    [ "$(cell both.zip score)" = 1 ]
    [ "$(cell 'nam\udcff' score)" = 0 ]
    [[ $(cell bent problem) == "bent.zip cannot be unpacked"* ]]
    [[ $(cell many problem) == *"more than 200 files" ]]
    [[ $(cell bomb problem) == *"more than 256 MiB" ]]
    [[ $(cell head problem) == *"more than 256 MiB" ]]
    [[ $(cell bzip2 problem) == *"'answers-1.txt' is packed in an unusual way" ]]
    [ "$(cell deep score)" = 1 ]
    [[ $(cell twice problem) == *"'answers-1.txt' is in it twice" ]]
    [[ $(cell huge problem) == *"more than 64 MiB" ]]
    [[ $(cell dan.rar problem) == *"is no folder, .zip or .tar.gz" ]]
    [ "$(cell 'two\nlines \x1b[31m' score)" = 0 ]
}

@test "as learning platforms give hand-ins out: archives and folders in folders; what is not found is said" {
    mkdir -p "$BATS_TEST_TMPDIR/x" "$class/eva_1_file" "$class/gil/a/b" "$class/bare" "$class/none" "$class/link"
    cp -r "$perfect" "$BATS_TEST_TMPDIR/x/hand-in"
    (cd "$BATS_TEST_TMPDIR/x" && python3 -m zipfile -c "$class/eva_1_file/hand-in.zip" hand-in)
    cp -r "$perfect" "$class/gil/a/b/hand-in"
    cp "$perfect"/labs/1-async-check/{exercise.cu,answers.txt} "$class/bare"
    ln -s "$class/eva_1_file/hand-in.zip" "$class/link/hand-in.zip"
    run -1 grade_class
    [ "$(cell eva_1_file score)" = 67 ]
    [ "$(cell gil score)" = 67 ]
    [ "$(cell bare score)" = 0 ]
    [ "$(cell bare note)" = "nothing of these labs is where make hand-in puts it; there is answers.txt, exercise.cu" ]
    [ "$(cell none note)" = "nothing is handed in" ]
    [ "$(cell link problem)" = "hand-in.zip is no plain file" ]
    [[ $output == *"none: 0/67, nothing is handed in"* ]]
    run --separate-stderr tests/grade --device sim --prepared "$prepared" --submission "$class/bare" lab-1
    [ "$stderr" = "grade: $class/bare: nothing of these labs is where make hand-in puts it; there is answers.txt, exercise.cu" ]
}

@test "stopped before the end: one line, status 130, nothing left running or lying about" {
    for name in ann ben cid; do
        mkdir "$class/$name"
        endless <labs/1-async-check/exercise.cu >"$class/$name/exercise-1.cu"
    done
    export TMPDIR=$BATS_TEST_TMPDIR/tmp
    for signal in HUP TERM; do
        mkdir "$TMPDIR"
        tests/grade-class --device sim --prepared "$prepared" --out "$out" -j 2 "$class" lab-1 2>"$BATS_TEST_TMPDIR/said" 3>&- &
        grader=$!
        for _ in {1..100}; do
            pgrep -f "$prepared.*exercise-1 --out" >/dev/null && break
            sleep 0.1
        done
        pgrep -f "$prepared.*exercise-1 --out" >/dev/null
        kill -$signal $grader
        status=0
        wait $grader || status=$?
        [ "$status" -eq 130 ]
        [ "$(cat "$BATS_TEST_TMPDIR/said")" = "grade-class: stopped before the end" ]
        run ! pgrep -f "$prepared.*exercise-1 --out"
        [ -z "$(ls -A "$TMPDIR")" ]
        [ ! -e "$out/grades.csv" ]
        rmdir "$TMPDIR"
    done
}

@test "the very same run in two hand-ins is noted" {
    for name in ann ben cid; do cp -r "$perfect" "$class/$name"; done
    sed -i 's/^date,.*/date,2026-01-02T03:04:05Z/' "$class/cid/out/lab-3/run.csv"
    rm -r "$class"/{ann,ben,cid}/out/lab-1
    grade_class
    [ "$(cell ann note)" = "lab-3: same run as ben" ]
    [ -z "$(cell cid note)" ]
}

@test "a run on a GPU in two hand-ins is noted by its times, whatever date it says" {
    for name in ann ben; do
        cp -r "$perfect" "$class/$name"
        rm -r "$class/$name"/out/lab-1
        gpu_run labs/3-dgemm-streams/recorded/h200 "$class/$name/out/lab-3"
    done
    sed -i 's/^date,.*/date,2026-01-02T03:04:05Z/' "$class/ben/out/lab-3/run.csv"
    grade_class
    [ "$(cell ben note)" = "lab-3: same run as ann" ]
}

@test "a run that does not count is noted" {
    cp -r "$perfect" "$class/ann"
    sed -i 's/^lab,lab-1/lab,lab-2/' "$class/ann/out/lab-1/run.csv"
    grade_class
    [ "$(cell ann note)" = "lab-1: the run does not count" ]
}

@test "a folder without hand-ins, and one that is not there" {
    run -2 grade_class
    run -2 tests/grade-class --device sim /nonexistent
    [ "$output" = "grade-class: /nonexistent: No such file or directory" ]
    run -2 tests/grade-class --device sim "$class" -j 0
}
