#!/usr/bin/env bats
# tests/fidelity: does it find a simulated run that is off?

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    labs=$BATS_TEST_TMPDIR/labs sim=$BATS_TEST_TMPDIR/sim reasons=$BATS_TEST_TMPDIR/reasons.txt
    recorded=$labs/7-seven/recorded/h200
    mkdir -p "$recorded" "$sim" "$BATS_TEST_TMPDIR/simulated"
    : >"$reasons"
    cat >"$recorded/results.csv" <<'CSV'
part,name,unit,n,median,min,max,cov
a,launch call,ns,11,1000,900,1100,0.01
a,h2d call,ns,11,2000,1900,2100,0.01
a,overlap two-streams 64,share,3,0.03,0,0.1,0.01
a,class two-streams 64,class,1,2,2,2,0
CSV
    printf 'id,verdict,measured,required,why\na-one,pass,x,y,z\n' >"$recorded/checks.csv"
    cp "$recorded"/*.csv "$BATS_TEST_TMPDIR/simulated"
    printf '#!/bin/sh\ncp %s/simulated/*.csv "$2"\n' "$BATS_TEST_TMPDIR" >"$sim/lab-7"
    chmod +x "$sim/lab-7"
}

simulated() { # sed script: what the simulated run has instead
    sed -i "$1" "$BATS_TEST_TMPDIR"/simulated/*.csv
}

fidelity() {
    run tests/fidelity --labs "$labs" --reasons "$reasons" "$sim"
    echo "$output"
}

@test "the same run passes" {
    fidelity
    [ "$status" -eq 0 ]
    [[ $output == *"3 quantities: median error 0.0 %"* ]]
}

@test "a share is compared by its difference" {
    simulated s/0.03,0,0.1/0.05,0,0.1/
    fidelity
    [ "$status" -eq 0 ]
}

@test "an error over 40 % fails" {
    simulated s/11,1000/11,1401/
    fidelity
    [ "$status" -eq 1 ]
    [[ $output == *"a launch call"*"40 %"*"no reason"* ]]
}

@test "an error over 40 % with a written reason passes" {
    simulated s/11,1000/11,1401/
    echo 'lab-7 a launch* : this is a test' >"$reasons"
    fidelity
    [ "$status" -eq 0 ]
    [[ $output == *"reason: this is a test"* ]]
}

@test "a reason that nothing needs fails, with its line" {
    printf '# a comment\nlab-7 a launch* : this is a test\n' >"$reasons"
    fidelity
    [ "$status" -eq 1 ]
    [[ $output == *"FAIL $reasons:2: nothing needs the reason for \"lab-7 a launch*\""* ]]
    [[ $output == *", 1 failures"* ]]
    simulated s/11,1000/11,1401/
    fidelity
    [ "$status" -eq 0 ]
}

@test "--help says what it does" {
    run tests/fidelity --help
    [ "$status" -eq 0 ]
    [[ $output == *"over 15 %"* ]]
}

@test "a median error over 15 % fails" {
    simulated 's/11,1000/11,1200/; s/11,2000/11,2400/'
    fidelity
    [ "$status" -eq 1 ]
}

@test "a lab's median error over 15 % fails, where all labs together are under it" {
    local other=$labs/8-eight/recorded/h200
    mkdir -p "$other"
    cp "$recorded/checks.csv" "$other"
    for i in $(seq 9); do echo "a,name$(tr 1-9 a-i <<<"$i"),ns,1,100,100,100,0"; done |
        cat <(echo part,name,unit,n,median,min,max,cov) - >"$other/results.csv"
    printf '#!/bin/sh\ncp %s/*.csv "$2"\n' "$other" >"$sim/lab-8"
    chmod +x "$sim/lab-8"
    fidelity
    [ "$status" -eq 0 ]
    simulated 's/11,1000/11,1200/; s/11,2000/11,2400/'
    fidelity
    [ "$status" -eq 1 ]
    [[ $output == *"the median error is over 15 %"* ]]
    [[ $output == *"2 labs"*": median error 0.0 %"* ]]
}

@test "a predicted class may be another that the recorded run names as possible" {
    printf 'a,predicted-class x 64,class,1,0,0,0,0\na,predicted-classes x 64,bits,1,3,3,3,0\n' \
        >>"$recorded/results.csv"
    cp "$recorded/results.csv" "$BATS_TEST_TMPDIR/simulated"
    simulated 's/predicted-class x 64,class,1,0/predicted-class x 64,class,1,1/'
    fidelity
    [ "$status" -eq 0 ]
    simulated 's/predicted-class x 64,class,1,1/predicted-class x 64,class,1,2/'
    fidelity
    [ "$status" -eq 1 ]
}

@test "another class fails, whatever the reasons say" {
    simulated s/class,1,2,/class,1,1,/
    echo 'lab-7 * : this is a test' >"$reasons"
    fidelity
    [ "$status" -eq 1 ]
    [[ $output == *"class 1.0 instead of 2.0"* ]]
}

@test "another verdict fails" {
    simulated s/a-one,pass/a-one,fail/
    echo 'lab-7 * : this is a test' >"$reasons"
    fidelity
    [ "$status" -eq 1 ]
    [[ $output == *"a-one: fail instead of pass"* ]]
}

@test "a verdict that cannot be shown needs a reason" {
    simulated s/a-one,pass/a-one,cannot-show/
    fidelity
    [ "$status" -eq 1 ]
    echo 'lab-7 verdict a-one : this is a test' >"$reasons"
    fidelity
    [ "$status" -eq 0 ]
}

@test "a quantity or a check that is missing fails" {
    simulated '/h2d call/d'
    fidelity
    [ "$status" -eq 1 ]
    cp "$recorded"/*.csv "$BATS_TEST_TMPDIR/simulated"
    simulated /a-one/d
    fidelity
    [ "$status" -eq 1 ]
}

@test "a series of many values is one quantity" {
    for i in $(seq 40); do
        echo "d,launch return $i,ns,1,100,100,100,0" | tee -a "$recorded/results.csv" |
            sed 's/100,100,100/120,120,120/' >>"$BATS_TEST_TMPDIR/simulated/results.csv"
    done
    fidelity
    [ "$status" -eq 0 ]
    [[ $output == *" 4 quantities"* ]]
}

@test "nothing recorded is not a pass" {
    rm -r "$labs"
    fidelity
    [ "$status" -eq 77 ]
}

@test "a table that cannot be written is one line" {
    run -1 --separate-stderr bash -c 'tests/fidelity --labs "$1" --reasons "$2" "$3" >/dev/full' - "$labs" "$reasons" "$sim"
    [ "$stderr" = "fidelity: standard output: No space left on device" ]
}
