# shellcheck shell=bash
# What grad*.bats share: hand-ins, and their grades.

export PYTHONDONTWRITEBYTECODE=1
# Grading starts make: the jobs of a make above are not its own.
unset MAKEFLAGS MAKELEVEL MFLAGS B GPU SIM_GPUS SIM_HOST CUDA_LAUNCH_BLOCKING

# prepared LAB...: builds the suite once a file, and makes the hand-in "perfect".
prepared() {
    prepared=$BATS_FILE_TMPDIR/prepared perfect=$BATS_FILE_TMPDIR/perfect
    export prepared perfect
    tests/grade --device sim --prepare "$prepared" "$@"
    tests/grading/perfect.py "$prepared" "$perfect" "$@"
}

# hand_in: a copy of the perfect one in $in.
hand_in() {
    in=$BATS_TEST_TMPDIR/in
    cp -r "$perfect" "$in"
}

# grade ARG...: grades $in into $report (text) and $grades (JSON).
grade() {
    report=$BATS_TEST_TMPDIR/report grades=$BATS_TEST_TMPDIR/grades.json
    tests/grade --device sim --prepared "$prepared" --submission "$in" \
        --write "gradescope=$grades" "$@" >"$report"
    cat "$report"
}

# sum KIND: the points of the items of that kind, and how many there could be: "3/5".
sum() {
    python3 -c 'import json, sys
tests = [t for t in json.load(open(sys.argv[1]))["tests"] if t["name"].split()[1] == sys.argv[2]]
print("{}/{}".format(sum(t["score"] for t in tests), sum(t["max_score"] for t in tests)))' \
        "$grades" "$1"
}

# refused KIND TEXT: no points for that kind, and the report says why.
refused() {
    [ "$(sum "$1")" != 0/0 ]
    [[ $(sum "$1") == 0/* ]] || { echo "points for $1: $(sum "$1")"; return 1; }
    grep -qF -- "$2" "$report" || { echo "the report does not say: $2"; return 1; }
}

# gpu_run RECORDED FOLDER: a run on a GPU as a student has one: a recorded one, all of it 1 % slower.
gpu_run() {
    cp "$1"/*.csv "$2"
    python3 - "$2" <<'END'
import csv, sys
for name, columns in (("results", ("median", "min", "max")), ("timeline", ("start_ns", "end_ns"))):
    path = f"{sys.argv[1]}/{name}.csv"
    rows = list(csv.DictReader(open(path, newline="")))
    for row in rows:
        for column in columns if row.get("unit", "ns") == "ns" else ():
            row[column] = str(round(float(row[column]) * 1.01)) if row[column] else ""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
END
}

# exercise_1 STATEMENT DECLARATION: an exercise 1 that does the right work, and this before it.
exercise_1() {
    hand_in
    sed "/^void exercise_queue/a\\    $1" tests/solutions/exercise-1.cu |
        DECLARATION=$2 awk '{ print } /^#include/ { print ENVIRON["DECLARATION"] }' \
            >"$in/labs/1-async-check/exercise.cu"
}

# not_run STATEMENT DECLARATION REASON
not_run() {
    rm -rf "$BATS_TEST_TMPDIR/in"
    exercise_1 "$1" "$2"
    grade lab-1
    refused exercise "$3"
}
