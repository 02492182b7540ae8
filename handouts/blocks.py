"""Lists in the texts that are made from labs/*/answers.txt and tests/rubric.

They stand between `<!-- questions lab-1 -->` and `<!-- end -->`; the word before the lab is one of
predictions, questions, points, answers (the last for the instructor's guide only).
"""
import glob
import re

import recorded
from grading import rubric

KINDS = "predictions|questions|points|answers"
BLOCK = re.compile(rf"<!-- ({KINDS}) (lab-\d) -->\n.*?<!-- end -->", re.S)
QUESTION = re.compile(r"^(\w+)\s*=[^#]*#\s*(.*)$", re.M)


def rubric_of(lab):
    return next(r for r in rubric.all_rubrics(".") if r.lab == lab)


def questions_of(lab):
    """{key: question}, as answers.txt asks them."""
    path, = glob.glob(f"labs/{lab[4:]}-*/answers.txt")
    with open(path, encoding="utf-8") as file:
        return {key: text.strip() for key, text in QUESTION.findall(file.read())}


def asked(lab, kind):
    questions = questions_of(lab)
    return "".join(f"- `{item.name}`: {questions[item.name]}\n"
                   for item in rubric_of(lab).items if item.kind == kind)


def predictions(lab):
    return asked(lab, "prediction")


def questions(lab):
    return (f"Into the same file. From your own report, not its charts: one number, "
            f"its unit optional.\n\n{asked(lab, 'reading')}\n"
            f"What it means: one of the words given, as it stands there.\n\n{asked(lab, 'conclusion')}")


POINTS = {"experiment": "checks of your run", "prediction": "guesses made",
          "reading": "read from your run", "conclusion": "what it means", "exercise": "exercise"}


def points(lab):
    sums = {kind: sum(i.points for i in rubric_of(lab).items if i.kind == kind) for kind in POINTS}
    given = [(title, sums[kind]) for kind, title in POINTS.items() if sums[kind]]
    given.append(("in all", sum(sums.values())))
    rows = [[title for title, _ in given], ["---"] * len(given), [str(total) for _, total in given]]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def recorded_value(item):
    """As the question asks for it, with its spread and number of rounds if it is one of several."""
    for run in (item.lab, item.lab + "/h200-x2"):
        rows = " / ".join(f"{run}, {part}, {name}" for part, name in item.rows)
        try:
            value = recorded.value_of(rows, item.unit)
            count = recorded.results(run)[item.rows[0]]["n"]
            if len(item.rows) == 1 and int(count) > 1:
                least, most = (recorded.value_of(f"{rows}, {end}", item.unit) for end in ("min", "max"))
                number, _, unit = least.partition(" ")
                least = number if unit == most.partition(" ")[2] else least  # "7.61 to 9.14 µs"
                value += f" ({least} to {most}, n {count})"
            return value
        except (recorded.Wrong, recorded.NotRecorded):
            pass
    return recorded.MISSING


def answers(lab):
    rows = ""
    for item in rubric_of(lab).items:
        if item.kind == "reading":
            margin = f"± {item.tolerance * 100:.0f} %" if item.tolerance else "exactly"
            rows += f"| `{item.name}` | {recorded_value(item)} | {item.hint}; {margin} |\n"
        elif item.kind == "conclusion":
            right = " or ".join(f"`{word}`" for word in item.right)
            rows += f"| `{item.name}` | {right} | {item.hint} |\n"
    return f"| key | answer | where to look |\n|---|---|---|\n{rows}"


def refreshed(text):
    def replace(match):
        kind, lab = match.groups()
        return f"<!-- {kind} {lab} -->\n\n{globals()[kind](lab).strip()}\n\n<!-- end -->"
    return BLOCK.sub(replace, text)
