#!/usr/bin/env bats
# Hand-ins that are after points for what they did not do, or after the grader's machine.

bats_require_minimum_version 1.5.0
load grading.bash

setup_file() { prepared lab-1 lab-3 lab-4 lab-5; }

lab1=labs/1-async-check lab3=labs/3-dgemm-streams

# exercise_1 STATEMENT DECLARATION: an exercise 1 that does the right work, and this before it.
exercise_1() {
    hand_in
    { echo "$2"; sed "s|^    size_t bytes = x->words.*Queue.*||; /^void exercise_queue/a\\    $1" \
        tests/solutions/exercise-1.cu; } >"$in/$lab1/exercise.cu"
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
    run ! grep -q 9999 "$report"
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
    refused exercise "it calls "
    for name in exit _exit fork system unlink fopen syscall dlsym check die cudaLibraryLoadFromFile pthread_create; do
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
    '#define H #\nH 1 "stdio.h"': "# makes a string",
    'F(#)': "a # that begins no line",
    '/*\n#include "*/ char *a = "x", *b = ""; asm("nop"); // "': "asm: names",
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
    # Where compilers see another line, string or comment than the text seems to have.
    "int a = 1'0; asm(\"\"); int b = 1'0;": "a ' in a number",
    "#if 0\n' /*\n#endif\nasm(\"\"); // */": "a quote that does not end",
    '#if 0\n" /*\n#endif\nasm(""); // */': "a quote that does not end",
    "#if 0\n#error it's /*\n#endif\nasm(\"\"); // */": "a quote that does not end",
    '// \\ \n/*\nasm(""); // */': "blanks between a backslash",
    '// \\\t\n/*\nasm(""); // */': "blanks between a backslash",
    '// \\\v\n/*\nasm(""); // */': "a carriage return, form feed",
    '// \rasm("");': "a carriage return",
    '\f#include </etc/passwd>': "a carriage return, form feed",
    '#if 0\n#include "/*"\n#endif\nasm(""); // */': "#include of",
    '\\u0061sm("");': "a backslash outside",
    'int \u00e9 = 1;': "letters and signs outside of ASCII",
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

@test "what only the compiler sees: attributes out of macros, and headers, in its own preprocessed text" {
    not_run '' $'#define X(...) [__VA_ARGS__]\nX([gnu::section(".text"), gnu::used]) static const char code[] = {1};' \
        '[[attributes]] are not needed here, nor by way of macros'
    python3 - <<'END'
import sys
sys.path.insert(0, "tests")
from grading import source
main = '# 12 "labs/1-async-check/exercise.cu"'
for text, reason in ((main + '\n# 1 "/etc/passwd" 1\nroot', "#include of /etc/passwd"),
                     (main + '\n# 1 "stdio.h"\nasm("");', "#include of stdio.h"),
                     (main + '\n#pragma weak wall_ns', "#pragma weak wall_ns is not needed"),
                     (main + '\n__attribute__((constructor)) void f();', "the attribute constructor"),
                     (main + '\nint f() __asm("g");', "__asm: names")):
    try:
        source.check_preprocessed(text)
    except source.Refused as refused:
        assert reason in str(refused), (text, str(refused))
    else:
        raise SystemExit(f"not refused: {text}")
source.check_preprocessed('# 1 "stdio.h"\nasm("");\n' + main + '\n__attribute__((global)) void k();\n'
                          '# 1 "/usr/include/stdio.h" 1 3 4\n__asm("x");\n'
                          '# 13 "labs/1-async-check/exercise.cu" 2\n#pragma unroll 4\n"asm # ";')
END
}

@test "a kernel made longer, so that everything else seems short" {
    hand_in
    sed -i 's/^void exercise_setup.*/&\n    x->transform.block_cycles *= 2;/' "$in/$lab1/exercise.cu"
    grade lab-1
    refused exercise "measured: a-kernel-as-given: 200 %"
    sed -i 's/block_cycles \*= 2/block_cycles *= 1/' "$in/$lab1/exercise.cu"
    grade lab-1
    [ "$(sum exercise)" = 10/10 ]
}

@test "the same work cut into sixteen kernels in as many streams is not made longer" {
    hand_in
    cat >"$in/$lab1/exercise.cu" <<'END'
#include "exercise.h"
enum { PIECES = 16 };
static cudaStream_t streams[PIECES];
void exercise_setup(struct exercise *x) {
    CUDA_CHECK(cudaMallocHost((void **)&x->host, x->words * sizeof *x->host));
    CUDA_CHECK(cudaMalloc((void **)&x->device, x->words * sizeof *x->host));
    for (int i = 0; i < PIECES; i++)
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
}
void exercise_queue(struct exercise *x) {
    size_t words = x->words / PIECES, bytes = words * sizeof *x->host;
    for (int i = 0; i < PIECES; i++) {
        CUDA_CHECK(cudaMemcpyAsync(x->device + i * words, x->host + i * words, bytes, cudaMemcpyHostToDevice, streams[i]));
        transform_kernel<<<transform_blocks(words), TRANSFORM_THREADS, 0, streams[i]>>>(
            x->device + i * words, words, x->transform);
        LAUNCH_CHECK();
        CUDA_CHECK(cudaMemcpyAsync(x->host + i * words, x->device + i * words, bytes, cudaMemcpyDeviceToHost, streams[i]));
    }
}
void exercise_cleanup(struct exercise *x) { (void)x; }
END
    grade lab-1
    [ "$(sum exercise)" = 10/10 ]
}

@test "so many more products that a slow first one is lost among them" {
    hand_in
    sed -i '/^    reading(x, cublas/d; s/^void exercise_benchmark.*/&\n    x->products = 60;/' \
        "$in/labs/5-first-call/exercise.cu"
    grade lab-5
    refused exercise "a-judge-work-as-given: 60 kernels"
    grep -q 'required: at most 14: leave the work in x as it is' "$report"
}

@test "stamps of the items rewritten by the host, so that the GPU seems full" {
    hand_in
    sed 's/^    LAUNCH_CHECK();/&\n    fill(x);/; s/^void exercise_queue/static void fill(struct exercise *x);\n&/' \
        labs/4-tail-effect/exercise.cu >"$in/labs/4-tail-effect/exercise.cu"
    cat >>"$in/labs/4-tail-effect/exercise.cu" <<'END'
static void fill(struct exercise *x) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    int64_t low = INT64_MAX, high = 0, in_turn = (x->items.n + x->capacity - 1) / x->capacity;
    for (int i = 0; i < x->items.n; i++) {
        low = x->items.stamps[i].start_ns < low ? x->items.stamps[i].start_ns : low;
        high = x->items.stamps[i].end_ns > high ? x->items.stamps[i].end_ns : high;
    }
    for (int i = 0; i < x->items.n; i++) {
        x->items.stamps[i].start_ns = low + (high - low) * (i / x->capacity) / in_turn;
        x->items.stamps[i].end_ns = low + (high - low) * (i / x->capacity + 1) / in_turn;
        x->items.stamps[i].sm = i % x->capacity / 2;
    }
}
END
    grade lab-4
    refused exercise "measured: a-kernel-work: 133 %"
    grep -q 'required: at least 80 % of the time asked for, and at most 120 %' "$report"
}

