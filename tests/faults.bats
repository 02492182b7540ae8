#!/usr/bin/env bats
# Bad input, bad luck: one clear line on stderr, the right exit status, no half-written file. On the
# probe, a lab that can be told to go wrong; the labs have the same common layer.

setup() {
    probe=$BUILD/sim/probe
    out=$BATS_TEST_TMPDIR/out
    lines=$BATS_TEST_TMPDIR/stderr
    unset CUDA_LAUNCH_BLOCKING GPU SIM_FAIL SIM_FAIL_NTH
}

teardown() {
    ! mountpoint -q "$BATS_TEST_TMPDIR/disk" || umount "$BATS_TEST_TMPDIR/disk"
}

# run_probe STATUS TEXT ARG...: exits with STATUS, and stderr is one line with TEXT in it.
run_probe() {
    local status=0 wanted=$1 text=$2
    shift 2
    "$probe" "$@" >"$BATS_TEST_TMPDIR/stdout" 2>"$lines" || status=$?
    cat "$lines"
    [ "$status" -eq "$wanted" ] || { echo "status $status, not $wanted"; return 1; }
    [ "$(wc -l <"$lines")" -eq 1 ] || { echo "not one line"; return 1; }
    grep -qF -e "probe: $text" "$lines" || { echo "no: probe: $text"; return 1; }
}

fields() { # the column $2 of the CSV file $1, without its heading
    python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")): print(row[sys.argv[2]])' "$1" "$2"
}

run_value() { # the value of the key $1 in run.csv
    python3 -c 'import csv, sys
print(dict(csv.reader(open(sys.argv[1], newline="")))[sys.argv[2]])' "$out/run.csv" "$1"
}

# ---- the command line ----

@test "bad options end with status 2, one line, and what is allowed" {
    run_probe 2 "--nosuch is unknown; see --help" --nosuch 1
    run_probe 2 "'x' is not an option" x
    run_probe 2 "--number: 'x' is not a number; allowed: a whole number, 1 to 100" --number x
    run_probe 2 "--number: '0' is zero" --number 0
    run_probe 2 "--number: '-1' is negative" --number -1
    run_probe 2 "--number: '101' is too large" --number 101
    run_probe 2 "--number: '99999999999999999999' is too large" --number 99999999999999999999
    run_probe 2 "--number: its value is missing" --number
    run_probe 2 "--bytes: '1XB' is not a number with a known unit" --bytes 1XB
    run_probe 2 "--sleep: '10' is a number without a unit" --sleep 10
    run_probe 2 "--memory: 'pin' is not known; allowed: pageable|pinned|registered" --memory pin
    run_probe 2 "--repeats: '0' is zero; allowed: a whole number, 1 to 1001" --repeats 0
    run_probe 2 "--repeats: '1002' is too large" --repeats=1002
    run_probe 2 "--parts: 'az' names no part 'z'; allowed: letters from a to b" --parts az
    run_probe 2 "--out: its value is missing" --out --no-trace
}

@test "a device index out of range ends with status 2" {
    run_probe 2 "--device: '9' is out of range; allowed: 0 to" --device 9
    run_probe 2 "--device: '-1' is negative" --device -1
}

@test "a bad command line writes nothing" {
    run_probe 2 "--number" --out "$out" --number 0
    [ ! -e "$out" ]
}

@test "options reach the lab in both spellings" {
    run "$probe" --number=7 --bytes 2GiB --sleep=20ms --memory registered --dims 16,32 --text a,b
    [ "$status" -eq 0 ]
    [[ $output == *"flag 0 number 7 bytes 2147483648 sleep 20000000 memory 2 text a,b dims 16 32"* ]]
}

@test "--help and --version print to stdout, even without a device" {
    export SIM_FAIL=cudaGetDeviceCount:1:cudaErrorNoDevice
    for option in --help --version; do
        "$probe" $option >"$BATS_TEST_TMPDIR/stdout" 2>"$lines"
        [ -s "$BATS_TEST_TMPDIR/stdout" ]
        [ ! -s "$lines" ]
    done
    for option in out device parts repeats no-trace help version number; do
        "$probe" --help | grep -q -e "--$option"
    done
}

