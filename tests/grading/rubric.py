"""Reads tests/rubric/lab-N.txt: one item a line, fields between bars.

    simulated  | <options of the lab on a simulated GPU> | <parts these change, or nothing>
    at-most    | <id of a judge's check> | <percent it may measure>
    kernel-ms  | <part of the exercise> | <how long transform_kernel lasts> | <with so many blocks>
    kernels    | <part of the exercise> | <how many the judge's own work has at most>
    needs      | <id in checks.csv>: where the lab cannot show it, there is no exercise either
    experiment | <id in checks.csv>     | points |
    exercise   | <id in checks.csv>     | points |
    prediction | <key in answers.txt>   | points | number, or: a, b, c
    reading    | <key in answers.txt>   | points | <row> [/ <row>]; <unit>; <tolerance> %   | hint
    conclusion | <key in answers.txt>   | points | <right word> [or <word>] of <word>, ...  | hint

A row of results.csv is <part>, <name>; two of them stand for their ratio.
"""
import glob
import os
import re
from dataclasses import dataclass, field

from . import answers

KINDS = ("experiment", "exercise", "prediction", "reading", "conclusion")


class BadRubric(Exception):
    pass


@dataclass
class Item:
    lab: str            # "lab-1"
    kind: str
    name: str           # id of a check, or key of an answer
    points: int
    rows: list = field(default_factory=list)    # reading: (part, name), or two of them: a ratio
    unit: str = ""
    tolerance: float = 0                        # reading: a share
    right: list = field(default_factory=list)   # conclusion
    words: list = field(default_factory=list)   # conclusion; prediction by words
    hint: str = ""

    @property
    def title(self):
        return f"{self.lab} {self.kind} {self.name}"


@dataclass
class Rubric:
    lab: str
    folder: str                     # "labs/1-async-check"
    items: list
    options: list                   # for the lab on a simulated GPU
    changed_parts: str              # letters of the parts whose results these options change
    at_most: dict                   # id of a judge's check -> percent that it may measure
    kernel_ms: dict                 # part of the exercise -> ms of a kernel, blocks that it has
    kernels: dict                   # part of the exercise -> how many it may have
    needs: str                      # id of a check of the lab's, or nothing

    @property
    def has_exercise(self):
        return any(item.kind == "exercise" for item in self.items)


def words_of(text):
    return [word.strip() for word in text.split(",") if word.strip()]


def read_reading(item, text):
    match = re.match(r"(.+);(.+);\s*(\d+(?:\.\d+)?) ?%$", text)
    if not match or match.group(2).strip().lower() not in answers.UNITS:
        raise BadRubric(f"{item.title}: {text!r} is not <part>, <name>; <unit>; <tolerance> %")
    item.rows = [tuple(part.strip() for part in row.split(",", 1))
                 for row in match.group(1).split(" / ")]
    item.unit = match.group(2).strip()
    item.tolerance = float(match.group(3)) / 100


def read_conclusion(item, text):
    right, separator, words = text.partition(" of ")
    item.right = [word.strip() for word in right.split(" or ")]
    item.words = words_of(words)
    if not separator or not set(item.right) <= set(item.words):
        raise BadRubric(f"{item.title}: the right word is not among the words")


def read_item(lab, fields):
    fields += [""] * (5 - len(fields))
    if fields[0] not in KINDS:
        raise BadRubric(f"{lab}: {fields[0]} is no kind of item")
    if not re.fullmatch("[0-9]+", fields[2]):
        raise BadRubric(f"{lab} {fields[0]} {fields[1]}: {fields[2]!r} points; a whole number is wanted")
    item = Item(lab, fields[0], fields[1], int(fields[2]), hint=fields[4])
    if item.kind == "reading":
        read_reading(item, fields[3])
    elif item.kind == "conclusion":
        read_conclusion(item, fields[3])
    elif item.kind == "prediction" and fields[3] != "number":
        item.words = words_of(fields[3])
    return item


def read_rubric(path, folder):
    lab = os.path.basename(path)[:-len(".txt")]
    items, options, changed, at_most, kernel_ms, kernels, needs = [], [], "", {}, {}, {}, ""
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            fields = [part.strip() for part in line.split("|")]
            if fields[0] == "simulated":
                options, changed = fields[1].split(), fields[2]
            elif fields[0] == "at-most":
                at_most[fields[1]] = float(fields[2])
            elif fields[0] == "kernel-ms":
                kernel_ms[fields[1]] = float(fields[2]), int(fields[3])
            elif fields[0] == "kernels":
                kernels[fields[1]] = int(fields[2])
            elif fields[0] == "needs":
                needs = fields[1]
            else:
                items.append(read_item(lab, fields))
    return Rubric(lab, folder, items, options, changed, at_most, kernel_ms, kernels, needs)


def check_names(rubric, suite):
    """No name is misspelt: keys are in answers.txt, ids of the exercise in judge.cu."""
    for kinds, name, quoted in ((("prediction", "reading", "conclusion"), "answers.txt", "{}"),
                                (("exercise",), "judge.cu", '"{}"')):
        path = os.path.join(suite, rubric.folder, name)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for item in rubric.items:
            if item.kind in kinds and not re.search(rf"(?<!\w){quoted.format(item.name)}(?!\w)", text):
                raise BadRubric(f"{item.title}: {rubric.folder}/{name} has no {item.name}")


def all_rubrics(suite):
    """The rubrics of the labs that the suite has, in order.  Raises BadRubric."""
    rubrics = []
    for lab_cu in sorted(glob.glob(os.path.join(suite, "labs", "*", "lab.cu"))):
        folder = os.path.relpath(os.path.dirname(lab_cu), suite)
        number = os.path.basename(folder).split("-")[0]
        path = os.path.join(suite, "tests", "rubric", f"lab-{number}.txt")
        if os.path.exists(path):
            rubrics.append(read_rubric(path, folder))
            check_names(rubrics[-1], suite)
    return rubrics


def select(rubrics, wanted):
    """Those named: lab-1, 1, 1-async-check or async-check; all if none is."""
    if not wanted:
        return rubrics
    chosen = []
    for name in wanted:
        found = [r for r in rubrics if name in (r.lab, r.lab[4:], os.path.basename(r.folder),
                                                os.path.basename(r.folder).split("-", 1)[1])]
        if not found:
            raise BadRubric(f"{name} is no lab with a rubric; there are "
                            + ", ".join(r.lab for r in rubrics))
        chosen += [r for r in found if r not in chosen]
    return chosen
