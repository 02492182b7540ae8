#!/usr/bin/env bash
# Installs what the labs, the tests and the handouts need from Debian's packages, where it is
# missing, and says what was found. Elsewhere it lists what is missing. make setup says in NVCC,
# CUDA, CUPTI and CUBLAS where the toolkit and its libraries are.
set -u

# command:package
needs=(gcc:gcc make:make clang:clang gnuplot:gnuplot-nox python3:python3)
here=$(cd "$(dirname "$0")/.." && pwd)
missing=()
if [ -e "$here/tests/grade" ]; then # students get neither tests nor what prints the sheets
    needs+=(bats:bats shellcheck:shellcheck clang-format:clang-format clang-tidy:clang-tidy
        xmllint:libxml2-utils prove:perl zip:zip unzip:unzip pandoc:pandoc weasyprint:weasyprint
        pdftoppm:poppler-utils)
    fc-list 2>/dev/null | grep -q P052 || missing+=(fonts-urw-base35) # the handouts' pages are laid out with it
fi

for need in "${needs[@]}"; do
    command -v "${need%%:*}" >/dev/null || missing+=("${need#*:}")
done
fc-list 2>/dev/null | grep -qi "dejavu sans" || missing+=(fontconfig fonts-dejavu-core)
echo 'int main(void){return 0;}' | gcc -fsanitize=address,undefined -x c - -o /dev/null 2>/dev/null || missing+=(gcc libc6-dev)

if [ ${#missing[@]} -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "setup: missing, install by hand: ${missing[*]}" >&2
        exit 3
    fi
    sudo=
    if [ "$(id -u)" != 0 ]; then
        sudo=sudo
        command -v sudo >/dev/null || { echo "setup: not root and no sudo; ask for: ${missing[*]}" >&2; exit 3; }
    fi
    echo "setup: installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp)
    if ! { $sudo apt-get update && $sudo apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        echo "setup: apt-get could not install ${missing[*]}; the last lines of its output stand above, all of it in $log" >&2
        exit 3
    fi
    rm -f "$log"
fi

found() { printf '  %-10s %s\n' "$1" "$2"; }
echo "setup: found"
found gcc "$(gcc -dumpfullversion)"
found clang "$(clang -dumpversion)"
found gnuplot "$(gnuplot --version)"
if [ -n "${CUDA:-}" ]; then
    found nvcc "$("$NVCC" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p') ($NVCC, toolkit in $CUDA)"
    found CUPTI "${CUPTI:-none: the labs build without it, overlap then comes from events}"
    found cuBLAS "${CUBLAS:-none: the labs cannot be linked for a GPU}"
else
    found nvcc "none: the labs run on a simulated GPU"
fi
gpu=$(nvidia-smi -L 2>/dev/null | head -n 1)
found GPU "${gpu:-none: the labs run on a simulated GPU}"
