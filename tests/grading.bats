#!/usr/bin/env bats
# The grader on the simulated GPU: right and wrong hand-ins, hostile ones, formats, packing.

bats_require_minimum_version 1.5.0
load grading.bash

setup_file() { prepared; }

lab1=labs/1-async-check lab3=labs/3-dgemm-streams

# hand_in_answers: one without exercises, which saves compiling them.
hand_in_answers() {
    hand_in
    rm "$in"/labs/*/exercise.cu
}

# exercise_1 STATEMENT DECLARATION: an exercise 1 that does the right work, and this before it.
exercise_1() {
    hand_in
    { echo "$2"; sed "s|^    size_t bytes = x->words.*Queue.*||; /^void exercise_queue/a\\    $1" \
        tests/solutions/exercise-1.cu; } >"$in/$lab1/exercise.cu"
}

# ---- right and wrong ----

@test "a right hand-in gets every point that can be graded here" {
    hand_in
    grade
    score=$(tail -n 1 "$report")
    [[ $score =~ ^Score:\ ([0-9]+)/([0-9]+)$ ]]
    [ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ] && [ "${BASH_REMATCH[1]}" -gt 100 ]
    ! grep -E '^  fail ' "$report"
}

@test "the suite as handed out gets no point, and each blank answer a hint" {
    in=$BATS_TEST_TMPDIR/in
    mkdir "$in" && cp --parents labs/*/exercise.cu labs/*/answers.txt "$in"
    grade
    [[ $(tail -n 1 "$report") == "Score: 0/"* ]]
    ! grep -E '^  pass ' "$report"
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

@test "the report says what was graded on a simulated GPU, and what was not graded" {
    hand_in_answers
    grade lab-5
    grep -qE '^Graded on a simulated GPU: [1-9]' "$report"
    grep -qE '^Not graded: 1 items, 1 points, not part of the score' "$report"
    grep -q 'lab-5 experiment d-ramp: ' "$report"
    grep -q '^  not graded .* d-ramp' "$report"
}

@test "a lab is named in four ways; one that is none is refused" {
    hand_in_answers
    for name in lab-3 3 3-dgemm-streams dgemm-streams; do
        grade $name
        grep -q '^lab-3 ' "$report"
        ! grep -q '^lab-1 ' "$report"
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
                          ("50 %", "percent", 0.5), ("50", "percent", 0.5), ("5.5 GB/s", "GB/s", 5.5)):
    assert abs(number_of(text, unit) - value) < 1e-6 * value, (text, number_of(text, unit))
for text, unit in (("fast", "ms"), ("8 GB/s", "ms"), ("", "ms"), ("1 2 x", "ms"), ("nan", "ms"),
                   ("inf", "ms"), ("1e999", "ms"), ("8 parsecs", "ms")):
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

@test "readings without a run of one's own are compared with the grader's; experiments have no points" {
    hand_in_answers
    rm -r "$in/out"
    grade lab-1
    [ "$(sum reading)" = 10/10 ]
    refused experiment "no run of yours handed in"
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

@test "an edited figure: the run does not count, the reading that fits it neither" {
    hand_in_answers
    sed -i 's/^c,launch call,ns,11,[0-9]*,[0-9]*,[0-9]*/c,launch call,ns,11,99,99,99/' \
        "$in/out/lab-1/results.csv"
    grep -q '^c,launch call,ns,11,99,99,99' "$in/out/lab-1/results.csv"
    sed -i 's/^launch = .*/launch = 0.099 us/' "$in/$lab1/answers.txt"
    grade lab-1
    refused experiment "your run does not count: c 'launch call' is 99 in it"
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
run.csv|s/^invalid,/invalid,CUDA_LAUNCH_BLOCKING is set/|the run is marked invalid
results.csv|s/^\(a,launch call,ns,11,[0-9]*\),[0-9]*/\1,9999999/|a 'launch call': no samples have
results.csv|s/^a,launch call.*/a,launch/|a row has too few or too many fields
timeline.csv|2,$d|timeline.csv is empty
timeline.csv|2s/^.*$/\x00\x01/|out/lab-1/timeline.csv is not text
checks.csv|1d|its CSV files do not parse
END
}

@test "a run on a GPU counts as handed in; edited, it does not fit its timeline" {
    hand_in_answers
    cp $lab1/recorded/h200/*.csv "$in/out/lab-1"
    grade lab-1
    [ "$(sum experiment)" = 5/5 ]
    grep -q 'on: NVIDIA H200 (as handed in)' "$report"
    sed -i 's/^b,kernel device,ns,1,.*/b,kernel device,ns,1,5000000,5000000,5000000,0/' \
        "$in/out/lab-1/results.csv"
    grade lab-1
    refused experiment "your run does not count: results.csv has b 'kernel device' 5e+06 ns, the timeline"
}

