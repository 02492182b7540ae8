#!/usr/bin/env bash
# Runs a lab or an exercise, keeps its report, draws its charts: run-lab.sh PROGRAM OUT FORMAT [OPTION...]
# RUN, if set, is a launcher that goes before the program. Exit status: the program's own, but 0 for
# 77 (nothing can be shown here); 3 if it did not run to its end or its report could not be written.
set -u -o pipefail

program=$1 out=$2 format=$3
shift 3
name=${program##*/}

for option in "$@"; do
    case $option in
    --help | --version) exec "$program" "$@" ;;
    --out | --out=*)
        echo "$name: give OUT=<folder> instead of --out: report and charts go there too" >&2
        exit 2
        ;;
    esac
done

mkdir -p -- "$out" || exit 3
report=$out/.report.$$.part
trap 'rm -f -- "$report"' EXIT
trap 'trap "" HUP INT TERM; exit 130' HUP INT TERM # make sends a second one

eval "${RUN:-}"' "$program" --out "$out" "$@"' | tee -- "$report"
status=${PIPESTATUS[0]} shown=${PIPESTATUS[1]}

# A launcher that could not start it may end with 1 too: a run has the line that ends a report.
if [[ $status =~ ^(0|1|77)$ ]] && ! grep -q ' passed, .* cannot be shown here' "$report"; then
    if [ "$status" != 1 ] || [ -n "${RUN:-}" ]; then
        echo "$name: it did not run to its end${RUN:+, or RUN=${RUN%% *} did not start it}: no new files" >&2
    fi
    [ "$status" = 1 ] || exit 3
    exit 1
fi
case $status in
0 | 1 | 77)
    mv -- "$report" "$out/report.txt"
    plots/draw "$out" "$format"
    ;;
esac
[ "$shown" = 0 ] || exit 3
[ "$status" != 77 ] || exit 0
exit "$status"