@test "a full disk behind stdout ends with status 3" {
    status=0
    "$probe" --help >/dev/full 2>"$lines" || status=$?
    [ "$status" -eq 3 ]
    status=0
    "$probe" >/dev/full 2>"$lines" || status=$?
    [ "$status" -eq 3 ]
    grep -q "standard output" "$lines"
}

# ---- the device ----

@test "no device, no driver, an old driver, a busy device: status 3 and advice" {
    SIM_FAIL=cudaGetDeviceCount:1:cudaErrorNoDevice run_probe 3 "no usable GPU: cudaErrorNoDevice"
    SIM_FAIL=cudaDriverGetVersion:1:cudaErrorUnknown,cudaGetDeviceCount:1:cudaErrorInsufficientDriver \
        run_probe 3 "no NVIDIA driver was found; install one"
    SIM_FAIL=cudaGetDeviceCount:1:cudaErrorInsufficientDriver \
        run_probe 3 "the driver knows CUDA up to"
    SIM_FAIL=cudaSetDevice:1:cudaErrorDevicesUnavailable run_probe 3 "cannot use GPU 0"
    grep -q "exclusive" "$lines"
    SIM_FAIL=cudaFree:1:cudaErrorDevicesUnavailable run_probe 3 "cannot use GPU 0"
}

@test "kernels that the driver cannot load: the error is reported, nothing is timed" {
    for error in cudaErrorUnsupportedPtxVersion cudaErrorNoKernelImageForDevice; do
        SIM_FAIL=cudaLaunchKernel:1:$error run_probe 3 "" --out "$out"
        grep -q "$error.*nothing was timed" "$lines"
        [ ! -e "$out" ]
        ! grep -q "takes" "$BATS_TEST_TMPDIR/stdout" || false
    done
}

@test "a CUDA call that fails names the call, the error, the place, and what to do" {
    run_probe 1 "cudaSetDevice(12345) failed: cudaErrorInvalidDevice (" --bad-call --out "$out"
    grep -qE 'at [^ ]*probe.cu:[0-9]+; .+' "$lines"
    [ ! -e "$out" ]
}

@test "more memory than the device has ends with status 3" {
    run_probe 3 "cudaMalloc(&memory_of_another, (size_t)1 << 50) failed: cudaErrorMemoryAllocation" \
        --too-much-memory
    grep -q "smaller sizes" "$lines"
}