@test "every recorded run of a GPU is one that counts; what one GPU cannot show is not graded" {
    hand_in_answers
    for recorded in labs/*/recorded/*/; do
        lab=${recorded#labs/} && lab=lab-${lab%%-*}
        cp "$recorded"*.csv "$in/out/$lab"
    done
    grade
    [ "$(grep -c 'your run does not count' "$report")" -eq 0 ]
    if grep -q c-two-gpus "$in/out/lab-6/checks.csv"; then
        grep -q '^  not graded .* reading direct_rate' "$report"
    fi
}

# ---- programs that do not do the work ----

@test "a program that does nothing" {
    hand_in
    for n in 1 3; do
        printf '#include "exercise.h"\nvoid exercise_%s(struct exercise *x) { (void)x; }\n' setup >"$in/x.cu"
        printf 'void exercise_%s(struct exercise *x) { (void)x; }\n' queue cleanup >>"$in/x.cu"
        cp "$in/x.cu" "$in/$(ls labs | sed -n "s|^$n-.*|labs/&|p")/exercise.cu"
    done
    grade lab-1 lab-3
    refused exercise "exercise_setup left x->host empty"
    grep -q 'measured: b-makespan: ' "$report"
}

@test "work hidden on other streams is on the timeline" {
    hand_in
    cat >"$in/$lab3/exercise.cu" <<'END'
#include "exercise.h"
static cudaStream_t hidden[32];
void exercise_setup(struct exercise *x) {
    for (int i = 0; i < x->products; i++)
        CUDA_CHECK(cudaStreamCreateWithFlags(&hidden[i], cudaStreamNonBlocking));
}
void exercise_queue(struct exercise *x) {
    const double one = 1, zero = 0;
    int n = x->dim;
    for (int i = 0; i < x->products; i++) {
        size_t at = (size_t)i * n * n;
        CUBLAS_CHECK(cublasSetStream(x->cublas, hidden[i]));
        CUBLAS_CHECK(cublasDgemm(x->cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, x->a + at, n,
                                 x->b + at, n, &zero, x->c + at, n));
    }
}
void exercise_cleanup(struct exercise *x) { (void)x; }
END
    grade lab-3
    refused exercise "measured: b-makespan: 1"
}

@test "results kept from an earlier round: the judged round left out" {
    hand_in
    # All but the first are judged; the matrices are new each time.
    sed 's/^void exercise_queue.*/static int calls;\n&\n    int left_out = ++calls > 1;/
         s/x->products));/left_out ? 1 : x->products));/' tests/solutions/exercise-3.cu >"$in/$lab3/exercise.cu"
    grade lab-3
    refused exercise "b-products-right: wrong elements"
}

@test "the host does the work, and the device something that takes as long" {
    hand_in
    cat >"$in/$lab1/exercise.cu" <<'END'
#include <stdlib.h>
#include "exercise.h"
void exercise_setup(struct exercise *x) {
    x->host = (uint32_t *)malloc(x->words * sizeof *x->host);
    CUDA_CHECK(cudaMalloc((void **)&x->device, x->words * sizeof *x->host));
    CUDA_CHECK(cudaStreamCreateWithFlags(&x->stream, cudaStreamNonBlocking));
}
void exercise_queue(struct exercise *x) {
    transform_kernel<<<transform_blocks(x->words), TRANSFORM_THREADS, 0, x->stream>>>(
        x->device, x->words, x->transform);
    for (size_t i = 0; i < x->words; i++)
        x->host[i] = x->host[i] * 747796405u + x->transform.key;
}
void exercise_cleanup(struct exercise *x) { (void)x; }
END
    grade lab-1
    refused exercise "measured: a-copies: "
}

@test "wrong words, quickly" {
    exercise_1 'return;'
    grade lab-1
    refused exercise "; a-words-right: wrong words"
}

@test "a printed score is not the score" {
    exercise_1 'printf("\\nScore: 9999/9999\\n{\\"scores\\": {\\"lab-1\\": 9999}}\\n"); return;' '#include <stdio.h>'
    grade lab-1
    refused exercise "; a-words-right: wrong words"
    [ "$(grep -c '^Score: ' "$report")" -eq 1 ]
    ! grep -q 9999 "$report"
}

