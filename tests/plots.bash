# shellcheck shell=bash
# What the plots*.bats share. tests/data/run has a part for each case (times and names made up).

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    command -v gnuplot >/dev/null || skip "no gnuplot here: make setup"
    run=$BATS_TEST_TMPDIR/run
    cp -r tests/data/run "$run"
    out=$BATS_TEST_TMPDIR/picture
    unset PLOT_FONT PLOT_TERMINAL PLOT_SKIP PART
}

timeline() { # part, picture, more
    gnuplot -c plots/timeline.gp "$run" "$@"
}

# refused TEXT SCRIPT ARG...: one line with TEXT on stderr, nothing else said, status not 0, no file.
refused() {
    local text=$1
    shift
    run --separate-stderr gnuplot -c "$@"
    echo "status $status: $output $stderr"
    [ "$status" -ne 0 ]
    [ "$(grep -c . <<<"$stderr")" -eq 1 ]
    [[ "$stderr" == *"$text"* ]]
    [ -z "$output" ]
    [ "$(find "$BATS_TEST_TMPDIR" -name '*picture*' | wc -l)" -eq 0 ]
}
