#!/usr/bin/env python3
"""Packs the suite: pack.py handout FILE.tar.gz   what students get, without answers and grader
                    pack.py gradescope FILE.zip   an autograder for Gradescope, for a simulated GPU
"""
import fnmatch
import io
import os
import subprocess
import sys
import tarfile
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What gives answers away, or is of use only to who grades.
SECRET = ("tests/solutions/*", "tests/rubric/*", "tests/grade*", "tests/grading/*",
          "handouts/*", ".ci/*", ".git*")
SHEETS = ("handouts/lab-*.md", "handouts/figures/*", "handouts/gallery.md")
GRADER = ("Makefile", "LICENSE", "common/*", "labs/*", "tests/grade", "tests/grading/*",
          "tests/rubric/*")
# Of recorded runs the grader needs results.csv: it knows by them who hands one in as their own.
NOT_GRADED_FROM = ("labs/*/recorded/*/run.csv", "labs/*/recorded/*/timeline.csv",
                   "labs/*/recorded/*/checks.csv", "labs/*/recorded/*/report.txt",
                   "labs/*/answers.txt", "tests/grading/perfect.py", "tests/grading/pack.py")

SETUP = """#!/usr/bin/env bash
# Gradescope runs this once, when it makes the image: tools, then all that no hand-in changes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
missing=
for tool in gcc clang make python3 nm; do command -v $tool >/dev/null || missing=yes; done
if [ -n "$missing" ]; then
    apt-get update
    apt-get install -y --no-install-recommends gcc libc6-dev clang make python3 binutils
fi
rm -rf "$here/prepared"
"$here/suite/tests/grade" --device sim --prepare "$here/prepared"
"""

RUN = """#!/usr/bin/env bash
# Gradescope runs this for each hand-in; it reads results/results.json.
root=${AUTOGRADER_ROOT:-/autograder}
prepared=$root/source/prepared
[ -d "$prepared/runs" ] || prepared=
mkdir -p "$root/results"
"$root/source/suite/tests/grade" --device sim --submission "$root/submission" \\
    ${prepared:+--prepared "$prepared"} --write gradescope="$root/results/results.json"
status=$?
if [ $status != 0 ]; then
    echo '{"score": 0, "tests": [],
        "output": "The grader could not grade this; tell your instructor."}' \\
        >"$root/results/results.json"
fi
exit 0
"""


def files():
    """Of the suite, without what is built: what git does not ignore, or all where git is not."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=TOP, capture_output=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        names = listing.stdout.decode().split("\0")
    else:
        names = [os.path.relpath(os.path.join(folder, name), TOP)
                 for folder, _, some in os.walk(TOP) for name in some]
    return sorted(n for n in names if n and not n.startswith(("build/", "out/", ".git/"))
                  and "__pycache__" not in n and os.path.isfile(os.path.join(TOP, n)))


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def without_owner(info):
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def handout(path):
    names = [n for n in files() if matches(n, SHEETS) or not matches(n, SECRET)]
    names = [n for n in names if not (n.startswith("tests/") and mentions_grader(n))]
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            archive.add(os.path.join(TOP, name), "gpu-asynchrony-labs/" + name, recursive=False,
                        filter=without_owner)


def mentions_grader(name):
    """A test of the grader, or of what only instructors get."""
    with open(os.path.join(TOP, name), encoding="utf-8", errors="replace") as file:
        text = file.read()
    return "tests/solutions" in text or "tests/rubric" in text or "tests/grad" in text


def add(archive, name, data, executable):
    info = zipfile.ZipInfo(name)
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def gradescope(path):
    names = [n for n in files() if matches(n, GRADER) and not matches(n, NOT_GRADED_FROM)]
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        add(archive, "setup.sh", SETUP, True)
        add(archive, "run_autograder", RUN, True)
        for name in names:
            with open(os.path.join(TOP, name), "rb") as file:
                add(archive, "suite/" + name, file.read(),
                    os.access(os.path.join(TOP, name), os.X_OK))
    with open(path, "wb") as file:
        file.write(whole.getvalue())


def main():
    kinds = {"handout": handout, "gradescope": gradescope}
    if len(sys.argv) != 3 or sys.argv[1] not in kinds:
        sys.exit(__doc__.strip())
    os.makedirs(os.path.dirname(os.path.abspath(sys.argv[2])), exist_ok=True)
    kinds[sys.argv[1]](sys.argv[2])
    print(sys.argv[2])


if __name__ == "__main__":
    main()