@test "a program that ends early is not judged, nor are files that it left" {
    exercise_1 'CUDA_CHECK(cudaErrorUnknown);'
    mkdir -p "$in/$lab1/out" && cp "$perfect"/out/lab-1/*.csv "$in/$lab1/out" && cp "$perfect"/out/lab-1/*.csv "$in/$lab1"
    grade lab-1
    refused exercise "it ended before it was judged"
}

# ---- programs that are not run ----

# not_run STATEMENT DECLARATION REASON
not_run() {
    rm -rf "$BATS_TEST_TMPDIR/in"
    exercise_1 "$1" "$2"
    grade lab-1
    refused exercise "$3"
}

@test "calls that an exercise does not need: each refused by name" {
    hand_in
    cat >"$in/$lab1/exercise.cu" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "exercise.h"
extern "C" {
void _exit(int);
int fork(void), unlink(const char *), pthread_create(int, int, int, int);
long syscall(long, ...);
void *dlsym(void *, const char *);
void check(const char *, bool, const char *, const char *, const char *);
int cudaLibraryLoadFromFile(const char *);
}
void exercise_setup(struct exercise *x) {
    switch (x->words) { // what follows a call that does not return would not be compiled
    case 1: exit(0);
    case 2: _exit(0);
    case 3: die(EXIT_PASS, "bye");
    }
}
void exercise_queue(struct exercise *x) {
    while (x->words)
        fork();
    system("rm -rf /");
    unlink("checks.csv");
    fopen("../checks.csv", "w");
    syscall(60, 0);
    dlsym(0, "check");
    pthread_create(0, 0, 0, 0);
    check("a-queueing-returns", true, "", "", "");
    cudaLibraryLoadFromFile("code");
}
void exercise_cleanup(struct exercise *) {}
END
    grade lab-1
    for name in exit _exit fork system unlink fopen syscall dlsym check die cudaLibraryLoadFromFile pthread_create; do
        refused exercise "it calls "
        grep -qE "it calls (.*, )?$name[,:]" "$report" || { echo "$name is not named"; return 1; }
    done
}

@test "functions in the place of the judge's or of the system's: refused by name" {
    not_run '' 'extern "C" int clock_gettime(int, void *) { return 0; } extern "C" void *malloc(unsigned long) { return 0; } int shared;' \
        'it defines clock_gettime, malloc, shared for the whole program'
    not_run '' 'extern "C" long wall_ns(void) { return 0; }' 'it defines wall_ns for the whole program'
}

@test "texts that hide something from that list: refused by name" {
    python3 - <<'END'
import sys
sys.path.insert(0, "tests")
from grading import source
cases = {
    'asm volatile("syscall");': "asm: names of the compiler",
    '__asm__ volatile("syscall");': "__asm__: names of the compiler",
    '#define a asm\n': "asm: names",
    '__attribute__((constructor)) static void early(void) {}': "__attribute__: names",
    '[[gnu::constructor]] static void early(void) {}': "[[attributes]] are not needed",
    '[ /* */ [gnu::constructor]] static void early(void) {}': "[[attributes]] are not needed",
    '#include "/etc/passwd"': "#include of /etc/passwd",
    '#include </etc/passwd>': "#include of /etc/passwd",
    '#include "../../tests/solutions/exercise-1.cu"': "#include of ../../tests/solutions",
    '/* */ # /* */ include "sim.h"': "#include of",
    '#define f <sim.h>\n#include f': "#include of f",
    '#include_next <stdio.h>': "#include_next is not needed",
    '#in\\\nclude "sim.h"': "#include of sim.h",
    '#define name a ## sm': "## pastes names together",
    '#pragma weak wall_ns': "#pragma is not needed here",
    '_Pragma("weak wall_ns")': "_Pragma: names",
    '# 1 "exercise.h"': "#1 is not needed here",
    '#line 1 "exercise.h"': "#line is not needed here",
    '/* ??/ */': "trigraph",
    '%:include "sim.h"': "digraph",
    '<:<:gnu::constructor:>:>': "digraph",
    'const char *s = R"(" asm)";': "raw string",
    '"/*"; asm(""); "*/"': "asm: names",
    "'\"'; asm(\"\"); '\"'": "asm: names",
}
for text, reason in cases.items():
    try:
        source.check_text('#include "exercise.h"\n' + text + "\n")
    except source.Refused as refused:
        assert reason in str(refused), (text, str(refused))
    else:
        raise SystemExit(f"not refused: {text}")
END
    not_run 'asm volatile("syscall");' '' 'asm: names of the compiler'
}

