#!/usr/bin/env python3
"""Makes a hand-in that is all right, for the grader's own tests: perfect.py PREPARED DIR [LAB...]

Solutions from tests/solutions, the CSV files of the prepared runs, and answers read from them.
"""
import os
import shutil
import sys

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)

from grading import answers, ownrun, rubric, suite  # noqa: E402


def answer(item, run):
    if item.kind == "prediction":
        return item.words[0] if item.words else "7"
    if item.kind == "conclusion":
        return item.right[0]
    values = [run.results[row] for row in item.rows if row in run.results]
    if len(values) < len(item.rows):
        return ""
    value = values[0] / values[1] if len(values) == 2 else values[0]
    return answers.show(value, item.unit)


def fill(made, one, folder):
    run = made.references[one.lab]
    lab = os.path.join(folder, one.folder)
    os.makedirs(lab)
    with open(os.path.join(lab, "answers.txt"), "w", encoding="utf-8") as file:
        for item in one.items:
            if item.kind in ("prediction", "reading", "conclusion"):
                file.write(f"{item.name} = {answer(item, run)}  # asked\n")
    solution = os.path.join(TESTS, "solutions", f"exercise-{one.lab[4:]}.cu")
    if os.path.exists(solution):
        shutil.copy(solution, os.path.join(lab, "exercise.cu"))
    out = os.path.join(folder, "out", one.lab)
    os.makedirs(out)
    for name in ownrun.FILES:
        shutil.copy(os.path.join(made.runs, one.lab, name), out)


def main(prepared, folder, *labs):
    rubrics = rubric.select(rubric.all_rubrics(os.path.dirname(TESTS)), labs)
    made = suite.Suite(prepared, "sim", rubrics)
    made.load_runs()
    for one in made.rubrics:
        fill(made, one, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
