"""The grader's own copy of the suite: built once, its labs run once, shared by all hand-ins.

Nothing of a hand-in is in it.  Each hand-in gets a tree of hard links to it, in which only
exercise.cu is its own, so that what is built there takes one compilation.
"""
import glob
import os
import shutil
import subprocess
import sys

from . import guard, ownrun, stopping

PARTS = ("Makefile", "common", "labs")
LEFT_OUT = shutil.ignore_patterns("recorded", "answers.txt", "__pycache__", ".*")
# The suite's own labs are trusted.  On a GPU they write more than one process's files in /proc.
LAB_LIMITS = guard.Limits(time_s=300, memory_bytes=12 << 30, address_space=False,
                          file_bytes=1 << 30, writable=("/",))


class CannotGrade(Exception):
    """The machine cannot grade, for this reason."""


def find_device(suite):
    """gpu or sim, as the Makefile chooses."""
    probe = "$(info DEVICE=$(DEVICE))\nall:;@:\n"
    answer = subprocess.run(["make", "-s", "-f", "Makefile", "-f", "-", "all"], cwd=suite,
                            text=True, input=probe, capture_output=True, check=False)
    for line in answer.stdout.splitlines():
        if line.startswith("DEVICE="):
            return line[len("DEVICE="):]
    raise CannotGrade(f"make does not work here: {answer.stderr.strip()[-200:]}")


class Suite:
    def __init__(self, folder, device, rubrics):
        self.folder = os.path.abspath(folder)  # holds tree/ and runs/
        self.tree = os.path.join(self.folder, "tree")
        self.runs = os.path.join(self.folder, "runs")
        self.device = device
        self.rubrics = rubrics
        self.references = {}

    def make_command(self, tree, targets):
        return ["make", "-s", "-j", str(os.cpu_count() or 1), "-C", tree, "B=build",
                f"DEVICE={self.device}", "OPT=-O1", *targets]

    def has_judge(self, rubric):
        return os.path.exists(os.path.join(self.tree, rubric.folder, "judge.cu"))

    def program(self, kind, rubric, tree=None):
        return os.path.join(tree or self.tree, "build", self.device, f"{kind}-{rubric.lab[4:]}")

    def exercise_limits(self, time_s, tree):
        if self.device != "gpu":
            return guard.Limits(time_s=time_s, memory_bytes=2 << 30, reads=(tree,))
        # CUDA's driver writes files of its own process in /proc, or does not start.  The locks
        # (common/device.c) make one exercise wait for another on the same GPU.
        locks = glob.glob("/tmp/gpu-asynchrony-labs-*.lock")
        return guard.Limits(time_s=time_s, memory_bytes=2 << 30, address_space=False,
                            writable=("/proc/self", *locks), reads=(tree, *self.libraries()))

    def libraries(self):
        """Where the toolkit is, if its libraries are not among the system's: asked of a lab of ours,
        for ldd can run what it is asked about."""
        listing = subprocess.run(["ldd", self.program("lab", self.rubrics[0])], check=False,
                                 capture_output=True, text=True).stdout
        folders = {os.path.dirname(line.split(" => ")[1].split(" (")[0])
                   for line in listing.splitlines() if " => /" in line}
        # What one library loads by itself lies beside it, or beside its folder.
        return sorted({os.path.dirname(folder) for folder in folders
                       if not folder.startswith(("/usr/", "/lib", "/opt/"))} - {"/"})

    def compile_limits(self, time_s):
        return guard.Limits(time_s=time_s, memory_bytes=4 << 30, address_space=self.device != "gpu")

    def prepare(self, source):
        """Copies the suite, builds it and runs its labs."""
        os.makedirs(self.tree)
        for name in PARTS:
            path = os.path.join(source, name)
            copy = shutil.copytree if os.path.isdir(path) else shutil.copy2
            extra = {"ignore": LEFT_OUT} if os.path.isdir(path) else {}
            copy(path, os.path.join(self.tree, name), **extra)
        for folder, _, _ in os.walk(self.tree):  # the source's may be for reading only
            os.chmod(folder, 0o755)
        if not guard.works():
            print("grade: this machine cannot confine what hand-ins run (Landlock, seccomp): grade where "
                  "nothing of value is, as in a container", file=sys.stderr)
        self.build()
        self.run_labs()
        self.look_at_rubrics()

    def build(self):
        """The labs, and all of the exercises but exercise.cu: a hand-in's own is compiled, and the
        one here may be half repaired."""
        programs = [self.program("lab", r) for r in self.rubrics]
        for rubric in filter(self.has_judge, self.rubrics):
            judge = os.path.join("build", self.device, rubric.folder, "judge.cu.o")
            programs += [self.program("exercise", rubric) + ".a", os.path.join(self.tree, judge)]
        targets = [os.path.relpath(name, self.tree) for name in programs]
        built = guard.run(self.make_command(self.tree, targets), self.tree, self.folder,
                          guard.Limits(time_s=900, address_space=False))
        if not built.ok:
            raise CannotGrade(f"the suite does not build here: {built.reason}\n"
                              f"{built.output.strip()[-2000:]}")

    def run_labs(self):
        """On a GPU one after another; simulated ones disturb nothing but the processor."""
        os.makedirs(self.runs)
        at_once = 1 if self.device == "gpu" else os.cpu_count() or 1
        slow_first = sorted(self.rubrics, key=lambda r: r.lab not in ("lab-2", "lab-6"))
        with stopping.pool(at_once, guard.kill_all) as pool:
            list(pool.map(self.run_lab, slow_first))
        self.load_runs()

    def run_lab(self, rubric):
        out = os.path.join(self.runs, rubric.lab)
        os.makedirs(out)
        options = rubric.options if self.device == "sim" else []
        outcome = guard.run([self.program("lab", rubric), "--out", out, *options], out, out,
                            LAB_LIMITS)
        with open(os.path.join(out, "report.txt"), "w", encoding="utf-8") as file:
            file.write(outcome.output + outcome.reason)

    def load_runs(self):
        for rubric in self.rubrics:
            folder = os.path.join(self.runs, rubric.lab)
            try:
                texts = {}
                for name in ownrun.FILES:
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        texts[name] = file.read()
                self.references[rubric.lab] = ownrun.Run(texts)
            except (OSError, ownrun.NotARun):
                self.references[rubric.lab] = None
                print(f"grade: {rubric.lab} did not run here: {self.last_line(folder)}",
                      file=sys.stderr)

    def look_at_rubrics(self):
        """Says which items are of something that the labs neither show nor say they cannot show."""
        for rubric in self.rubrics:
            run = self.references[rubric.lab]
            for item in rubric.items if run else ():
                unknown = [name for part, name in item.rows
                           if (part, name) not in run.results and not run.not_shown(part)]
                if item.kind == "experiment" and not run.verdict(item.name) \
                        and not run.not_shown(item.name):
                    unknown = [item.name]
                if unknown:
                    print(f"grade: {item.title}: the lab has no {unknown[0]!r} here; see "
                          f"tests/rubric/{rubric.lab}.txt", file=sys.stderr)

    @staticmethod
    def last_line(folder):
        try:
            with open(os.path.join(folder, "report.txt"), encoding="utf-8") as file:
                return (file.read().splitlines() or [""])[-1]
        except OSError:
            return f"{folder} is not there"

    def private_tree(self, folder):
        """Hard links to all of the tree, in folder."""
        tree = os.path.join(folder, "tree")
        shutil.copytree(self.tree, tree, copy_function=os.link)
        return tree