@test "plain C in comments, strings and macros is not refused" {
    exercise_1 'printf("asm %s // fork()\\n", "##");' \
        $'#include <stdio.h>\n#define TWICE(x) \\\n    (2 * (x))\n/* asm, [[x]], # include "no.h" */ // __asm__'
    grade lab-1
    [ "$(sum exercise)" = 10/10 ]
}

# ---- limits ----

@test "an endless loop is stopped" {
    exercise_1 'for (;;) spin++;' 'static volatile int spin;'
    start=$SECONDS
    grade lab-1 --time-limit 3
    refused exercise "stopped: still running after 3 s"
    [ $((SECONDS - start)) -lt 20 ]
}

@test "a flood of output is stopped" {
    exercise_1 'for (;;) puts("Score: 1/1");' '#include <stdio.h>'
    grade lab-1
    refused exercise "stopped: printed more than 1048576 bytes"
}

@test "a program that takes all memory is stopped" {
    exercise_1 'for (;;) { char *p = (char *)malloc(1 << 26); CUDA_CHECK(p ? cudaSuccess : cudaErrorMemoryAllocation); memset(p, 1, 1 << 26); }' \
        $'#include <stdlib.h>\n#include <string.h>'
    grade lab-1
    [[ $(sum exercise) == 0/10 ]]
    grep -qE 'stopped: used more than 2048 MiB|ended before it was judged' "$report"
}

@test "a compiler that is kept busy is stopped" {
    local tower='#define m0 spin++;' i
    for i in 1 2 3 4 5 6 7 8 9; do tower+=$'\n'"#define m$i $(printf "m$((i - 1)) %.0s" 1 2 3 4 5 6 7 8 9 0)"; done
    exercise_1 m9 "$tower"$'\nstatic volatile int spin;'
    start=$SECONDS
    grade lab-1 --time-limit 3
    refused exercise "it does not compile: "
    [ $((SECONDS - start)) -lt 20 ]
    not_run 'big[0]++;' 'static volatile char big[1ul << 31] = {1};' 'it does not compile: '
    not_run 'deep<100000>::v;' 'template <int n> struct deep { static constexpr long v = deep<n - 1>::v + 1; };' \
        'it does not compile: '
}

@test "what runs under the guard writes in its own folder only" {
    python3 -c 'import ctypes, sys
sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' || skip "this kernel has no Landlock"
    mkdir "$BATS_TEST_TMPDIR/own" "$BATS_TEST_TMPDIR/others"
    python3 - "$BATS_TEST_TMPDIR" <<'END'
import os, sys
sys.path.insert(0, "tests")
from grading import guard
own, others = sys.argv[1] + "/own", sys.argv[1] + "/others"
limits = guard.Limits(time_s=5)
assert guard.run(["sh", "-c", "echo x >mine"], own, own, limits).ok
for command in (f"echo x >{others}/file", f"mkdir {others}/folder", "rm -rf .. ; test ! -e ../others",
                f"ln -s / {others}/link", "echo x >~/../others/file"):
    assert not guard.run(["sh", "-c", command], own, own, limits).ok, command
assert os.listdir(others) == [], os.listdir(others)
END
}

# ---- hand-ins that are not what they should be ----

@test "links in a hand-in are not followed" {
    hand_in
    ln -sf "$PWD/tests/solutions/exercise-1.cu" "$in/$lab1/exercise.cu"
    ln -sf /etc/hostname "$in/$lab1/answers.txt"
    mv "$in/out/lab-1" "$in/elsewhere" && ln -s ../elsewhere "$in/out/lab-1"
    grade lab-1
    refused exercise "exercise.cu is no plain file"
    refused conclusion "answers.txt is no plain file"
    refused experiment "your run does not count: out/lab-1/run.csv is no plain file"
}

@test "pipes, folders, huge files and garbage in a hand-in" {
    hand_in
    truncate -s 20G "$in/out/lab-1/results.csv"
    rm "$in/$lab1/answers.txt" && mkfifo "$in/$lab1/answers.txt"
    head -c 3000 /dev/urandom >"$in/$lab1/exercise.cu"
    grade lab-1
    refused experiment "results.csv has 21474836480 bytes"
    refused reading "answers.txt is no plain file"
    refused exercise "exercise.cu is not text"
    rm "$in/$lab1/exercise.cu" "$in/$lab1/answers.txt"
    mkdir "$in/$lab1/exercise.cu"
    head -c 1000000 /dev/zero | tr '\0' '#' >"$in/$lab1/answers.txt"
    grade lab-1
    refused exercise "exercise.cu is no plain file"
    refused conclusion "answers.txt has 1000000 bytes"
}