@test "plain C in comments, strings and macros is not refused" {
    exercise_1 'printf("asm %s // fork()\\n", "##");' \
        $'#include <stdio.h>\n#define TWICE(x) \\\n    (2 * (x))\n/* asm, [[x]], # include "no.h" */ // __asm__\n// don\'t \xc3\xa9\nstatic const char chars[] = {\'a\', \'\\\'\', \'"\'};\nenum { NUMBER = 0x1fu + (int)1.5e+3, LETTERS = sizeof chars };'
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
# Beside a GPU's driver, which writes in /proc: its own process's files, and no other's.
limits = guard.Limits(time_s=5, writable=("/proc/self", own + "/mine"))
write = "printf x >{}"
assert guard.run(["sh", "-c", write.format("/proc/self/comm")], own, own, limits).ok
assert not guard.run(["sh", "-c", write.format(f"/proc/{os.getpid()}/comm")], own, own, limits).ok
one_file = guard.Limits(time_s=5, writable=(own + "/mine",))
assert guard.run(["sh", "-c", write.format(own + "/mine")], others, others, one_file).ok
assert not guard.run(["sh", "-c", write.format(own + "/more")], others, others, one_file).ok
assert not guard.run(["sh", "-c", "rm " + own + "/mine"], others, others, one_file).ok
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
