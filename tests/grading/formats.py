"""The grades as text, and as what other programs read."""
import base64
import json
from xml.sax.saxutils import escape, quoteattr

from .grader import FAIL, NOT_GRADED, PASS


def score(results):
    return sum(r.points for r in results), sum(r.max_points for r in results)


def simulated(results):
    return [r for r in results if r.where.startswith("SIMULATED") and r.status != NOT_GRADED]


def not_graded(results):
    return [r for r in results if r.status == NOT_GRADED]


def by_lab(results):
    labs = {}
    for result in results:
        labs.setdefault(result.item.lab, []).append(result)
    return labs


def detail(result, known_device=""):
    """What was measured, what is required, where if not on the known device, and a hint."""
    lines = []
    if result.measured:
        lines.append(f"measured: {result.measured}")
    if result.required:
        lines.append(f"required: {result.required}")
    if result.where not in ("", known_device):
        lines.append(f"on: {result.where}")
    if result.hint:
        lines.append(f"hint: {result.hint}")
    return lines


def count(number, what):
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def summary(results):
    lines = []
    here, missing = simulated(results), not_graded(results)
    if here:
        lines.append(f"Graded on a simulated GPU: {len(here)} of {count(len(results), 'item')}, "
                     f"{count(sum(r.max_points for r in here), 'point')}.")
    if missing:
        lines.append(f"Not graded: {count(len(missing), 'item')}, "
                     f"{count(sum(r.item.points for r in missing), 'point')}, "
                     "not part of the score:")
        lines += [f"  {r.item.title}: {r.measured}" for r in missing]
    return lines


def device_of(results):
    """Where most of a lab's items were graded."""
    places = [r.where for r in results if r.where]
    return max(places, key=places.count) if places else ""


def text(results):
    lines = []
    for lab, some in by_lab(results).items():
        device = device_of(some)
        lines.append("{}  {}/{}".format(lab, *score(some)) + (f"  on {device}" if device else ""))
        for result in some:
            points = "-" if result.status == NOT_GRADED else f"{result.points}/{result.item.points}"
            name = f"{result.item.kind} {result.item.name}"
            lines.append(f"  {result.status:<10}  {points:>5}  {name}")
            lines += [" " * 21 + line for line in detail(result, device)]
        lines.append("")
    lines += summary(results)
    lines.append("  ".join("{} {}/{}".format(lab, *score(r)) for lab, r in by_lab(results).items()))
    return "\n".join(lines) + "\nScore: {}/{}\n".format(*score(results))


def tap(results):
    lines = ["TAP version 13", f"1..{len(results)}"]
    for number, result in enumerate(results, 1):
        skip = f" # SKIP {result.measured}" if result.status == NOT_GRADED else ""
        ok = "not ok" if result.status == FAIL else "ok"
        title = f"{result.item.title} ({result.points}/{result.item.points})"
        lines.append(f"{ok} {number} - {title.replace('#', ' ')}{skip.replace(chr(10), ' ')}")
        lines += [f"  # {line}" for line in detail(result)]
    return "\n".join(lines + ["# " + line for line in summary(results)]
                     + ["# Score: {}/{}".format(*score(results))]) + "\n"


def junit(results):
    failed = sum(r.status == FAIL for r in results)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuites name="grade" tests="{len(results)}" failures="{failed}" '
             f'skipped="{len(not_graded(results))}">']
    for lab, some in by_lab(results).items():
        points, of = score(some)
        lines.append(f'  <testsuite name={quoteattr(lab)} tests="{len(some)}" '
                     f'failures="{sum(r.status == FAIL for r in some)}" errors="0" '
                     f'skipped="{len(not_graded(some))}">')
        lines.append(f'    <properties><property name="score" value="{points}"/>'
                     f'<property name="max_score" value="{of}"/></properties>')
        for result in some:
            lines += junit_case(result)
        lines.append("  </testsuite>")
    return "\n".join(lines + ["</testsuites>"]) + "\n"


def junit_case(result):
    message = quoteattr(f"{result.points}/{result.item.points}: {result.measured}")
    name = quoteattr(f"{result.item.kind} {result.item.name}")
    body = escape("\n".join(detail(result)))
    inner = {PASS: f"<system-out>{body}</system-out>",
             FAIL: f"<failure message={message}>{body}</failure>",
             NOT_GRADED: f"<skipped message={message}/>"}[result.status]
    return [f"    <testcase classname={quoteattr(result.item.lab)} name={name}>{inner}</testcase>"]


def gradescope(results):
    """results.json of Gradescope's autograders."""
    tests = []
    for result in results:
        tests.append({"name": result.item.title, "score": result.points,
                      "max_score": result.max_points,
                      "status": "failed" if result.status == FAIL else "passed",
                      "output": "\n".join(([NOT_GRADED] if result.status == NOT_GRADED else [])
                                          + detail(result)),
                      "visibility": "visible"})
        if result.status == NOT_GRADED:
            del tests[-1]["status"]
    points, of = score(results)
    return json.dumps({"score": points, "visibility": "visible", "stdout_visibility": "hidden",
                       "output": "\n".join(summary(results) + [f"Score: {points}/{of}"]),
                       "tests": tests}, indent=1) + "\n"


def classroom(results):
    """What GitHub Classroom's reporter takes as a step's output: JSON in base64, one line."""
    points, of = score(results)
    tests = [{"name": r.item.title, "status": "fail" if r.status == FAIL else "pass",
              "score": r.points, "message": "; ".join(detail(r)), "test_code": r.item.title,
              "filename": "", "line_no": 0, "execution_time": ""}
             for r in results if r.status != NOT_GRADED]
    whole = {"version": 1, "status": "pass" if points == of else "fail", "max_score": of,
             "tests": tests}
    return base64.b64encode(json.dumps(whole).encode()).decode() + "\n"


def autolab(results):
    """Autolab reads the last line."""
    scores = {lab: score(some)[0] for lab, some in by_lab(results).items()}
    return text(results) + json.dumps({"scores": scores}) + "\n"


FORMATS = {"text": text, "tap": tap, "junit": junit, "gradescope": gradescope,
           "classroom": classroom, "autolab": autolab}
