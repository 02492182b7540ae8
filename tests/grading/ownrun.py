"""Is a handed-in run of a lab (its CSV files) one that a lab made?

Points for a run are points for having run it, so files written by hand must earn nothing.

A simulated run can be checked in full: the simulator gives the same figures everywhere, so the
grader runs the lab itself, and every figure must agree.

A run on a student's own GPU cannot be repeated here.  It must be of one piece: of each part what the
lab has of it, rows that statistics can have, times on the timeline in order, figures of results.csv
equal to the spans they come from, nothing faster than hardware is.  A forger who makes a timeline that fits has done more work than
the lab asks for; that is as far as this goes.  A copy of a run that the suite comes with is none.
What was taken on trust is marked "as handed in".
"""
import csv
import glob
import io
import math
import os
import re

FILES = ("run.csv", "results.csv", "timeline.csv", "checks.csv")
SHORTEST_CALL_NS = 20            # a function call into a library and back
EVENT_BEFORE_NS = 20000          # an event round a call is recorded by the call before
SHORTEST_KERNEL_NS = 300         # no GPU starts and ends one faster
FASTEST_HOST_LINK = 1000         # bytes/ns; NVLink-C2C, the fastest, has 450 each way
FASTEST_MEMORY = 20000           # bytes/ns
AGREE = 0.01                     # of a simulated figure
COMPLETE = 0.8                   # of what the lab has of a part
COLUMNS = {"run.csv": ("key", "value"),
           "results.csv": ("part", "name", "unit", "n", "median", "min", "max"),
           "timeline.csv": ("part", "kind", "name", "device", "stream", "start_ns", "end_ns", "bytes",
                            "correlation", "grid_x"),
           "checks.csv": ("id", "verdict", "measured", "required", "why")}
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEVICE_KINDS = ("kernel", "h2d", "d2h", "d2d", "peer", "memset")


class NotARun(Exception):
    pass


def table(texts, name):
    reader = csv.DictReader(io.StringIO(texts[name]))
    rows = list(reader)
    missing = set(COLUMNS[name]) - set(reader.fieldnames or ())
    if missing:
        raise NotARun(f"{name} has no column {sorted(missing)[0]}")
    if any(None in row or None in row.values() for row in rows):
        raise NotARun(f"{name}: a row has too few or too many fields")
    return rows


def integer(row, name):
    return int(row[name] or 0)


class Run:
    """The files of one run, parsed.  Raises NotARun."""

    def __init__(self, texts):
        try:
            self.about = {row["key"]: row["value"] for row in table(texts, "run.csv")}
            self.rows = table(texts, "results.csv")
            self.spans = table(texts, "timeline.csv")
            self.checks = {row["id"]: row for row in table(texts, "checks.csv")}
            self.excuses = {row["id"]: row["why"] for row in self.checks.values()
                            if row["verdict"] == "cannot-show"}
            self.results = {(r["part"], r["name"]): float(r["median"] or "nan") for r in self.rows}
            self.units = {(r["part"], r["name"]): r["unit"] for r in self.rows}
        except (KeyError, ValueError, csv.Error) as error:
            raise NotARun(f"its CSV files do not parse ({str(error)[:80]})") from None

    @property
    def simulated(self):
        return self.about.get("device_kind") == "sim"

    @property
    def device(self):
        return self.about.get("device", "")

    @property
    def options(self):
        """What the lab was given besides the folder for its files."""
        words = self.about.get("command", "").split()[1:]
        while "--out" in words:
            at = words.index("--out")
            del words[at:at + 2]
        return " ".join(words)

    def not_shown(self, part):
        """Why this run does not show that part (or the part of that check), "" if it does."""
        reasons = [why for name, why in self.excuses.items() if name.startswith(part[:1] + "-")]
        return reasons[0] if reasons else ""

    def cannot_show(self, part):
        """The same as an excuse: a simulated machine can be chosen so that it shows all parts."""
        return "" if self.simulated else self.not_shown(part)

    def verdict(self, check_id):
        return self.checks.get(check_id, {}).get("verdict", "")


