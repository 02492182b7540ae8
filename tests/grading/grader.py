"""Grades one hand-in: experiments, answers, exercises.  Each item of the rubric gets a Result."""
import os
import re
import shutil
import tempfile
from dataclasses import dataclass

from . import answers, given, guard, handin, ownrun, source

PREPROCESSED_BYTES = 8 << 20  # with CUDA's headers it has 2 MiB

PASS, FAIL, NOT_GRADED = "pass", "fail", "not graded"


@dataclass
class Result:
    item: object
    status: str
    measured: str = ""
    required: str = ""
    where: str = ""     # the device it was graded on
    hint: str = ""

    @property
    def points(self):
        return self.item.points if self.status == PASS else 0

    @property
    def max_points(self):
        return self.item.points if self.status != NOT_GRADED else 0


def one_line(text, length=200):
    """Text of a hand-in in a report: no line of it can be taken for one of the grader's."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:length]


def last_line(output):
    lines = [line for line in output.splitlines() if line.strip()]
    return one_line(lines[-1]) if lines else "it said nothing"


def say_once(results, problem):
    """Why a run does not count stands at the first item that it takes the points of."""
    told = [r for r in results if problem and r.measured == problem]
    for result in told[1:]:
        result.measured, result.hint = f"{problem.split(':')[0]}, as said above", ""


class Grader:
    def __init__(self, suite, time_s):
        self.suite = suite
        self.time_s = time_s

    def grade(self, folder):
        """Results of all items, in the rubrics' order."""
        results = []
        submission = handin.Handin(folder)
        for rubric in self.suite.rubrics:
            run, problem = self.own_run(submission, rubric)
            some = self.experiments(rubric, run, problem)
            some += self.answers(submission, rubric, run, problem)
            say_once(some, problem)
            results += some + self.exercise(submission, rubric)
        return results

    # ---- experiments

    def own_run(self, submission, rubric):
        """(Run, "") or (None, why there is none)."""
        try:
            texts = {name: submission.run_file(rubric, name) for name in ownrun.FILES}
            missing = [name for name, text in texts.items() if text is None]
            if missing:
                return None, f"no run of yours handed in: out/{rubric.lab}/{missing[0]} is missing"
            return ownrun.accept(texts, rubric, self.suite.references.get(rubric.lab)), ""
        except (ownrun.NotARun, handin.Unusable) as error:
            return None, f"your run does not count: {one_line(str(error))}"

    def experiments(self, rubric, run, problem):
        reference = self.suite.references.get(rubric.lab)
        items = [item for item in rubric.items if item.kind == "experiment"]
        return [self.experiment(item, reference, run, problem) for item in items]

    def experiment(self, item, reference, run, problem):
        """The lab shows it here, and the student ran the lab and saw it."""
        check = reference.checks.get(item.name) if reference else None
        if not check or check["verdict"] != "pass":
            why = "the lab did not run here" if not reference else "not shown here: " + (
                check["why"] if check else reference.not_shown(item.name)
                or "the lab has no such check on this machine")
            return Result(item, NOT_GRADED, one_line(why), where=reference.device if reference
                          else "")
        if run is None:
            return Result(item, FAIL, problem, f"{check['measured']}, as in the grader's run",
                          reference.device, f"run make {item.lab} as it is, and hand in all files of "
                          f"out/{item.lab} as they are")
        if run.verdict(item.name) in ("", "cannot-show") and run.cannot_show(item.name):
            return Result(item, NOT_GRADED, one_line(run.cannot_show(item.name)), "", run.device)
        verdict = run.verdict(item.name) or "not in your run"
        where = run.device if run.simulated else f"{run.device} (as handed in)"
        return Result(item, PASS if verdict == "pass" else FAIL,
                      one_line(run.checks.get(item.name, {}).get("measured", "") or verdict),
                      check["required"], one_line(where), "" if verdict == "pass" else
                      f"run make {item.lab} with all of its parts")

    # ---- answers

    def answers(self, submission, rubric, run, problem):
        items = [i for i in rubric.items if i.kind in ("prediction", "reading", "conclusion")]
        values, unusable = {}, ""
        try:
            text = submission.answers(rubric)
            if text is None:
                raise handin.Unusable(f"{rubric.folder}/answers.txt is not handed in")
            values = answers.read_answers(text)
        except handin.Unusable as error:
            unusable = one_line(str(error))
        return [self.beyond(rubric, i, run)
                or (Result(i, FAIL, unusable, "a text file", hint=i.hint) if unusable
                    else self.answer(rubric, i, values.get(i.name, ""), run, problem))
                for i in items]

    def beyond(self, rubric, item, run):
        """A reading of what neither the student's machine nor this one shows: not graded, answered
        or not, so that all hand-ins of a class are out of the same number of points."""
        missing = [row for row in item.rows if run and row not in run.results]
        if missing and run.cannot_show(missing[0][0]):
            return Result(item, NOT_GRADED, one_line(run.cannot_show(missing[0][0])), "",
                          run.device)
        reference = self.suite.references.get(rubric.lab)
        if item.rows and not self.somebody_has(item, run, reference):
            why = reference.not_shown(item.rows[0][0]) if reference else "the lab did not run here"
            return Result(item, NOT_GRADED, one_line(why) or "this machine's run does not have it")
        return None

    @staticmethod
    def somebody_has(item, *runs):
        return any(run and all(run.results.get(row, 0) > 0 for row in item.rows) for run in runs)

    def answer(self, rubric, item, value, run, problem):
        if not value:
            return Result(item, FAIL, "blank", f"an answer in {rubric.folder}/answers.txt",
                          hint=item.hint)
        if item.kind == "reading":
            return self.reading(rubric, item, value, run, problem)
        grade = answers.grade_prediction if item.kind == "prediction" else answers.grade_conclusion
        right, measured, required, hint = grade(item, value)
        return Result(item, PASS if right else FAIL, one_line(measured), required,
                      hint="" if right else hint)

    def reading(self, rubric, item, value, run, problem):
        """Against the student's own run; against the grader's if none was handed in."""
        compared = run
        if run is None and "no run" in problem:
            compared = self.suite.references.get(rubric.lab)
        if compared is None:
            return Result(item, FAIL, problem, "a run to compare with", hint=item.hint)
        shared = compared is run or not any(part[:1] in rubric.changed_parts
                                            for part, _ in item.rows)
        if compared is not run and not shared:
            return Result(item, FAIL, one_line(value), "a run of yours to compare with",
                          hint=problem)
        if not self.somebody_has(item, compared):
            return Result(item, FAIL, one_line(value), f"{item.rows[0][1]!r} in your results.csv",
                          hint=f"run make {item.lab} with all of its parts")
        right, measured, required, hint = answers.grade_reading(
            item, value, compared.results,
            "your results.csv" if compared is run else "the grader's run")
        where = compared.device if compared is run else f"{compared.device}, the grader's run"
        return Result(item, PASS if right else FAIL, one_line(measured), required,
                      one_line(where), "" if right else hint)

    # ---- exercises

    def exercise(self, submission, rubric):
        items = [item for item in rubric.items if item.kind == "exercise"]
        if not items:
            return []
        reference = self.suite.references.get(rubric.lab)
        device = reference.device if reference else self.suite.device
        cannot = self.no_exercise(rubric, reference)
        if cannot:
            return [Result(i, NOT_GRADED, one_line(cannot), where=device) for i in items]
        try:
            text = submission.exercise(rubric)
            if text is None:
                raise source.Refused(f"{rubric.folder}/exercise.cu is not handed in")
            checks = self.run_exercise(rubric, text)
        except (source.Refused, handin.Unusable) as error:
            return [Result(i, FAIL, one_line(str(error), 300), "a program that runs to its end",
                           device, f"try make exercise-{rubric.lab[4:]}") for i in items]
        return [self.judged(rubric, item, items, checks, device) for item in items]

    def no_exercise(self, rubric, reference):
        """Why no exercise of this lab can be graded here, or nothing."""
        if not self.suite.has_judge(rubric) or not reference:
            return "the lab does not run here"
        tracer = reference.about.get("tracer", "none")
        if tracer.startswith("none"):
            return f"no tracer here: {tracer}"
        if rubric.needs and reference.verdict(rubric.needs) in ("", "cannot-show"):
            return reference.not_shown(rubric.needs)
        return ""

    def run_exercise(self, rubric, text):
        """The rows of the judge's checks.csv.  Raises Refused if the program cannot have any."""
        exercise_h = os.path.join(self.suite.tree, rubric.folder, "exercise.h")
        known, declared = self.known_to(rubric, exercise_h)
        source.check_text(text, known)
        work = tempfile.mkdtemp(prefix="grade-", dir=self.suite.folder)
        try:
            program = self.build_exercise(rubric, text, work, (known, declared))
            out = os.path.join(work, "out")
            os.mkdir(out)
            outcome = guard.run([program, "--out", out], out, out,
                                self.suite.exercise_limits(self.time_s, os.path.join(work, "tree")))
            if outcome.reason:
                raise source.Refused(f"stopped: {outcome.reason}")
            return given.checked(rubric, ownrun.Run(self.left_in(out, outcome)))
        except ownrun.NotARun as error:
            raise source.Refused(f"it was not judged: {one_line(str(error))}") from None
        finally:
            shutil.rmtree(work, ignore_errors=True)

    @staticmethod
    def left_in(out, outcome):
        """Name -> text of the files that the judge left."""
        texts = {}
        for name in ownrun.FILES:
            try:
                with open(os.path.join(out, name), encoding="utf-8", newline="") as file:
                    texts[name] = file.read()
            except OSError:
                raise source.Refused("it ended before it was judged: "
                                     + last_line(outcome.output)) from None
        return texts

    def known_to(self, rubric, exercise_h):
        """Headers that exercise.h includes, and the functions that it and they declare."""
        with open(exercise_h, encoding="utf-8") as file:
            included = [line.split('"')[1] for line in file if line.startswith('#include "')]
        paths = [exercise_h]
        for name in included:
            for folder in ("common", rubric.folder):
                path = os.path.join(self.suite.tree, folder, name)
                if os.path.exists(path) and name != "error.h":
                    paths.append(path)
        return included, source.declared_functions(paths)

    def build_exercise(self, rubric, text, work, allowed):
        """Compiles the text where the suite's exercise.cu stands, and looks at the object."""
        tree = self.suite.private_tree(work)
        path = os.path.join(tree, rubric.folder, "exercise.cu")
        os.unlink(path)  # a link to the suite's own
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        program = self.suite.program("exercise", rubric, tree)
        targets = [os.path.relpath(name, tree) for name in (program + ".i", program)]
        built = guard.run(self.suite.make_command(tree, ["-k", *targets]), tree, work,
                          self.suite.compile_limits(self.time_s))
        known, declared = allowed
        # Before any word of the compiler's is passed on: it may be of a file that was included.
        if os.path.exists(program + ".i"):
            if os.path.getsize(program + ".i") > PREPROCESSED_BYTES:
                raise source.Refused(f"its macros make more than {PREPROCESSED_BYTES >> 20} MiB of text")
            with open(program + ".i", encoding="utf-8", errors="replace") as file:
                source.check_preprocessed(file.read(), known)
        elif built.ok:
            raise source.Refused("its text after preprocessing cannot be read")
        if os.path.exists(program + ".o"):
            source.check_object(program + ".o", declared)
        if not built.ok:
            raise source.Refused(self.why_not_built(built, tree, os.path.exists(program + ".o")))
        return program

    @staticmethod
    def why_not_built(built, tree, compiled):
        """The compiler's first error, or the linker's."""
        said = "it does not link: " if compiled else "it does not compile: "
        errors = [line for line in built.output.splitlines()
                  if re.search(r"\berror\b|undefined|multiple definition", line)]
        line = (errors or [built.output])[0].replace(tree + "/", "")
        return said + (built.reason or one_line(line, 250))

    def judged(self, rubric, item, items, checks, device):
        """A check earns its points if it passes, and so do all those that have no points: they
        are what makes the others mean something (data right, work done)."""
        paid = {other.name for other in items}
        row = checks.get(item.name)
        cannot = [r["why"] for r in checks.values() if r["verdict"] == "cannot-show"]
        if cannot and (row is None or row["verdict"] == "cannot-show"):
            return Result(item, NOT_GRADED, one_line(cannot[0]), "", device)
        if row is None:
            return Result(item, FAIL, "the judge did not come so far", item.name, device)
        broken = [r for name, r in checks.items() if name not in paid and r["verdict"] != "pass"]
        if row["verdict"] == "pass" and not broken:
            return Result(item, PASS, row["measured"], row["required"], device)
        failed = ([row] if row["verdict"] != "pass" else []) + broken
        measured = [f"{r['id']}: {r['measured'] or r['verdict']}" for r in failed]
        return Result(item, FAIL, "; ".join(measured), failed[0]["required"], device,
                      f"make exercise-{rubric.lab[4:]} draws what happens")
