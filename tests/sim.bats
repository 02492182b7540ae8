#!/usr/bin/env bats
# The simulated GPU as a program meets it: small programs built with clang and no CUDA toolkit, and
# the labs: the same bytes every time, in little time and memory.

bats_require_minimum_version 1.5.0

setup() {
    dir=$BATS_TEST_TMPDIR
    unset CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING GPU SIM_HOST SIM_GPUS SIM_FAIL SIM_FAIL_NTH
    cd "$BATS_TEST_DIRNAME/.."
}

# build [MODELS.c] [MORE.cu]: builds the .cu program on stdin as $dir/program, with no toolkit in
# sight.
build() {
    local sanitize=() objects=() sources=(common/*.c common/*.cu common/sim/*.c)
    objects=("${sources[@]#common/}") # not whatever is there: an older build may have left more
    objects=("${objects[@]/#/$BUILD/sim/}")
    objects=("${objects[@]/%/.o}")
    case $BUILD in *san) sanitize=(-fsanitize=address,undefined -fno-sanitize=function,vptr) ;; esac
    { echo '#include <stdio.h>'; echo '#include "lab.h"'; cat; } >"$dir/program.cu"
    for source in "$dir/program.cu" "${@:2}"; do
        PATH=/usr/bin:/bin clang -x cuda --cuda-host-only --cuda-path=/nonexistent -nocudainc \
            -nocudalib -Xclang -target-sdk-version=11.0 -std=c++17 -O1 -Icommon \
            -Icommon/sim/include "${sanitize[@]}" -c "$source" -o "${source%.cu}.o" || return
    done
    if [ $# -gt 1 ]; then objects+=("${2%.cu}.o"); fi
    if [ $# -gt 0 ]; then
        clang -std=c11 -D_GNU_SOURCE -Icommon -Icommon/sim -Icommon/sim/include "${sanitize[@]}" \
            -c "$1" -o "$dir/models.o" || return
        objects+=("$dir/models.o")
    fi
    clang -rdynamic "${sanitize[@]}" "$dir/program.o" "${objects[@]}" -o "$dir/program" -lm -ldl
}

@test "the document's program, as it was written: what ran ahead of the host" {
    cat >"$dir/models.c" <<'C'
#include "sim.h"
static void dummy_plan(struct sim_launch *launch, struct sim_plan *plan) {
    plan->block_ns = (double)SIM_ARG(launch, 0, long long) / sim_profile()->sm_clock_ghz;
}
SIM_KERNEL_MODEL(dummy, .arg_bytes = {8}, .registers = 16, .plan = dummy_plan);
C
    build "$dir/models.c" <<'CU'
#include <stdlib.h>
#include <string.h>
__global__ void dummy(long long cycles) { long long start = clock64(); while (clock64() - start < cycles) ; }
static void set(cudaStream_t, cudaError_t, void *flag) { *(bool *)flag = true; }
int main(int argc, char **) {
    size_t bytes = 10 * 1000 * 1000;
    char *host, *device;
    bool called = false;
    cudaStream_t stream;
    if (argc > 1) cudaMallocHost(&host, bytes); else memset(host = (char *)malloc(bytes), 1, bytes);
    cudaMalloc(&device, bytes);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemcpyAsync(device, host, bytes, cudaMemcpyDefault, stream);
    dummy<<<128, 128, 0, stream>>>(1000 * 1000 * 1000);
    cudaMemcpyAsync(host, device, bytes, cudaMemcpyDefault, stream);
    cudaStreamAddCallback(stream, set, &called, 0);
    printf("%d ", cudaStreamQuery(stream) == cudaErrorNotReady && !called);
    cudaStreamSynchronize(stream);
    printf("%d %d\n", called, host[bytes - 1] == (argc > 1 ? 0 : 1));
    if (argc == 1) free(host);
}
CU
    [ "$("$dir/program")" = "1 1 1" ]
    [ "$("$dir/program" pinned)" = "1 1 1" ]
}

@test "a kernel without a model, and a static one: one line that says what to do" {
    build <<'CU'
__global__ void unheard_of(int) {}
static __global__ void hidden(int) {}
int main(int argc, char **) { if (argc > 1) hidden<<<1, 1>>>(0); else unheard_of<<<1, 1>>>(0); }
CU
    run -3 --separate-stderr "$dir/program"
    [[ $stderr == *"no timing model for the kernel unheard_of"*"SIM_KERNEL_MODEL(unheard_of"* ]]
    run -3 --separate-stderr "$dir/program" hidden
    [[ $stderr == *"a static kernel has none, declare it without static"* ]]
}

@test "kernels in namespaces, templates aside, go by their own name" {
    cat >"$dir/models.c" <<'C'
#include "sim.h"
static void plan(struct sim_launch *launch, struct sim_plan *plan) { (void)launch; plan->block_ns = 5000; }
static void effect(struct sim_launch *launch) { *SIM_ARG(launch, 0, int *) += 1; }
SIM_KERNEL_MODEL(count_up, .arg_bytes = {8}, .registers = 16, .plan = plan, .effect = effect);
C
    build "$dir/models.c" <<'CU'
namespace mine { __global__ void count_up(int *n) { ++*n; } }
int main() {
    int *n;
    cudaMallocHost(&n, sizeof *n);
    mine::count_up<<<1, 1>>>(n);
    mine::count_up<<<dim3(2, 2), 32>>>(n);
    cudaDeviceSynchronize();
    printf("%d %s\n", *n, cudaGetErrorName(cudaGetLastError()));
}
CU
    [ "$("$dir/program")" = "2 cudaSuccess" ]
}

# Each line is a statement: all of them in main; each in a function; every other one in another file.
split() { # whole, functions or files
    local i=0 line names=()
    : >"$dir/calls.h"
    { echo '#include "lab.h"'; echo '#include "state.h"'; } >"$dir/more.cu"
    {
        echo '#define STATE'
        echo '#include "state.h"'
        while read -r line; do
            names+=("step_$i")
            case $1 in
            whole) echo "{ $line }" >>"$dir/calls.h" ;;
            files) ((i % 2)) && echo "void step_$i() { $line }" >>"$dir/more.cu" ;;&
            functions | files)
                echo "step_$i();" >>"$dir/calls.h"
                if [ "$1" = functions ] || ((i % 2 == 0)); then
                    echo "__attribute__((noinline)) void step_$i() { $line }"
                else
                    echo "void step_$i();"
                fi
                ;;
            esac
            i=$((i + 1))
        done
        echo 'int main() {'
        echo '#include "calls.h"'
        echo '}'
    }
}

@test "what a program does, and when, does not depend on how it is split into functions and files" {
    cat >"$dir/models.c" <<'C'
#include "sim.h"
static void plan(struct sim_launch *launch, struct sim_plan *plan) { plan->block_ns = 1000 * SIM_ARG(launch, 1, int); }
static void effect(struct sim_launch *launch) { *SIM_ARG(launch, 0, int *) += SIM_ARG(launch, 1, int); }
SIM_KERNEL_MODEL(add, .arg_bytes = {8, 4}, .registers = 16, .plan = plan, .effect = effect);
C
    cat >"$dir/state.h" <<'CU'
#include <stdlib.h>
#ifdef STATE
__global__ void add(int *n, int more) { *n += more; }
cudaStream_t one, two; cudaEvent_t done; cublasHandle_t blas; int *n; double *matrix; char *pageable;
#else
__global__ void add(int *n, int more);
extern cudaStream_t one, two; extern cudaEvent_t done; extern cublasHandle_t blas; extern int *n; extern double *matrix; extern char *pageable;
#endif
CU
    cat >"$dir/steps" <<'CU'
tracer_init(); cudaMallocHost(&n, 4096); cudaMalloc(&matrix, 3 << 20); pageable = (char *)calloc(1, 1 << 20);
cudaStreamCreate(&one); cudaEventCreate(&done); *n = 0;
cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking); cublasCreate(&blas);
trace_begin("a"); add<<<300, 256, 0, one>>>(n, 1); cudaEventRecord(done, one);
add<<<300, 256, 0, two>>>(n, 10); cudaMemcpyAsync(matrix, pageable, 1 << 20, cudaMemcpyDefault, one);
cudaStreamWaitEvent(two, done, 0); cublasSetStream(blas, two);
double x = 1, y = 0; cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 256, 256, 256, &x, matrix, 256, matrix + 65536, 256, &y, matrix + 131072, 256);
cudaMemcpy(pageable, matrix, 1 << 20, cudaMemcpyDefault); add<<<1, 1>>>(n, 100);
double x = 1, y = 1; cublasSetStream(blas, one); cublasDgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, 256, 256, 256, &x, matrix, 256, matrix + 65536, 256, &y, matrix + 131072, 256);
add<<<2, 64, 0, two>>>(n, 1000); cudaMemcpyAsync(pageable, matrix, 100, cudaMemcpyDefault, two);
cudaDeviceSynchronize(); trace_end(); timeline_write("."); printf("%d %lld %lld\n", *n, (long long)wall_ns(), (long long)cpu_ns());
CU
    for way in whole functions files; do
        split $way <"$dir/steps" | CPATH=$dir build "$dir/models.c" "$dir/more.cu"
        (cd "$dir" && ./program >"$way.txt" && mv timeline.csv "$way.csv")
        cat "$dir/$way.txt"
        cmp "$dir/whole.txt" "$dir/$way.txt"
        cmp "$dir/whole.csv" "$dir/$way.csv"
    done
    grep -q "^1111 " "$dir/whole.txt"
    [ "$(grep -c ",kernel," "$dir/whole.csv")" -eq 6 ]
}

@test "a call that is not modelled is named by the linker" {
    run build <<'CU'
int main() { cudaGraphExecUpdateResultInfo info; return cudaGraphExecUpdate(0, 0, &info); }
CU
    [ "$status" -ne 0 ]
    [[ $output == *"undefined reference to"*"cudaGraphExecUpdate"* ]]
}

@test "a wait that cannot end names the call, the kernel and the stream" {
    build <<'CU'
int main() {
    kernels_init();
    struct gate *gate = gate_new();
    gate_close(gate, 0);
    cudaDeviceSynchronize();
}
CU
    run -1 --separate-stderr "$dir/program"
    [[ $stderr == *"cudaDeviceSynchronize never returns: gate_kernel in stream 0"* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "SIM_FAIL makes the nth call of a function fail, SIM_FAIL_NTH the nth call" {
    build <<'CU'
int main() {
    void *p;
    for (int i = 0; i < 4; i++) printf("%s ", cudaGetErrorName(cudaMalloc(&p, 16)));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
CU
    ok=cudaSuccess
    [ "$("$dir/program")" = "$ok $ok $ok $ok $ok" ]
    export SIM_FAIL=cudaFree:1:cudaErrorUnknown,cudaMalloc:3:cudaErrorMemoryAllocation
    [ "$("$dir/program")" = "$ok $ok cudaErrorMemoryAllocation $ok cudaErrorMemoryAllocation" ]
    unset SIM_FAIL
    [ "$(SIM_FAIL_NTH=2 "$dir/program")" = "$ok cudaErrorUnknown $ok $ok cudaErrorUnknown" ]
    SIM_FAIL=cudaMalloc:1 run -2 "$dir/program"
    SIM_FAIL=cudaMalloc:1:cudaErrorNoSuch run -2 "$dir/program"
    SIM_FAIL_NTH=x run -2 "$dir/program"
    SIM_GPUS=17 run -2 "$dir/program"
    [ "$(SIM_GPUS=0 "$dir/program")" = "$(printf 'cudaErrorNoDevice %.0s' 1 2 3 4)cudaErrorNoDevice" ]
}

# From another folder, with a larger environment (which moves the stack), another home, language,
# time zone and priority, and once with addresses that are the same in every run, once with the
# random ones that a system usually gives.
@test "each lab leaves and prints the same bytes every time" {
    local fixed=()
    if setarch -R true 2>/dev/null; then fixed=(setarch -R); fi
    for lab in "$BUILD"/sim/lab-[1-6]; do
        "${fixed[@]}" "$lab" --out "$dir/first" >"$dir/first.txt"
        (cd / && A_LONGER_ENVIRONMENT=$(printf %4000s) HOME=/nonexistent TZ=Asia/Kolkata LC_ALL=de_DE.UTF-8 \
            nice -n 19 "$(cd "$OLDPWD" && realpath "$lab")" --out "$dir/second" >"$dir/second.txt")
        for file in results timeline checks; do
            cmp "$dir/first/$file.csv" "$dir/second/$file.csv"
        done
        diff <(sed "s|$dir/first|OUT|g" "$dir/first.txt") <(sed "s|$dir/second|OUT|g" "$dir/second.txt")
        rm -r "$dir/first" "$dir/second"
    done
}

# CPU time, for others may use this machine as well; a sanitizer's build is slower and larger.
@test "labs 1 to 3 take under 5 s and 1 GiB" {
    case $BUILD in *san) skip "built with sanitizers" ;; esac
    python3 - "$dir/out" "$BUILD"/sim/lab-[123] <<'PYTHON'
import resource, subprocess, sys
for lab in sys.argv[2:]:
    subprocess.run([lab, "--out", sys.argv[1]], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds, gib = used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20
print(f"{seconds:.1f} s, {gib:.2f} GiB")
sys.exit(seconds > 5 or gib > 1)
PYTHON
}
