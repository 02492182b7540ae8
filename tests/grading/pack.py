#!/usr/bin/env python3
"""Packs the suite, all of its labs or those that are named.

usage: pack.py handout FILE.tar.gz SHEETS [LAB...]   what students get; SHEETS: handouts/write --sheets
       pack.py gradescope FILE.zip [LAB...]          an autograder for Gradescope, for a simulated GPU
"""
import fnmatch
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "tests"))

from grading import rubric  # noqa: E402

# What gives answers away, or is of use only to who teaches.
INSTRUCTORS = ("tests/*", "handouts/*", "common/record.sh", ".ci/*", ".git*", ".clang-tidy",
               "README.md")
STUDENTS = ("tests/fidelity", "tests/fidelity-reasons.txt")
STUDENTS_README = "handouts/students/README.md"
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


def numbers(labs):
    """The numbers of the labs named so, as digits; of all if none is."""
    return {r.lab[4:] for r in rubric.select(rubric.all_rubrics(TOP), labs)}


def is_of(name, chosen):
    """False for a file of a lab that is not chosen."""
    of_lab = re.match(r"labs/(\d+)-|(?:handouts|handouts/figures|tests/rubric)/lab-(\d+)[-.]", name)
    return not of_lab or (of_lab.group(1) or of_lab.group(2)) in chosen


def students_readme(chosen):
    """Its table without the rows of labs that are not chosen."""
    with open(os.path.join(TOP, STUDENTS_README), encoding="utf-8") as file:
        return "".join(line for line in file
                       if not re.match(r"\| \d", line) or line.split()[1] in chosen).encode()


def without_owner(info):
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def handout(path, sheets, *labs):
    chosen = numbers(labs)
    packed = {n: n for n in files() if matches(n, STUDENTS) or not matches(n, INSTRUCTORS)}
    for folder, _, some in os.walk(sheets):
        for name in some:
            sheet = os.path.join(folder, name)
            packed["handouts/" + os.path.relpath(sheet, sheets)] = os.path.abspath(sheet)
    readme = students_readme(chosen)
    info = tarfile.TarInfo("gpu-asynchrony-labs/README.md")
    info.size = len(readme)
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(info, io.BytesIO(readme))
        for name, source in sorted(packed.items()):
            if is_of(name, chosen):
                archive.add(os.path.join(TOP, source), "gpu-asynchrony-labs/" + name,
                            recursive=False, filter=without_owner)


def add(archive, name, data, executable):
    info = zipfile.ZipInfo(name)
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def gradescope(path, *labs):
    chosen = numbers(labs)
    names = [n for n in files() if matches(n, GRADER) and not matches(n, NOT_GRADED_FROM)
             and is_of(n, chosen)]
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
    kinds = {"handout": (handout, 4), "gradescope": (gradescope, 3)}
    pack, arguments = kinds.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not pack or len(sys.argv) < arguments:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    os.makedirs(os.path.dirname(os.path.abspath(sys.argv[2])), exist_ok=True)
    try:
        pack(*sys.argv[2:])
    except rubric.BadRubric as error:
        print(f"pack: {error}", file=sys.stderr)
        sys.exit(2)
    print(sys.argv[2])


if __name__ == "__main__":
    main()
