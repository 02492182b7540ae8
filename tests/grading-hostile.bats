#!/usr/bin/env bats
# Hand-ins that are after points for what they did not do, or after the grader's machine.

bats_require_minimum_version 1.5.0
load grading.bash

setup_file() { prepared lab-1 lab-2 lab-3 lab-4 lab-5; }

lab1=labs/1-async-check lab3=labs/3-dgemm-streams

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

@test "the work in x made less: what the judge asks for stays as it was" {
    hand_in
    cat >"$in/$lab1/exercise.cu" <<'END'
#include <stdlib.h>
#include "exercise.h"
static size_t all;
void exercise_setup(struct exercise *x) {
    all = x->words;
    x->words = 0;
    x->host = (uint32_t *)malloc(all * sizeof *x->host);
}
void exercise_queue(struct exercise *x) {
    transform_kernel<<<transform_blocks(all), TRANSFORM_THREADS>>>(x->device, 0, x->transform);
}
void exercise_cleanup(struct exercise *x) { free(x->host); }
END
    cat >"$in/labs/2-pageable-copies/exercise.cu" <<'END'
#include "exercise.h"
static size_t all;
static cudaStream_t stream;
static uint32_t *device;
void exercise_setup(struct exercise *x) {
    all = x->words;
    CUDA_CHECK(cudaMalloc((void **)&device, 4));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}
void exercise_queue(struct exercise *x) {
    x->words = 0;
    transform_kernel<<<transform_blocks(all), TRANSFORM_THREADS>>>(device, 0, x->transform);
    CUDA_CHECK(cudaMemcpyAsync(device, x->in, 4, cudaMemcpyHostToDevice, stream));
}
void exercise_cleanup(struct exercise *x) { (void)x; }
END
    grade lab-1 lab-2
    refused exercise "words wrong; a-words-right: wrong words; a-copies: 0 B in, 0 B out"
    grep -q "b-makespan: .*words wrong; b-words-right: wrong words; b-copies: 4 B in, 0 B out" "$report"
}

@test "the words to transform made simple ones, by the host" {
    hand_in
    sed 's|^    size_t words = x->words / PIECES.*|&\n    for (size_t i = 0; i < x->words; i++) ((uint32_t *)x->in)[i] = 1;|' \
        tests/solutions/exercise-2.cu >"$in/labs/2-pageable-copies/exercise.cu"
    grep -q 'x->in)\[i\] = 1' "$in/labs/2-pageable-copies/exercise.cu"
    grade lab-2
    refused exercise "b-words-right: wrong words"
}

@test "one block on the device, and the host does the other items" {
    hand_in
    cat >"$in/labs/4-tail-effect/exercise.cu" <<'END'
#include "exercise.h"
void exercise_setup(struct exercise *x) { (void)x; }
void exercise_queue(struct exercise *x) {
    range_kernel<<<1, ITEM_THREADS>>>(x->items, 0, 12);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 12; i < x->items.n; i++) {
        int like = i / (x->items.n / 12 + 1);
        x->items.word[i] = item_done(x->items.word[i], x->items.key);
        x->items.stamps[i] = x->items.stamps[like];
        x->items.stamps[i].sm = i % (x->capacity / 2);
    }
}
void exercise_cleanup(struct exercise *x) { (void)x; }
END
    grade lab-4
    refused exercise "a-blocks: 1"
}

@test "products by the host alone, which on a simulated GPU takes no time" {
    hand_in
    cat >"$in/$lab3/exercise.cu" <<'END'
#include "exercise.h"
void exercise_setup(struct exercise *x) { (void)x; }
void exercise_queue(struct exercise *x) {
    size_t n = (size_t)x->dim;
    for (size_t column = 0; column < (size_t)x->products * n; column++)
        for (size_t row = 0; row < n; row++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += x->a[column / n * n * n + k * n + row] * x->b[column * n + k];
            x->c[column * n + row] = sum;
        }
}
void exercise_cleanup(struct exercise *x) { (void)x; }
END
    grade lab-3
    refused exercise "b-kernels: 0"
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

# ---- limits ----

@test "an endless loop is stopped" {
    exercise_1 'for (;;) spin++;' 'static volatile int spin;'
    start=$SECONDS
    grade lab-1 --time-limit 3
    refused exercise "stopped: still running after 3 s"
    [ $((SECONDS - start)) -lt 60 ]
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
    [ $((SECONDS - start)) -lt 60 ]
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

@test "an exercise reads no other folder, starts and ends no other program, and has no network" {
    python3 tests/grading/confine.py --check || skip "this kernel has no Landlock or no seccomp"
    mkdir "$BATS_TEST_TMPDIR/own" "$BATS_TEST_TMPDIR/others"
    echo secret | tee "$BATS_TEST_TMPDIR/own/file" >"$BATS_TEST_TMPDIR/others/file"
    sleep 60 3>&- &
    python3 - "$BATS_TEST_TMPDIR" $! <<'END'
import sys
sys.path.insert(0, "tests")
from grading import guard
own, others, pid = sys.argv[1] + "/own", sys.argv[1] + "/others", sys.argv[2]
limits = guard.Limits(time_s=5, reads=(own,))
def run(*command):
    return guard.run(command, own, own, limits)
read = "read -r x <{}/file && echo $x >>file"
assert run("/bin/sh", "-c", read.format(own)).ok
assert not run("/bin/sh", "-c", read.format(others)).ok
assert run("/bin/sh", "-c", "kill -0 $$").ok
assert not run("/bin/sh", "-c", f"kill {pid}").ok
assert not run("/bin/sh", "-c", "sleep 0 & wait $!").ok
assert not run("/bin/sh", "-c", "echo x >/dev/shm/grading-test").ok
python = lambda text: run("/usr/bin/python3", "-I", "-S", "-c", text)
thread = "import _thread, time; _thread.start_new_thread(print, ('seen',)); time.sleep(0.2)"
assert "seen" in python(thread).output, python(thread)
for text in ("import os; os.setsid()", "import os; os.fork()", "import _socket; _socket.socket()"):
    outcome = python(text)
    assert outcome.status == 1 and "Operation not permitted" in outcome.output, (text, outcome)
END
    kill %1
}

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
