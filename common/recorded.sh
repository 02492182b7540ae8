#!/usr/bin/env bash
# Shows a lab's recorded run: recorded.sh LAB-DIR OUT-DIR FORMAT
# The report goes to stdout, the charts to OUT-DIR/<gpu>; both say that they are recorded.
set -eu -o pipefail

lab=$1 out=$2 format=$3
shopt -s nullglob
runs=("$lab"/recorded/*/run.csv)
if [ ${#runs[@]} = 0 ]; then
    echo "recorded: $lab has no recorded run; make one on a GPU machine with: make record" >&2
    exit 77
fi
for run in "${runs[@]}"; do
    from=$(dirname "$run")
    value() { sed -n "s/^$1,//p" "$run" | tr -d '"'; }
    echo "RECORDED on $(value device), $(value date): not a run of this machine."
    echo
    cat "$from/report.txt"
    plots/draw --out "$out/$(basename "$from")" "recorded:$from" "$format"
done