def check_about(run, lab):
    if run.about.get("lab") != lab:
        raise NotARun(f"run.csv is of {run.about.get('lab', 'no lab')!r}, not of {lab}")
    if run.about.get("device_kind") not in ("gpu", "sim") or not run.device:
        raise NotARun("run.csv names no device")
    if run.simulated != run.device.startswith("SIMULATED"):
        raise NotARun("run.csv contradicts itself about the device")
    if run.about.get("invalid"):
        raise NotARun(f"the run is marked invalid: {run.about['invalid']}")


def check_statistics(run):
    for row in run.rows:
        what = f"{row['part']} {row['name']!r}"
        try:
            n = int(row["n"])
            low, median, high = (float(row[c] or "nan") for c in ("min", "median", "max"))
        except ValueError:
            raise NotARun(f"{what} is no number") from None
        if math.isnan(median):
            continue
        if n < 1 or math.isinf(high) or not low <= median <= high or n == 1 and low != high:
            raise NotARun(f"{what}: no samples have n {n}, min {low:g}, median {median:g}, "
                          f"max {high:g}")
        if row["unit"] == "ns" and " call" in row["name"] and 0 < median < SHORTEST_CALL_NS:
            raise NotARun(f"{what}: no call takes {median:g} ns")


def check_limits(span):
    """A model may do without some time; hardware cannot."""
    ns = integer(span, "end_ns") - integer(span, "start_ns")
    kind, what = span["kind"], f"{span['part']} {span['name']!r}"
    if kind == "kernel" and ns < SHORTEST_KERNEL_NS:
        raise NotARun(f"timeline: no kernel takes {ns} ns")
    if kind in ("h2d", "d2h") and integer(span, "bytes") > 1 << 20 \
            and integer(span, "bytes") / ns > FASTEST_HOST_LINK:
        raise NotARun(f"timeline: {what} is faster than any link")
    if kind in ("d2d", "memset", "peer") and integer(span, "bytes") / ns > FASTEST_MEMORY:
        raise NotARun(f"timeline: {what} is faster than any memory")


def check_duration(span):
    ns = integer(span, "end_ns") - integer(span, "start_ns")
    if ns <= 0 or integer(span, "start_ns") < 0:
        raise NotARun(f"timeline: {span['part']} {span['name']!r} lasts {ns} ns")


def check_order(run):
    """No work before the call that queued it, none beside other work of its own stream."""
    calls = {(s["part"], s["correlation"]): integer(s, "start_ns") for s in run.spans
             if s["kind"] == "api"}
    lanes = {}
    for span in sorted(run.spans, key=lambda s: integer(s, "start_ns")):
        if span["kind"] not in DEVICE_KINDS:
            continue
        start, call = integer(span, "start_ns"), (span["part"], span["correlation"])
        early_ns = EVENT_BEFORE_NS if span["name"].endswith("by events") else 0
        if span["correlation"] not in ("", "0") and start + early_ns < calls.get(call, start):
            raise NotARun(f"timeline: {span['name']!r} starts before it was queued")
        lane = (span["part"], span["device"], span["stream"])
        before = lanes.get(lane)
        if before and before[1] != span["correlation"] and start < before[0]:
            raise NotARun(f"timeline: {span['name']!r} runs beside its own stream's work")
        lanes[lane] = (integer(span, "end_ns"), span["correlation"])


def check_timeline(run):
    if not run.spans:
        raise NotARun("timeline.csv is empty")
    try:
        for span in run.spans:
            check_duration(span)
            if not run.simulated:
                check_limits(span)
        check_order(run)
    except (KeyError, ValueError):
        raise NotARun("timeline.csv does not parse") from None
    lengths = {}
    for span in run.spans:
        lengths.setdefault((span["part"], span["kind"]), []).append(
            integer(span, "end_ns") - integer(span, "start_ns"))
    for (part, name), median in run.results.items():
        kind = name.split(" ")[0]
        if name not in (f"{kind} device", "kernel device") or kind not in ("h2d", "d2h", "kernel"):
            continue
        durations = lengths.get((part, kind))
        if durations and not any(abs(d - median) <= 0.02 * d + 1 for d in durations):
            raise NotARun(f"results.csv has {part} {name!r} {median:g} ns, the timeline "
                          f"{durations[0]} ns")


def made_with(run):
    """What to do about a run with options of its own."""
    return f"; it was made with {run.options}: run make {run.about['lab']} without ARGS" \
        if run.options else ""


