"""Whether an exercise worked with what it was given, which its judge does not look at.

A judge fails work that is left out.  Work that is made longer can look good too: beside a kernel of
20 times the length every copy is short.  The rubric says how much there is to be (at-most,
kernel-ms, kernels); what has more of it is a failed check of its own.
"""

SLACK = 1.25  # the clock of a GPU under load is slower than the calibrated one


def waves(blocks, capacity):
    return -(-blocks // capacity)


def length_share(span, sms, whole_ms, whole_blocks):
    """How long this kernel is, of what it may be on a GPU of 1 or 2 such blocks on an SM."""
    blocks = int(span["grid_x"] or 1)
    share = max(waves(blocks, n * sms) / waves(whole_blocks, n * sms) for n in (1, 2))
    return (int(span["end_ns"]) - int(span["start_ns"])) / (share * whole_ms * 1e6)


def fail(checks, name, measured, required):
    checks[name] = {"id": name, "verdict": "fail", "measured": measured, "required": required,
                    "why": ""}


def check_kernel_ms(rubric, run, checks):
    """Of kernels side by side all but the first can be held up, so the shortest one counts."""
    for part, (whole_ms, whole_blocks) in rubric.kernel_ms.items():
        shares = [length_share(span, int(run.about["sms"]), whole_ms, whole_blocks)
                  for span in run.spans if span["part"] == part and span["kind"] == "kernel"
                  and span["name"].startswith("transform_kernel")]
        if shares and min(shares) > SLACK:
            fail(checks, f"{part}-kernel-as-given", f"{100 * min(shares):.0f} %",
                 f"at most {100 * SLACK:.0f} % of the length that the exercise gives its kernel: "
                 "hand x->transform on as it is")


def check_at_most(rubric, checks):
    for name, percent in rubric.at_most.items():
        row = checks.get(name)
        if row and float(row["measured"].split(" ")[0]) > percent:
            row.update(verdict="fail", required=f"{row['required']}, and at most {percent:g} %")


def check_kernels(rubric, run, checks):
    """The judge does as much work beside the exercise as it gave it."""
    for part, most in rubric.kernels.items():
        n = sum(span["part"] == part and span["kind"] == "kernel" for span in run.spans)
        if n > most:
            fail(checks, f"{part}-work-as-given", f"{n} kernels",
                 f"at most {most}: leave the work in x as it is")


def checked(rubric, run):
    """The judge's checks, and those of this file that fail."""
    checks = {name: dict(row) for name, row in run.checks.items()}
    check_at_most(rubric, checks)
    check_kernel_ms(rubric, run, checks)
    check_kernels(rubric, run, checks)
    return checks
