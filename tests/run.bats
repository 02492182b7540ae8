#!/usr/bin/env bats
# tests/run: does it count what failed, crashed, stopped early or hung?

setup() {
    cd "$BATS_TEST_DIRNAME/.." || return
    dir=$BATS_TEST_TMPDIR
    unset TEST_LIMIT_S TEST_JOBS
}

program() { # name, lines of a shell script
    printf '#!/bin/sh\n%s\n' "$2" >"$dir/$1"
    chmod +x "$dir/$1"
}

@test "programs and .bats files are counted together, and reported in the order given" {
    program one 'echo 1..2; echo ok 1 - a; echo "ok 2 - b # skip no reason"'
    printf '@test "slow" { sleep 1; }\n' >"$dir/first.bats"
    printf '@test "quick" { true; }\n' >"$dir/second.bats"
    TEST_JOBS=2 run tests/run "$dir/first.bats" "$dir/one" "$dir/second.bats"
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == *one*"1 passed, 1 skipped"* ]]
    [[ ${lines[2]} == *first.bats*"1 passed"* && ${lines[3]} == *second.bats*"1 passed"* ]]
    [ "${lines[-1]}" = "3 passed, 0 failed, 1 skipped" ]
}

@test "a failure is shown in full, in a program and in a .bats file" {
    program bad 'echo 1..1; echo "# why"; echo not ok 1 - a; exit 1'
    printf '@test "bad" { false; }\n' >"$dir/bad.bats"
    run tests/run "$dir/bad" "$dir/bad.bats"
    [ "$status" -eq 1 ]
    [[ $output == *"# why"*"not ok 1 - a"*"not ok 1 bad"*"0 passed, 2 failed" ]]
}

@test "one that crashes, stops early, says nothing or never ends has failed" {
    program crash 'echo 1..1; echo ok 1 - a; kill -SEGV $$'
    program early 'echo 1..3; echo ok 1 - a'
    program silent 'true'
    program hangs 'echo 1..1; exec sleep 60'
    for name in crash early silent hangs; do
        TEST_LIMIT_S=1 run tests/run "$dir/$name"
        [ "$status" -eq 1 ]
        [[ ${lines[-1]} != *" 0 failed"* ]]
    done
}

@test "no tests are no pass" {
    run tests/run
    [ "$status" -eq 1 ]
}
