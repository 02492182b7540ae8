"""Grades answers.txt: key = value  # question, unit."""
import math
import re

# Units a value can be given in, as factors to those of results.csv.
UNITS = {
    "ns": ("ns", 1), "us": ("ns", 1e3), "µs": ("ns", 1e3), "μs": ("ns", 1e3), "ms": ("ns", 1e6),
    "s": ("ns", 1e9), "nanoseconds": ("ns", 1), "microseconds": ("ns", 1e3),
    "milliseconds": ("ns", 1e6), "seconds": ("ns", 1e9),
    "b": ("bytes", 1), "bytes": ("bytes", 1), "kb": ("bytes", 1e3), "mb": ("bytes", 1e6),
    "gb": ("bytes", 1e9), "kib": ("bytes", 2**10), "mib": ("bytes", 2**20), "gib": ("bytes", 2**30),
    "gb/s": ("bytes/ns", 1), "tb/s": ("bytes/ns", 1e3), "mb/s": ("bytes/ns", 1e-3),
    "percent": ("share", 0.01), "%": ("share", 0.01), "share": ("share", 1),
    "count": ("count", 1), "times": ("ratio", 1), "x": ("ratio", 1), "ratio": ("ratio", 1)}


def read_answers(text):
    """Key -> value, "" for a blank one.  Lines that are no answers are left out."""
    answers = {}
    for line in (text or "").splitlines():
        line = line.split("#", 1)[0]
        key, equals, value = line.partition("=")
        if equals and re.fullmatch(r"\s*\w+\s*", key):
            answers[key.strip()] = value.strip()[:200]
    return answers


def bare(text):
    """An answer without what people write round it: "about 5", "~1.9us", 13.2 (part b), No."""
    text = re.sub(r"\s*\([^()]*\)$", "", text.strip())
    text = re.sub(r"^(about|around|approx(imately|\.)?|circa|ca\.)\s+|^[~≈=]\s*", "", text, flags=re.I)
    quotes = "\"'`“”‘’ "
    return text.lstrip(quotes).rstrip(quotes + ".!")


def word_of(text):
    """As the words of the rubric are compared: small letters, hyphens between."""
    return re.sub(r"[\s_]+", "-", bare(text).lower())


def number_of(text, unit=""):
    """The number, in the units of results.csv; None if it is none."""
    match = re.fullmatch(r"([-+]?[\d.,' ]*\d(?:\.\d*)?(?:[eE][-+]?\d+)?)\s*((?:[^\W\d]|%)[\w%/]*)?",
                         bare(text))
    if not match or ", " in match.group(1):
        return None
    digits, given = match.group(1), (match.group(2) or unit).lower()
    digits = digits.replace("'", "").replace(" ", "")
    if "," in digits:  # 1,024 and 1,024.5, or 8,33 where the comma is the point
        thousands = re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", digits)
        digits = digits.replace(",", "") if thousands else digits.replace(",", ".", 1)
    if unit and given not in UNITS or unit and UNITS[given][0] != UNITS[unit.lower()][0]:
        return None
    try:
        value = float(digits)
    except ValueError:
        return None
    factor = UNITS[given][1] if unit else 1
    return value * factor if math.isfinite(value) else None


def show(value, unit):
    shown = f"{value / UNITS[unit.lower()][1]:.6g}"
    return shown if unit == "count" else f"{shown} {unit}"


def one_word(item):
    return "write one of these words alone: " + ", ".join(item.words)


def grade_prediction(item, value):
    """(right, measured, required, hint)"""
    if item.words:
        required = "one of: " + ", ".join(item.words)
        return word_of(value) in map(word_of, item.words), value, required, one_word(item)
    return number_of(value) is not None, value, "a number", \
        "a guess cannot be wrong, but write one number"


def grade_conclusion(item, value):
    required = "the right one of: " + ", ".join(item.words)
    known = word_of(value) in map(word_of, item.words)
    return word_of(value) in map(word_of, item.right), value, required, \
        item.hint if known else one_word(item)


def grade_reading(item, value, results, whose):
    """results: (part, name) -> median, of the run that whose names.  The rows are in it."""
    expected = results[item.rows[0]]
    if len(item.rows) == 2:
        expected = expected / results[item.rows[1]]
    given = number_of(value, item.unit)
    wanted = " / ".join(f"{name!r} of part {part}" for part, name in item.rows)
    within = f"within {100 * item.tolerance:g} %" if item.tolerance else "exactly"
    unit = "" if item.unit == "count" else f", in {item.unit}"
    required = f"{wanted} in {whose}{unit}, {within}"
    if given is None:
        return False, value, "a number" if item.unit == "count" else f"a number in {item.unit}", \
            f"write one number; {item.hint}"
    rounding = 0 if item.unit == "count" else 0.006  # of figures with three digits
    bound = (item.tolerance + rounding) * abs(expected)
    return math.isfinite(bound) and abs(given - expected) <= bound, \
        show(given, item.unit), required, item.hint
