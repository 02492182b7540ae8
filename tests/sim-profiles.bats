#!/usr/bin/env bats
# Profiles of simulated GPUs, end to end: which ones there are, and what the documents' GPUs show.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    build=$(realpath "${BUILD:-build}")/sim
    out=$BATS_TEST_TMPDIR/out
    unset GPU SIM_HOST
}

lab() { # N, options: runs it, quietly
    local n=$1
    shift
    run "$build/lab-$n" --out "$out" "$@"
    echo "$output" | tail -n 40
}

median() { # part,name: the figure in results.csv
    local value
    value=$(awk -F, -v key="$1" '$1 "," $2 == key { print $5 }' "$out/results.csv")
    [ -n "$value" ] || { echo "no \"$1\" in results.csv" >&2; return 1; }
    echo "$value"
}

near() { # part,name, what it must be, within per cent
    local is
    is=$(median "$1") || return 1
    echo "$1: $is, wanted $2 within $3 %"
    awk -v is="$is" -v wanted="$2" -v percent="$3" \
        'BEGIN { d = is / wanted - 1; exit !(d <= percent / 100 && -d <= percent / 100) }'
}

@test "every figure of a built-in profile names its source" {
    run grep -HnE '^[a-z].*=[^#]*$' common/sim/devices/*.txt common/sim/devices/hosts/*.txt
    echo "$output"
    [ "$(grep -cv ':name = ' <<<"$output")" -eq 0 ]
    run grep -HnE '^[a-z].*#\s*$' common/sim/devices/*.txt common/sim/devices/hosts/*.txt
    [ "$status" -eq 1 ]
}

@test "make sim-devices lists GPUs and hosts" {
    run make -s sim-devices
    echo "$output"
    for name in h200 k40 gtx-650-ti-boost; do
        [[ $output == *"GPU=$name "* ]]
    done
    [[ $output == *"SIM_HOST=page-faults "* ]]
}

@test "an unknown GPU is a wrong command: one line, status 2" {
    GPU=k41 run --separate-stderr "$build/lab-1" --out "$out"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == *"GPU=k41"* && $stderr == *"make sim-devices"* ]]
}

@test "a mistake in a profile is named with file and line" {
    { cat common/sim/devices/k40.txt; echo "smms = 3 # a slip"; } >"$BATS_TEST_TMPDIR/mine.txt"
    GPU=$BATS_TEST_TMPDIR/mine.txt run "$build/lab-1" --out "$out"
    [ "$status" -eq 2 ]
    [[ $output == *"mine.txt:$(wc -l <"$BATS_TEST_TMPDIR/mine.txt"): unknown key"* ]]
    sed 's/^l2_bytes = .*/l2_bytes = 4294967296/' common/sim/devices/k40.txt >"$BATS_TEST_TMPDIR/mine.txt"
    GPU=$BATS_TEST_TMPDIR/mine.txt run -2 "$build/lab-1"
    [[ $output == *"mine.txt:$(grep -n '^l2_bytes' "$BATS_TEST_TMPDIR/mine.txt" | cut -d: -f1): "* ]]
}

@test "a profile of one's own is used, and named" {
    sed 's/^name = .*/name = Own GPU/; s/^sms = .*/sms = 3  # made up/' \
        common/sim/devices/k40.txt >"$BATS_TEST_TMPDIR/mine.txt"
    GPU=$BATS_TEST_TMPDIR/mine.txt lab 1 --parts a
    [ "$status" -eq 0 ]
    [[ $output == *"SIMULATED Own GPU: 3 SMs"* ]]
}

@test "profiles are found from any folder, and beside an installed program first" {
    cp "$build/lab-1" "$BATS_TEST_TMPDIR/lab-1"
    cd /
    GPU=k40 run "$BATS_TEST_TMPDIR/lab-1" --out "$out" --parts a
    [[ $output == *"Tesla K40m"* ]]
    mkdir "$BATS_TEST_TMPDIR/devices"
    sed 's/^name = .*/name = Installed K40/' "$BATS_TEST_DIRNAME/../common/sim/devices/k40.txt" \
        >"$BATS_TEST_TMPDIR/devices/k40.txt"
    GPU=k40 run "$BATS_TEST_TMPDIR/lab-1" --out "$out" --parts a
    [[ $output == *"Installed K40"* ]]
}

# The trace: 47.68 MiB pageable, a kernel of two waves of 10^7 cycles (10079 us at its clock).
@test "GTX 650 Ti BOOST: copy in, two waves, copy out last as in the document" {
    GPU=gtx-650-ti-boost lab 1 --parts b --bytes 50000000B --sleep 10079us
    [ "$status" -eq 0 ]
    near "b,h2d call" 8330257 5
    near "b,d2h call" 39589422 5
    near "b,kernel device" 20157648 1
    near "b,h2d device" 8334265 5
    near "b,d2h device" 18736208 5
    near "b,launch call" 30742 5
    [[ $output == *"2 waves"* || $output == *"2"$'\n'"waves"* ]]
}

@test "K40: 64 launch-bound, 256 concurrent, 8192 tail-only, one stream never" {
    GPU=k40 lab 3 --parts a --dims 64,256,8192
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ]
    [ "$(median "a,class two-streams 64")" = 0 ]
    [ "$(median "a,class two-streams 256")" = 1 ]
    [ "$(median "a,class two-streams 8192")" = 2 ]
    for dim in 64 256 8192; do
        for mode in default-stream one-stream; do
            [ "$(median "a,overlap $mode $dim")" = 0 ]
        done
    done
    awk -v is="$(median "a,overlap two-streams 8192")" 'BEGIN { exit !(is > 0 && is < 0.05) }'
}

@test "a host with slow page faults: 2 GiB in 0.36 s and back in 5.2 s, pinned in microseconds" {
    GPU=k40 SIM_HOST=page-faults lab 2 --parts a --repeats 1
    [ "$status" -eq 0 ]
    near "a,h2d call cpu pageable-untouched spin" 360828000 15
    near "a,d2h call cpu pageable-untouched spin" 5202880000 15
    near "a,h2d call cpu pinned spin" 5700 50
    near "a,d2h call cpu pinned spin" 5700 50
}
