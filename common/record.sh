#!/usr/bin/env bash
# Runs labs on this machine's GPU and stores each as that GPU's recorded run: record.sh BUILD-DIR N...
# The folder is named after the GPU ("NVIDIA H200" -> h200, two of them -> h200-x2); RECORD_AS overrides.
set -eu -o pipefail

build=$1
shift
work=$(mktemp -d)
part=
trap 'rm -rf "$work" ${part:+"$part"}' EXIT
trap 'trap "" HUP INT TERM; exit 130' HUP INT TERM # make sends a second one
for n in "$@"; do
    run=$work/lab-$n
    mkdir "$run"
    status=0
    "$build/lab-$n" --out "$run" | tee "$run/report.txt" || status=$?
    value() { sed -n "s/^$1,//p" "$run/run.csv" | tr -d '"'; }
    if [ "$status" != 0 ]; then
        echo "record: lab-$n exited with $status: nothing stored; mend what its report names" >&2
        exit "$status"
    fi
    if [ "$(value device_kind)" != gpu ] || [ -n "$(value invalid)" ]; then
        echo "record: lab-$n did not run on a GPU, or its run is invalid: nothing stored" >&2
        exit 3
    fi
    name=$(value device | tr '[:upper:]' '[:lower:]' | sed -E 's/nvidia|geforce//g; s/[^a-z0-9]+/-/g; s/^-|-$//g')
    gpus=$(nvidia-smi -L | grep -c '^GPU')
    [ "$gpus" -gt 1 ] && name+=-x$gpus
    store=$(echo labs/"$n"-*)/recorded/${RECORD_AS:-$name}
    # Whole or not at all: a run half of which is another's would pass for one.
    part=${store%/*}/.${store##*/}.part
    rm -rf "$part"
    mkdir -p "$part"
    cp "$run"/{run,results,timeline,checks}.csv "$run/report.txt" "$part/"
    rm -rf "$store"
    mv "$part" "$store"
    echo "record: stored $store"
done
