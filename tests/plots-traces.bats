#!/usr/bin/env bats
# Charts of other profilers' traces and of very many rows; and the trace as timeline.json.

bats_require_minimum_version 1.5.0
load plots.bash

@test "other profilers' traces: Nsight Systems (GPU and API), nvprof" {
    plots/trace-convert "$run" tests/data/traces/nsys-gpu.csv tests/data/traces/nsys-api.csv
    [ "$(grep -c '^trace,' "$run/timeline.csv")" -eq 11 ]
    grep -qF 'trace,kernel,"void gemm<double, (int)16>(T1, ""quoted"")",0,14,731990900,733193234,114,0,,,24,12,1,128,1,1' "$run/timeline.csv"
    grep -qF 'trace,h2d,[CUDA memcpy Host-to-Device],0,13,713025011,731978134,112,67109000,pageable,device,' "$run/timeline.csv"
    grep -qF 'trace,api,cudaMemcpyAsync,0,-1,732004000,746269000,115,' "$run/timeline.csv"
    timeline trace "$out.png"
    plots/trace-convert "$run" tests/data/traces/nvprof-gpu.csv
    grep -qF 'trace,kernel,"sleep_kernel(long, int)",0,13,253480000,273637648,117,0,,,128,1,1,128,1,1' "$run/timeline.csv"
    grep -qF 'trace,h2d,[CUDA memcpy HtoD],0,13,245112000,253446000,0,50000000,pageable,device,' "$run/timeline.csv"
    timeline trace "$out.png"
    run plots/trace-convert "$run" tests/data/run/results.csv
    [ "$status" -eq 1 ]
    [[ "$output" == *"no heading with Start, Duration and Name"* ]]
    sed 's/713025011/713,025/' tests/data/traces/nsys-gpu.csv >"$BATS_TEST_TMPDIR/comma.csv"
    run plots/trace-convert "$run" "$BATS_TEST_TMPDIR/comma.csv"
    [ "$status" -eq 1 ]
    [[ "$output" == *"fields, but its heading has"* ]]
}

@test "other profilers' traces: several GPUs, microseconds, a byte-order mark, CRLF, old units, unified memory" {
    plots/trace-convert "$run" tests/data/traces/nsys-several.csv
    [ "$(grep -c '^trace,' "$run/timeline.csv")" -eq 4 ]
    grep -qF 'trace,kernel,"void gemm<double, (int)16>(T1, ""quoted"")",1,14,731990900,733193234,114,0,,,24,12,1,128,1,1' "$run/timeline.csv"
    grep -qF 'trace,peer,[CUDA memcpy Peer-to-Peer],1,13,732055001,736266003,115,67109000,device,device,' "$run/timeline.csv"
    timeline trace "$out.svg"
    grep -q "GPU 0 stream 13" "$out.svg"
    grep -q "GPU 1 peer copy" "$out.svg"
    sed 's/Start (μs)/"Start(usec)"/; s/Duration (μs)/"Duration(usec)"/' tests/data/traces/nsys-several.csv >"$BATS_TEST_TMPDIR/old.csv"
    cp "$run/timeline.csv" "$BATS_TEST_TMPDIR/new.csv"
    plots/trace-convert "$run" "$BATS_TEST_TMPDIR/old.csv"
    cmp "$run/timeline.csv" "$BATS_TEST_TMPDIR/new.csv"
    run plots/trace-convert "$run" tests/data/traces/nvprof-several.csv tests/data/traces/nvprof-api.csv
    [ "$output" = "8 records; 1 of unified memory that are no copies are left out" ]
    grep -qF 'trace,kernel,"sleep_kernel(long, int)",1,13,253480000,273637648,117,' "$run/timeline.csv"
    grep -qF 'trace,api,"cudaLaunch (sleep_kernel(long, int))",0,-1,253450000,253481000,117,' "$run/timeline.csv"
    grep -qF 'trace,h2d,[Unified Memory Memcpy HtoD],0,0,283640000,283652000,0,65536,' "$run/timeline.csv"
    timeline trace "$out.svg"
    sed 's/μs/hours/g' tests/data/traces/nsys-several.csv >"$BATS_TEST_TMPDIR/hours.csv"
    run -1 plots/trace-convert "$run" "$BATS_TEST_TMPDIR/hours.csv"
    [[ "$output" == *'unit "hours" of a time'* ]]
}

@test "other profilers' traces: a name with =, a folder, UTF-16, a full disk" {
    mkdir "$BATS_TEST_TMPDIR/traces"
    cp tests/data/traces/nsys-gpu.csv "$BATS_TEST_TMPDIR/traces/a=b.csv"
    here=$PWD
    cd "$BATS_TEST_TMPDIR/traces"
    run -0 "$here/plots/trace-convert" "$run" a=b.csv
    [ "$output" = "5 records" ]
    cp "$run/timeline.csv" before.csv
    run -1 "$here/plots/trace-convert" "$run" .
    [ "$output" = "trace-convert: cannot read ." ]
    iconv -f UTF-8 -t UTF-16 a=b.csv >16.csv
    run -1 "$here/plots/trace-convert" "$run" 16.csv
    [[ $output == "trace-convert: ./16.csv:1: text in UTF-16"* ]]
    [ "${#lines[@]}" -eq 1 ]
    cmp "$run/timeline.csv" before.csv
    mkdir full
    mount -t tmpfs -o size=4k none full 2>/dev/null || skip "the rest: cannot mount here"
    head -c 4096 /dev/zero >full/up
    run -3 "$here/plots/trace-convert" full a=b.csv
    left=$(ls -A full)
    umount full
    [[ ${lines[-1]} == "trace-convert: cannot write to full (disk full?)" ]]
    [ "$left" = up ]
}

@test "a million rows: PNG under 10 s and 1 GiB; SVG and PDF under 2 MiB" {
    head -n 1 tests/data/run/timeline.csv >"$run/timeline.csv"
    awk 'BEGIN { srand(1); for (i = 0; i < 500000; i++) { t = i * 4000
        printf "x,api,cudaLaunchKernel,0,-1,%d,%d,%d,0,,,0,0,0,0,0,0\n", t, t + 3000, i + 1
        printf "x,kernel,\"gemm<double, 16>\",0,%d,%d,%d,%d,0,,,24,12,1,128,1,1\n", i % 64, t + 5000,
            t + 5000 + int(rand() * rand() * 400000), i + 1 } }' >>"$run/timeline.csv"
    ulimit -v 1048576
    local TIMEFORMAT='%U %S' # CPU time, for others may use this machine as well
    { time timeline x "$out.png"; } 2>"$out.time"
    awk '{ print $1 + $2, "s"; exit $1 + $2 >= 10 }' "$out.time"
    timeline x "$out.svg"
    timeline x "$out.pdf"
    [ "$(stat -c %s "$out.svg")" -lt 2097152 ]
    [ "$(stat -c %s "$out.pdf")" -lt 2097152 ]
    grep -qE "of 1 000 000 records are shorter than" "$out.svg"
}

@test "timeline.json is valid and has every field of every row of timeline.csv" {
    for n in 1 6; do
        [ -x "$BUILD/sim/lab-$n" ] || skip "lab-$n is not built: make sim"
        rm -rf "$run"
        "$BUILD/sim/lab-$n" --out "$run" --parts abc >/dev/null || [ $? -eq 1 ]
        tests/compare-json "$run/timeline.csv" "$run/timeline.json"
    done
}