def shares_times(run, results):
    """No two runs on a GPU share times: true of one that does with these figures, but for 1 ns."""
    times = {row for row, unit in run.units.items() if unit == "ns"}
    same = sum(abs(run.results[row] - results.get(row, math.inf)) <= 1 for row in times)
    return same > len(times) / 2


def check_not_known(run, folder, reference):
    """The runs that the suite comes with are not a student's, nor those of the simulator a GPU's."""
    for path in glob.glob(os.path.join(TOP, folder, "recorded", "*", "results.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            recorded = {(r["part"], r["name"]): float(r["median"] or "nan")
                        for r in csv.DictReader(file)}
        if shares_times(run, recorded):
            raise NotARun("it is the recorded run that the suite comes with, not one of yours")
    if reference and reference.simulated and shares_times(run, reference.results):
        raise NotARun("run.csv says that it is of a GPU; its times are those of the simulated one")


def accept_excuses(run, folder, reference):
    """Of the reasons why something cannot be shown only those count that the lab can give."""
    source = ""
    for path in glob.glob(os.path.join(TOP, folder, "*.c*")):
        with open(path, encoding="utf-8") as file:
            source += file.read()
    run.excuses = {name: why for name, why in run.excuses.items()
                   if name in reference.checks or f'"{name}"' in source}


def shapes(names):
    """Names without their numbers: another GPU has others."""
    return {re.sub(r"\d+", "#", name) for name in names}


def check_complete(run, reference):
    """Of a part that is there most of what the lab has of it is there."""
    def kinds(one, letter):
        return {"results.csv": shapes(n for p, n in one.results if p[:1] == letter),
                "checks.csv": shapes(n for n in one.checks if n[:1] == letter),
                "timeline.csv": shapes(f"{s['part']} {s['kind']}" for s in one.spans
                                       if s["part"][:1] == letter)}

    for letter in sorted({part[:1] for part, _ in run.results}):
        has, should = kinds(run, letter), kinds(reference, letter)
        for name, wanted in should.items():
            lacking = sorted(wanted - has[name])
            allowed = max(1, (1 - COMPLETE) * len(wanted)) if has[name] else 0
            if len(lacking) > allowed:
                raise NotARun(f"part {letter} lacks {len(lacking)} of {len(wanted)} sorts of rows in "
                              f"{name}, as {lacking[0]!r}; hand in all files of out/"
                              f"{run.about['lab']} as make {run.about['lab']} left them")


def check_against_simulator(run, reference, changed_parts):
    compared = 0
    for (part, name), median in run.results.items():
        expected = reference.results.get((part, name))
        if expected is None or part[:1] in changed_parts or math.isnan(expected):
            continue
        unit = run.units[part, name]
        if not abs(median - expected) <= AGREE * abs(expected) + (2 if unit == "ns" else 1e-9):
            raise NotARun(f"{part} {name!r} is {median:g} {unit} in it; on {reference.device} it "
                          f"is {expected:g} {unit}, within {100 * AGREE:g} %"
                          + made_with(run))
        compared += 1
    if compared < 3:
        raise NotARun("it has too few figures that could be compared" + (
            made_with(run) or f"; run make {run.about['lab']} with all of its parts"))


def accept(texts, rubric, reference):
    """The Run.  Raises NotARun with the reason why it is none.  reference: the grader's own Run."""
    try:
        run = Run(texts)
        check_about(run, rubric.lab)
        check_statistics(run)
        check_timeline(run)
    except ArithmeticError:
        raise NotARun("it has a number that is too large") from None
    if not run.simulated:
        check_not_known(run, rubric.folder, reference)
    if reference:
        accept_excuses(run, rubric.folder, reference)
    if run.simulated and reference and reference.simulated:
        if run.device != reference.device:
            raise NotARun(f"it is of {run.device}, and is graded on {reference.device}: run make "
                          f"{rubric.lab} without GPU= and SIM_HOST=")
        versions = run.about.get("version"), reference.about.get("version")
        if versions[0] != versions[1]:
            raise NotARun("it is of version {} of the suite, and is graded by {}".format(*versions))
        check_against_simulator(run, reference, rubric.changed_parts)
    if reference:
        check_complete(run, reference)
    return run