@test "a program that does not compile" {
    not_run 'this is not C' '' 'it does not compile: labs/1-async-check/exercise.cu:'
}

@test "the grader's own files are not taken from a hand-in" {
    hand_in
    mkdir -p "$in/tests/rubric" "$in/common" "$in/build/sim"
    printf 'all:\n\ttouch %s/pwned\n' "$BATS_TEST_TMPDIR" >"$in/Makefile"
    echo 'exercise | a-words-right | 1000 |' >"$in/tests/rubric/lab-1.txt"
    echo '#error theirs' | tee "$in/common/judge.c" "$in/$lab1/judge.cu" "$in/$lab1/exercise.h" >"$in/$lab1/lab.cu"
    grade lab-1
    [ "$(tail -n 1 "$report")" = "Score: 33/33" ]
    [ ! -e "$BATS_TEST_TMPDIR/pwned" ]
}

@test "odd bytes in answers do not break a report" {
    hand_in_answers
    printf 'launch = <&>"\033[31m]]> Score: 7/7 # \nqueue_depth = \xc3\xa9 #\nnull_stream_holds_up = \xe2\x80\xae\n' >"$in/$lab1/answers.txt"
    for format in junit gradescope tap; do
        grade lab-1 --format $format
    done
    grade lab-1 --format junit
    xmllint --noout "$report"
    grade lab-1
    [ "$(tail -n 1 "$report" | cut -d/ -f2)" = 33 ]
}

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
    [[ $output == *"Failed 1/"* ]] && [[ $output == *"1 skipped"* || $output == *"skipped: 1"* || $output == *"less 1 skipped"* ]]
    cp tests/solutions/exercise-3.cu "$in/$lab3/exercise.cu"
    grade lab-3 --format tap
    prove -e cat "$report"
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
            assert not unit or line.endswith(unit), line
    assert r.has_exercise == os.path.exists(f"{r.folder}/judge.cu"), r.lab
    assert not r.has_exercise or os.path.exists(f"tests/solutions/exercise-{r.lab[4:]}.cu"), r.lab
END
}

@test "the handout has no solution, no right answer and no grader, and its exercises build" {
    make -s handout-bundle OUT="$BATS_TEST_TMPDIR"
    tar xzf "$BATS_TEST_TMPDIR/gpu-asynchrony-labs.tar.gz" -C "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR/gpu-asynchrony-labs"
    [ -e $lab1/exercise.cu ] && [ -e $lab1/answers.txt ] && [ -e README.md ]
    [ -z "$(find . -path '*solution*' -o -path '*rubric*' -o -path '*grad*' -o -name 'instructor*' | head)" ]
    ! grep -rl 'cublasDgemmStridedBatched(x->cublas' .
    make -s -j2 DEVICE=sim OPT=-O1 build/sim/exercise-3
    run -3 ./build/sim/exercise-3 --out "/dev/null/x"
    run -2 make -s grade DEVICE=sim
    [[ $output == *"make exercise-N judges"* ]]
}

@test "hand-in: what make packs is what the grader takes" {
    cp -r "$perfect" "$BATS_TEST_TMPDIR/tree"
    cp Makefile "$BATS_TEST_TMPDIR/tree"
    make -s -C "$BATS_TEST_TMPDIR/tree" DEVICE=sim hand-in
    mkdir "$BATS_TEST_TMPDIR/in" && in=$BATS_TEST_TMPDIR/in
    python3 -m zipfile -e "$BATS_TEST_TMPDIR/tree/out/hand-in.zip" "$in"
    grade lab-1
    [ "$(tail -n 1 "$report")" = "Score: 33/33" ]
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
    # shellcheck disable=SC2086 # no variables but these, no toolkit in the path
    clean="env -i PATH=/usr/bin:/bin HOME=$root AUTOGRADER_ROOT=$root"
    $clean "$root/source/setup.sh"
    cp "$root/source/run_autograder" "$root/run_autograder"
    cp -r "$perfect/labs" "$perfect/out" "$root/submission"
    (cd "$root" && $clean ./run_autograder >"$BATS_TEST_TMPDIR/stdout")
    python3 - "$root/results/results.json" <<'END'
import json, sys
whole = json.load(open(sys.argv[1]))
assert whole["score"] == sum(t["max_score"] for t in whole["tests"]) > 100, whole["output"]
assert all("SIMULATED" in t["output"] for t in whole["tests"] if t["name"].split()[1] == "exercise")
END
    rm -rf "$root/source/suite/tests/rubric" "$root/results/results.json"
    (cd "$root" && $clean ./run_autograder)
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["score"] == 0' "$root/results/results.json"
}