@test "whichever CUDA call fails, the run ends with one line and no files" {
    # Each call in turn, until a run has fewer calls than that.
    nth=1
    while :; do
        status=0
        SIM_FAIL_NTH=$nth "$probe" --repeats 1 --out "$out" >"$BATS_TEST_TMPDIR/stdout" 2>"$lines" ||
            status=$?
        if [ "$status" -eq 0 ]; then
            [ "$nth" -eq 2 ] || break # cudaDriverGetVersion: a run can do without
            rm -r "$out"
            nth=3
            continue
        fi
        echo "call $nth: status $status: $(cat "$lines")"
        [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
        [ "$(wc -l <"$lines")" -eq 1 ]
        [ ! -e "$out" ]
        nth=$((nth + 1))
        [ "$nth" -le 20 ] || nth=$((nth + 10)) # later ones are the calibration's, much alike
        [ "$nth" -lt 5000 ]
    done
    [ "$nth" -gt 20 ]
    [ -s "$out/run.csv" ]
}

# ---- invalid runs ----

@test "CUDA_LAUNCH_BLOCKING=1 marks the run invalid in every output, and nothing passes" {
    status=0
    CUDA_LAUNCH_BLOCKING=1 "$probe" --out "$out" >"$BATS_TEST_TMPDIR/stdout" || status=$?
    [ "$status" -eq 77 ]
    grep -q "^INVALID  CUDA_LAUNCH_BLOCKING is set" "$BATS_TEST_TMPDIR/stdout"
    grep -q "^0 passed, 0 failed" "$BATS_TEST_TMPDIR/stdout"
    [[ $(run_value invalid) == CUDA_LAUNCH_BLOCKING* ]]
    [ "$(run_value CUDA_LAUNCH_BLOCKING)" = 1 ]
    [ "$(fields "$out/checks.csv" verdict | sort -u)" = cannot-show ]
    fields "$out/checks.csv" why | grep -q CUDA_LAUNCH_BLOCKING
}

@test "CUDA_LAUNCH_BLOCKING=0 is no harm" {
    CUDA_LAUNCH_BLOCKING=0 "$probe" --out "$out"
    [ -z "$(run_value invalid)" ]
}

@test "an invalid run does not fail either" {
    status=0
    CUDA_LAUNCH_BLOCKING=1 "$probe" --fail || status=$?
    [ "$status" -eq 77 ]
}

# ---- what is written ----

@test "exit status: 0 passed, 1 a check failed, 77 nothing could be shown" {
    "$probe"
    run "$probe" --fail
    [ "$status" -eq 1 ]
    run "$probe" --show-nothing
    [ "$status" -eq 77 ]
    run "$probe" --parts b
    [ "$status" -eq 77 ]
}

@test "without --out nothing is written" {
    cd "$BATS_TEST_TMPDIR"
    "$(cd - >/dev/null && realpath "$probe")" >/dev/null
    [ "$(ls -A)" = "" ]
}

@test "all files, one line a row, and a heading that names the device" {
    "$probe" --out "$out" --text "a b" >"$BATS_TEST_TMPDIR/stdout"
    for file in run results timeline checks; do [ -s "$out/$file.csv" ]; done
    [ "$(ls -A "$out" | grep -c '^\.')" = 0 ]
    grep -q "^probe every way to go wrong" "$BATS_TEST_TMPDIR/stdout"
    grep -q "SIMULATED $(run_value device | sed 's/SIMULATED //')" "$BATS_TEST_TMPDIR/stdout"
    [ "$(run_value device_kind)" = sim ]
    [[ $(run_value command) == *"--text 'a b'" ]]
    [[ $(run_value date) == 20??-??-??T??:??:??Z ]]
    [ "$(run_value "rejected records")" = 0 ]
    [ "$(fields "$out/timeline.csv" start_ns | sort -n | head -n 1)" = 0 ]
    [ "$(fields "$out/results.csv" n | sort -n | tail -n 1)" = 11 ]
}

@test "one traced round is in the timeline, however many were measured" {
    "$probe" --out "$out" --repeats 21
    [ "$(fields "$out/timeline.csv" kind | grep -c kernel)" = 1 ]
    [ "$(fields "$out/results.csv" n | sort -n | tail -n 1)" = 21 ]
}

@test "every command in run.csv can be given again" {
    "$probe" --out "$out" --text "it's, \"quoted\" \$HOME" >"$BATS_TEST_TMPDIR/first"
    eval "$(run_value command)" >"$BATS_TEST_TMPDIR/second"
    cmp "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}

@test "a result that is not a number is an empty field, never 0" {
    "$probe" --out "$out" --nan
    grep -qx "a,nothing,ns,1,,,," "$out/results.csv"
}

@test "--no-trace: the tracer is none, with the reason" {
    "$probe" --no-trace --out "$out" || true
    [ "$(run_value tracer)" = "none: --no-trace" ]
    [ "$(run_value "tracer slow-down")" = "" ]
}

@test "no colours and no progress where no terminal is; NO_COLOR is honoured" {
    "$probe" >"$BATS_TEST_TMPDIR/stdout" 2>"$lines"
    [ ! -s "$lines" ]
    ! grep -q $'\033' "$BATS_TEST_TMPDIR/stdout" || false
    command -v script >/dev/null || skip "no script(1) to make a terminal with"
    TERM=xterm script -qec "$probe" /dev/null | grep -q $'\033\[32mpass'
    TERM=xterm NO_COLOR=1 script -qec "$probe" /dev/null >"$BATS_TEST_TMPDIR/plain"
    ! grep -q $'\033\[3' "$BATS_TEST_TMPDIR/plain" || false
}

# ---- folders and disks ----

@test "a folder that cannot be made or written ends with status 3" {
    run_probe 3 "cannot make the folder /dev/null: Not a directory" --out /dev/null/x
    run_probe 3 "cannot make the folder /proc/x" --out /proc/x
    touch "$BATS_TEST_TMPDIR/file"
    run_probe 3 "cannot make the folder $BATS_TEST_TMPDIR/file: Not a directory" \
        --out "$BATS_TEST_TMPDIR/file"
}

@test "a full disk ends with status 3 and leaves no file" {
    disk=$BATS_TEST_TMPDIR/disk
    mkdir "$disk"
    mount -t tmpfs -o size=256k none "$disk" 2>/dev/null || skip "cannot mount a small disk here"
    run_probe 3 "cannot write $disk/out/timeline.csv: No space left on device; make room" \
        --out "$disk/out" --spans 20000
    [ -z "$(ls -A "$disk/out")" ]
}

@test "a file over the size limit is like a full disk" {
    (
        ulimit -f 64
        run_probe 3 "cannot write $out/timeline.csv: File too large" --out "$out" --spans 20000
    )
    [ -z "$(ls -A "$out")" ]
}

@test "a failed write keeps the files of the run before, all of them" {
    "$probe" --out "$out" --number 1
    cp -r "$out" "$out.before"
    (
        ulimit -f 64
        run_probe 3 "cannot write" --out "$out" --number 2 --spans 20000
    )
    diff -r "$out" "$out.before"
}

# ---- signals ----

# stop SIGNAL SECONDS ARG...: starts the probe, stops it after that long; sets status.
stop() {
    local signal=$1 seconds=$2
    shift 2
    "$probe" --out "$out" "$@" >"$BATS_TEST_TMPDIR/stdout" 2>"$lines" &
    local pid=$!
    sleep "$seconds"
    kill -s "$signal" $pid
    status=0
    wait $pid || status=$?
    cat "$lines"
}

@test "SIGTERM and SIGINT in the middle: a message, 128 + the signal, no files" {
    stop TERM 1 --hold 60s
    [ "$status" -eq 143 ]
    grep -q "^probe: terminated (SIGTERM)" "$lines"
    [ ! -e "$out" ]
    # A shell starts background jobs with SIGINT ignored: ask for it to be delivered.
    status=0
    python3 - "$probe" "$out" 2>"$lines" <<'PYTHON' || status=$?
import signal, subprocess, sys, time
child = subprocess.Popen([sys.argv[1], "--out", sys.argv[2], "--hold", "60s"],
                         stdout=subprocess.DEVNULL,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(1)
child.send_signal(signal.SIGINT)
sys.exit(child.wait())
PYTHON
    [ "$status" -eq 130 ]
    grep -q "^probe: interrupted (SIGINT)" "$lines"
    [ ! -e "$out" ]
}

@test "SIGTERM while files are written: none of them appears" {
    for file in run results timeline checks; do
        rm -rf "$out"
        mkdir "$out"
        "$probe" --out "$out" --spans 3000000 >"$BATS_TEST_TMPDIR/stdout" 2>"$lines" &
        pid=$!
        # Until that file is being written, under its temporary name.
        for ((i = 0; i < 10000; i++)); do
            ! compgen -G "$out/.$file.csv.*" >/dev/null || break
            kill -0 $pid
        done
        kill -s TERM $pid
        status=0
        wait $pid || status=$?
        echo "$file: status $status, left: $(ls -A "$out")"
        [ "$status" -eq 143 ]
        [ -z "$(ls -A "$out")" ]
    done
}

@test "a reader that goes away ends the run quietly" {
    run bash -c "set -o pipefail; '$probe' --out '$out' 2>'$lines' | true"
    [ "$status" -eq 141 ] || [ "$status" -eq 0 ] # or it had printed all before the reader left
    [ ! -s "$lines" ]
}
