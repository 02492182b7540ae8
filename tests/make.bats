#!/usr/bin/env bats
# The commands that people type: folders with odd names, and what is compiled again.

bats_require_minimum_version 1.5.0

setup() {
    unset CUDA_LAUNCH_BLOCKING GPU SIM_HOST SIM_GPUS SIM_FAIL SIM_FAIL_NTH
    dir=$BATS_TEST_TMPDIR
    export MAKEFLAGS=
}

@test "OUT with spaces, quotes or a ~: nothing is written or removed beside it" {
    mkdir -p "$dir/home" "$dir/a"
    touch "$dir/a/kept"
    # shellcheck disable=SC2088 # make is given it as it is
    for folder in "$dir/a b" "$dir/it's" '~/runs'; do
        HOME=$dir/home make -s ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$folder" FORMAT=svg \
            ARGS="--parts a --blocks 3 --repeats 1" lab-4
        HOME=$dir/home make -s OUT="$folder" hand-in
        folder=${folder/#\~/"$dir/home"}
        [ -s "$folder/lab-4/timeline-a.svg" ]
        grep -q " passed, 0 failed" "$folder/lab-4/report.txt"
        [ -s "$folder/hand-in/out/lab-4/run.csv" ]
        [ -s "$folder/hand-in.zip" ] || [ -s "$folder/hand-in.tar.gz" ]
    done
    [ -e "$dir/a/kept" ]
    [ "$(ls "$dir")" = "$(printf '%s\n' a "a b" home "it's")" ]
    [ "$(ls "$dir/home")" = runs ]
}

@test "a device that is none; a run that did not start keeps the last one's report" {
    run make -s DEVICE=k40 lab-4
    [ "$status" -ne 0 ]
    [[ "$output" == *"DEVICE=k40: choose auto, gpu, sim or recorded"* ]]
    local options=(-s ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$dir" FORMAT=svg lab-4)
    make "${options[@]}" ARGS="--parts ac --repeats 1"
    [ -s "$dir/lab-4/timeline-c.svg" ]
    run make "${options[@]}" ARGS="--no-such-option"
    [ "$status" -ne 0 ]
    [ "$(ls "$dir"/lab-4/report*)" = "$dir/lab-4/report.txt" ]
    grep -q " passed, 0 failed" "$dir/lab-4/report.txt"
    make "${options[@]}" ARGS="--parts a --repeats 1"
    [ -s "$dir/lab-4/timeline-a.svg" ]
    [ ! -e "$dir/lab-4/timeline-c.svg" ] # it was of the run before
    run make -s OUT="$dir" hand-in
    [[ "$output" == *"lab-1: no run in it; make lab-1"* ]]
    [[ "$output" == *"lab-4: a run with options, which may not count: "*" --parts a --repeats 1"* ]]
    [[ "$output" =~ "lab-4: "[1-9]" answers are blank" ]]
}

@test "a lab or an exercise that is none: one line says which there are" {
    run -2 make -s lab-9
    [ "${lines[0]}" = "there is no lab-9; labs: 1 2 3 4 5 6" ]
    run -2 make -s exercise-9
    [ "${lines[0]}" = "there is no exercise-9; exercises: 1 2 3 4 5 6" ]
}

@test "ARGS=--help prints the help and writes nothing, not over the last report either" {
    run -0 make -s ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$dir/out" lab-4 ARGS=--help
    [[ "$output" == *"usage: lab-4 "*"  d  the same work cut in six ways"* ]]
    [[ "$output" != *charts:* ]]
    [ ! -e "$dir/out" ]
    run -0 make -s ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$dir/out" exercise-4 ARGS=--version
    [[ "$output" == *"exercise-4 "[0-9]* ]]
}

@test "what was compiled for another version or with other flags is compiled anew, and only then" {
    unset SAN # it has a build folder of its own
    object=$dir/sim/error.c.o
    make -s B="$dir" "$object"
    [[ $(make -n B="$dir" "$object") == *"up to date"* ]]
    [[ $(make -n B="$dir" VERSION=9.9 "$object") == *'"9.9"'* ]]
    make -s B="$dir" OPT=-O1 "$object"
    [[ $(make -n B="$dir" OPT=-O1 "$object") == *"up to date"* ]]
    [[ $(make -n B="$dir" "$object") == *"-O2"* ]]
}

@test "a FORMAT or FROM that is none is an error, before a lab runs" {
    run -2 make ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$dir" FORMAT=gif lab-4
    [[ $output == *"FORMAT=gif: choose one of png svg pdf txt"* ]]
    [ ! -e "$dir/lab-4/report.txt" ]
    run -2 make OUT="$dir" FROM=nowhere plots
    [[ $output == *"FROM=nowhere: choose one of out recorded both"* ]]
}

@test "SAN=1 keeps flags given by hand, and has its own once" {
    for source in CFLAGS=-Dgiven "CFLAGS=-fno-omit-frame-pointer -Dgiven"; do
        flags=$(env "$source" make -pnq SAN=1 help 2>/dev/null | sed -n 's/^CFLAGS := //p')
        [ "$(grep -o -e -fsanitize= <<<"$flags" | wc -l)" -eq 1 ]
        [[ $flags == *-Dgiven* ]]
    done
    [[ $(make -pnq SAN=1 CFLAGS=-Dgiven help 2>/dev/null) == *"-Dgiven -fsanitize="* ]]
}

@test "nvcc may be a script or a link in another folder: the toolkit is found behind it" {
    [ -n "$CUDA" ] || skip "no CUDA toolkit here"
    unset SAN # it has a build folder of its own
    mkdir -p "$dir/bin"
    ln -s "$CUDA/bin/nvcc" "$dir/bin/link"
    printf '#!/bin/sh\nexec "%s/bin/nvcc" "$@"\n' "$CUDA" >"$dir/bin/script"
    chmod +x "$dir/bin/script"
    for nvcc in link script; do
        run make B="$dir/$nvcc" NVCC="$dir/bin/$nvcc" "$dir/$nvcc/gpu/labs/1-async-check/report.c.o"
        [ "$status" -eq 0 ]
        [ -s "$dir/$nvcc/gpu/labs/1-async-check/report.c.o" ]
        run make setup NVCC="$dir/bin/$nvcc"
        [[ "$output" == *", toolkit in $CUDA)"* ]]
    done
}

@test "no toolkit, or one without cuBLAS: one line says what to do" {
    run make -s gpu B="$dir/none" NVCC=
    [ "$status" -ne 0 ]
    [[ "${lines[0]}" == "no CUDA toolkit: nvcc is neither on PATH nor in /usr/local/cuda; name it with NVCC=, or choose DEVICE=sim" ]]
    [ ! -e "$dir/none/gpu" ]
    run make -s gpu B="$dir/none" CUDA="$dir" CUBLAS=
    [ "$status" -ne 0 ]
    [[ "${lines[0]}" == "no libcublas.so in $dir to link the labs with; install cuBLAS, or choose DEVICE=sim" ]]
}

@test "a folder whose name starts with a dash is no option; a build folder with spaces is refused" {
    [[ $(make -n ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT=-x lab-4) == *"run-lab.sh "*" './-x'/lab-4"* ]]
    unset SAN # it has a build folder of its own
    run -2 make B="a b" lab-4
    [[ $output == *"B=a b: name one folder, without spaces."* ]]
}

@test "two runs at once in one folder, and one that is stopped: no report is lost or left half" {
    printf '#!/bin/sh\necho started; sleep 2; exec "$@"\n' >"$dir/late"
    chmod +x "$dir/late"
    local options=(-s ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$dir/out" FORMAT=svg lab-4 ARGS="--parts a --repeats 1")
    make "${options[@]}" RUN="$dir/late" >"$dir/late.said" 2>&1 &
    local late=$!
    until grep -q started "$dir/late.said"; do sleep 0.1; done
    make "${options[@]}"
    wait $late
    cat "$dir/late.said"
    [ "$(tail -n 1 "$dir/late.said")" = "charts: 2 in $dir/out/lab-4 (*.svg)" ]
    [ "$(head -n 1 "$dir/out/lab-4/report.txt")" = started ]
    [ "$(grep -c " passed, 0 failed" "$dir/out/lab-4/report.txt")" -eq 1 ]

    setsid make "${options[@]}" RUN="$dir/late" >"$dir/stopped.said" 2>&1 &
    local stopped=$!
    until grep -q started "$dir/stopped.said"; do sleep 0.1; done
    for _ in {1..5}; do kill -TERM -- -$stopped 2>/dev/null || break; done # as make and a shell do
    run ! wait $stopped
    for _ in {1..50}; do [ -z "$(find "$dir/out" -name '*.part')" ] || sleep 0.1; done
    [ -z "$(find "$dir/out" -name '*.part')" ]
    [ "$(grep -c " passed, 0 failed" "$dir/out/lab-4/report.txt")" -eq 1 ]
}

@test "a launcher that fails, or an --out in ARGS: an error, and not the last run's charts" {
    local options=(-s ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$dir/out" FORMAT=svg lab-4)
    make "${options[@]}" ARGS="--parts a --repeats 1"
    for launcher in false true; do
        run -2 make "${options[@]}" RUN=$launcher
        [ "${lines[0]}" = "lab-4: it did not run to its end, or RUN=$launcher did not start it: no new files" ]
        [[ $output != *charts:* ]]
    done
    run -2 make "${options[@]}" ARGS="--parts a --out $dir/other"
    [ "${lines[0]}" = "lab-4: give OUT=<folder> instead of --out: report and charts go there too" ]
    [ ! -e "$dir/other" ]
    [ "$(grep -c " passed, 0 failed" "$dir/out/lab-4/report.txt")" -eq 1 ]
}

@test "several labs with -j: one after the other, so that their reports do not mix" {
    printf '#!/bin/sh\necho begin; sleep 0.5; "$@"; echo end\n' >"$dir/begin-end"
    chmod +x "$dir/begin-end"
    run -0 --separate-stderr make -s -j4 ${SAN:+SAN=$SAN} B="$BUILD" DEVICE=sim OUT="$dir/out" FORMAT=svg \
        RUN="$dir/begin-end" ARGS="--parts a --repeats 1" lab-4 lab-1
    [ "$(grep -x -e begin -e end <<<"$output")" = $'begin\nend\nbegin\nend' ]
}

@test "no clang, no run to draw, no room for a report: one line says so" {
    run -2 env -u SAN make -s B="$dir/none" CLANG="$dir/clang" "$dir/none/sim/error.c.o"
    [ "${lines[0]}" = "no $dir/clang, which compiles for the simulated GPU: make setup, or name it with CLANG=" ]
    for from in out both; do
        run -2 make -s OUT="$dir/none" FROM=$from plots
        [ "${lines[0]}" = "plots: no run is in $dir/none; run a lab first (make lab-N)" ]
    done
    # shellcheck disable=SC2016 # the inner shell expands them
    run -2 bash -c 'make -s B="$BUILD" DEVICE=sim OUT="$1" FORMAT=svg ARGS="--parts a --repeats 1" lab-4 2>&1 >/dev/full' - "$dir"
    [[ ${lines[0]} == "tee: "*"No space left on device" ]]
    [[ ${lines[2]} == *"run-sim] Error 3" ]] # not 1: no check failed
}

@test "tests on a GPU, where there is none: said before anything is compiled" {
    run -2 make -s HAVE_GPU= RUN= B="$dir/none" test-gpu
    [ "${lines[0]}" = "no GPU here (nvidia-smi finds none); make test needs none" ]
    [ ! -e "$dir/none/gpu" ]
}

@test "a trace is drawn with the fonts, the words and the build folder of every other chart" {
    unset SAN # it has a build folder of its own
    run -0 env -u LANG -u LC_ALL -u LC_CTYPE make -s B="$dir/b" OUT="$dir" plot TRACE=tests/data/traces/nsys-gpu.csv
    [ "$output" = $'5 records\ncharts: 1 in '"$dir/trace (*.png)" ]
    [ -s "$dir/trace/timeline.png" ]
    [ -x "$dir/b/plot-data" ]
    mkdir "$dir/bin"
    for tool in bash sh awk mkdir mv rm dirname; do ln -s "$(command -v $tool)" "$dir/bin"; done
    run -2 env PATH="$dir/bin" "$(command -v make)" -s B="$dir/b" OUT="$dir" plot TRACE=tests/data/traces/nsys-gpu.csv
    [[ $output == *"plots: gnuplot is missing: install gnuplot-nox (make setup); the CSV files are in $dir/trace"* ]]
    [[ $output != *"gnuplot: "*"not found"* ]]
}

@test "record stores a run whole, or leaves the one before" {
    mkdir -p "$dir/bin" "$dir/labs/9-none" "$dir/gpu"
    printf '#!/bin/sh\necho "GPU 0: none"\n' >"$dir/bin/nvidia-smi"
    cat >"$dir/gpu/lab-9" <<'END'
#!/bin/sh
for file in $FILES; do echo "$TEXT" >"$2/$file.csv"; done
printf 'device_kind,gpu\ndevice,NVIDIA H200\n' >"$2/run.csv"
END
    chmod +x "$dir/bin/nvidia-smi" "$dir/gpu/lab-9"
    cd "$dir"
    export PATH=$dir/bin:$PATH
    FILES="results timeline checks" TEXT=one "$BATS_TEST_DIRNAME/../common/record.sh" gpu 9
    FILES="results timeline" TEXT=two run -1 "$BATS_TEST_DIRNAME/../common/record.sh" gpu 9
    [ "$(ls -A labs/9-none/recorded)" = h200 ]
    [ "$(find labs/9-none/recorded/h200 -type f | wc -l)" -eq 5 ]
    [ "$(cat labs/9-none/recorded/h200/results.csv)" = one ]
    FILES="results timeline checks" TEXT=three "$BATS_TEST_DIRNAME/../common/record.sh" gpu 9
    [ "$(cat labs/9-none/recorded/h200/checks.csv)" = three ]
    [ "$(ls -A labs/9-none/recorded)" = h200 ]
}
