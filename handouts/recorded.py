"""Values of the recorded runs, named in the texts by comments.

In a text, `13.4 ms<!-- lab-1, b, d2h call -->` is a value and where it is from: lab, part and name
in results.csv of labs/1-*/recorded/h200 (lab-6/h200-x2 names another run), and after them min, max
or n if it is not the median. `lab-1, b, d2h call / d2h device` is worked out, from left to right;
an operand without lab or part takes them from the one before, and a whole number divides as it is.
`<!-- lab-1, run -->` says what the run was recorded on. A new value is written as `?`.
"""
import csv
import glob
import os
import re

MISSING = "(not recorded yet)"
CLASSES = ["launch-bound", "concurrent", "tail-only", "serial"]
STATISTICS = ["median", "min", "max", "n"]
UNITS = "ns|µs|ms|s|%|B|KiB|MiB|GiB|GB/s|TB/s|GHz"
VALUE = (rf"(?:\d[\d.]*(?: (?:{UNITS}))?|{'|'.join(CLASSES)}|{re.escape(MISSING)}|\?"
         r"|Recorded on [^<\n]*)")
REFERENCE = re.compile(rf"({VALUE})?<!-- (lab-\d[^>]*?) -->")


class NotRecorded(Exception):
    pass


class Wrong(Exception):
    """A reference to something that no run has."""


def run_folder(run):
    """lab-1, lab-6/h200-x2 -> labs/1-async-check/recorded/h200, ..."""
    lab, _, gpu = run.partition("/")
    found = glob.glob(f"labs/{lab.removeprefix('lab-')}-*")
    if not found:
        raise Wrong(f"no such lab: {lab}")
    folder = os.path.join(found[0], "recorded", gpu or "h200")
    if not os.path.exists(os.path.join(folder, "results.csv")):
        raise NotRecorded(folder)
    return folder


_results = {}


def results(run):
    if run not in _results:
        path = os.path.join(run_folder(run), "results.csv")
        with open(path, newline="", encoding="utf-8") as file:
            _results[run] = {(row["part"], row["name"]): row for row in csv.DictReader(file)}
    return _results[run]


def about(run):
    with open(os.path.join(run_folder(run), "run.csv"), newline="", encoding="utf-8") as file:
        return {row["key"]: row["value"] for row in csv.DictReader(file)}


def recorded_on(run):
    key = about(run)
    release = key.get("driver release")
    version = f"driver {release}, CUDA {key['driver']}" if release else f"driver for CUDA {key['driver']}"
    return f"Recorded on an {key['device']} ({version}), {key['date'][:10]}."


def three_digits(value, scales, limit=1000):
    for factor, unit in scales:
        if abs(value) / factor < limit - 0.5 or factor == scales[-1][0]:
            break
    value /= factor
    decimals = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    whole = factor == 1 and value == int(value)
    return f"{value:.{0 if whole else decimals}f} {unit}"


def show(value, unit):
    """As the labs' reports do (common/show.c), with µ."""
    if unit == "ns":
        return three_digits(value, [(1, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")])
    if unit == "bytes":
        return three_digits(value, [(1, "B"), (2**10, "KiB"), (2**20, "MiB"), (2**30, "GiB")], 1024)
    if unit == "bytes/ns":
        return three_digits(value * 1e9, [(1e9, "GB/s"), (1e12, "TB/s")])
    if unit == "cycles/ns":
        return f"{value:.2f} GHz"
    if unit == "share":
        percent = 100 * value
        close = 0 < percent < 9.95 or 99 < percent < 99.95
        return f"{percent:.{1 if close else 0}f} %"
    if unit == "class":
        return CLASSES[int(value)]
    if unit == "count":
        return f"{value:.0f}"
    if value >= 1000:  # two digits, the rest noughts
        return f"{round(value, 2 - len(str(int(value))))}".removesuffix(".0")
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def one_value(fields):
    run, part, name, statistic = fields
    row = results(run).get((part, name))
    if row is None:
        raise Wrong(f"{run}: no result \"{name}\" in part {part}")
    return float(row[statistic]), "count" if statistic == "n" else row["unit"]


def value_of(reference, asked=""):
    """The text that belongs before this comment; asked: the unit, if not the one that suits it."""
    if reference.endswith(", run"):
        return recorded_on(reference.removesuffix(", run"))
    parts = re.split(r" ([-+/]) ", reference)
    fields = ["", "", "", "median"]
    total, unit = None, None
    for operator, operand in zip(["+"] + parts[1::2], parts[0::2]):
        if operator == "/" and operand.isdecimal():
            total /= int(operand)
            continue
        words = [word.strip() for word in operand.split(",")]
        statistic = words.pop() if words[-1] in STATISTICS else "median"
        if len(words) > 3:
            raise Wrong(f"{reference}: write lab, part, name")
        fields = fields[:3 - len(words)] + words + [statistic]
        value, its_unit = one_value(fields)
        if total is None:
            total, unit = value, its_unit
        elif operator == "/":
            total, unit = total / value, "ratio" if unit == its_unit else f"{unit}/{its_unit}"
        else:
            total += value if operator == "+" else -value
    if asked == "GB/s" and unit == "bytes/ns":
        return f"{total:.{0 if total >= 99.95 else 1}f} GB/s"
    return show(total, unit) + (" times" if asked == "times" else "")


def refreshed(text, complain):
    """The text with every value as the runs have it now; complain(line, message) of what is wrong."""
    def replace(match):
        line = text.count("\n", 0, match.start()) + 1
        before, reference = match.groups()
        if before is None:
            complain(line, f"no value before <!-- {reference} -->; write ? there")
            return match.group()
        try:
            value = value_of(reference)
        except NotRecorded:
            value = MISSING
        except Wrong as wrong:
            complain(line, str(wrong))
            return match.group()
        return f"{value}<!-- {reference} -->"
    return REFERENCE.sub(replace, text)
