# shellcheck shell=bash
# What the scripts beside this share: TAP, a work folder, and where the builds are.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 3
gpu=${BUILD:-build}/gpu
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
number=0 missed=0

ok() { echo "ok $((++number)) - $*"; }
not_ok() {
    missed=$((missed + 1))
    echo "not ok $((++number)) - $*"
}
skip() { echo "ok $((++number)) - $* # SKIP $reason"; }
notes() { sed 's/^/# /' "$@"; }
finish() {
    echo "1..$number"
    exit $((missed > 0))
}
