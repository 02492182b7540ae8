"""Charts of the recorded runs, and the few of them that are kept beside the texts as small PNGs."""
import glob
import hashlib
import os
import re
import subprocess
import sys

KEPT = "handouts/figures"
# How wide charts are drawn: on a page their letters then have 5.5 to 6 points.
WIDTH_PX, BLOCKS_WIDTH_PX = 1200, 1050
LINK = re.compile(r"figures/(lab-[^)\s\"]+)\.png")


def recorded_runs():
    """{lab-1: labs/1-async-check/recorded/h200, lab-6-h200-x2: ...}"""
    runs = {}
    for path in sorted(glob.glob("labs/*/recorded/*/run.csv")):
        folder = os.path.dirname(path)
        _, lab, _, gpu = folder.split("/")
        runs[f"lab-{lab.split('-')[0]}" + ("" if gpu == "h200" else f"-{gpu}")] = folder
    return runs


def run_of(name):
    """lab-6-h200-x2-timeline-b -> lab-6-h200-x2, timeline-b; None for a run that is not there."""
    fits = [run for run in recorded_runs() if name.startswith(run + "-")]
    run = max(fits, key=len, default=None)
    return run, name[len(run) + 1:] if run else None


def hash_of(paths):
    digest = hashlib.sha256()
    for path in sorted(paths):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def source_of(run):
    return hash_of(glob.glob(recorded_runs()[run] + "/*.csv"))


def plots_now():
    return hash_of(path for path in glob.glob("plots/**", recursive=True)
                   if path.endswith((".gp", ".c", ".h", "draw")))


def draw_all(folder):
    """Every chart of every recorded run, in folder/<run>; drawn again only if something changed."""
    plots = plots_now()
    for run, recorded in recorded_runs().items():
        out, stamp = os.path.join(folder, run), f"{source_of(run)} {plots} {WIDTH_PX}"
        try:
            with open(out + "/source", encoding="utf-8") as file:
                if file.read() == stamp:
                    continue
        except FileNotFoundError:
            pass
        for old in glob.glob(out + "/*.png"):
            os.remove(old)
        subprocess.run(["plots/draw", "--out", out, f"recorded:{recorded}", "png"], check=True,
                       env={**os.environ, "PLOT_WIDTH": str(WIDTH_PX)},
                       stderr=subprocess.DEVNULL if not sys.stderr.isatty() else None)
        with open(out + "/source", "w", encoding="utf-8") as file:
            file.write(stamp)


def charts(folder, run):
    return sorted(os.path.basename(p)[:-4] for p in glob.glob(f"{folder}/{run}/*.png"))


def wanted(texts):
    return sorted({name for text in texts for name in LINK.findall(text)})


def stamp_of(name, word):
    """What a kept figure was drawn from (Source: the CSV files; Plots: the scripts), or None."""
    try:
        with open(f"{KEPT}/{name}.png", "rb") as file:
            found = re.search(rb"tEXt" + word.encode() + rb"\0([0-9a-f]{16})", file.read())
            return found and found.group(1).decode()
    except FileNotFoundError:
        return None


def kept_source(name):
    return stamp_of(name, "Source")


def is_new(name):
    """Drawn from the recorded run as it is, by the scripts as they are."""
    return (kept_source(name), stamp_of(name, "Plots")) == (source_of(run_of(name)[0]), plots_now())


def script_of(run, chart):
    """The script, and the part if it draws one."""
    kind, _, part = chart.partition("-")
    if kind in ("timeline", "blocks"):
        return f"plots/{kind}.gp", [part]
    return f"plots/{'-'.join(run.split('-')[:2])}-{chart}.gp", []


def draw(name, picture):
    """Draws one chart of a recorded run as a text shows it; False if there is no such chart."""
    run, chart = run_of(name)
    script, part = script_of(run, chart)
    if not os.path.exists(script):
        return False
    os.makedirs(os.path.dirname(picture), exist_ok=True)
    width = BLOCKS_WIDTH_PX if chart.startswith("blocks-") else WIDTH_PX
    done = subprocess.run(["gnuplot", "-c", script, "recorded:" + recorded_runs()[run], *part, picture],
                          env={**os.environ, "PLOT_WIDTH": str(width)}, check=False)
    return done.returncode == 0


def looks_the_same(picture, name):
    """Is the kept figure of the same run, and no point of it another colour?"""
    from PIL import Image, ImageChops
    if kept_source(name) != source_of(run_of(name)[0]):
        return False
    with Image.open(f"{KEPT}/{name}.png") as kept:
        return (kept.size == picture.size and
                not ImageChops.difference(kept.convert("RGB"), picture.convert("RGB")).getbbox())


def keep(folder, name):
    """Stores a chart with a palette of 64 colours: a third of the size, and nothing to be seen. One
    that would look as it did stays, so that git sees a change only where there is one."""
    from PIL import Image, PngImagePlugin  # comes with weasyprint
    run, _ = run_of(name)
    drawn = f"{folder}-kept/{name}.png"
    if not draw(name, drawn):
        return False
    stamps = PngImagePlugin.PngInfo()
    stamps.add_text("Source", source_of(run))
    stamps.add_text("Plots", plots_now())
    with Image.open(drawn) as picture:
        small = picture.convert("RGB").quantize(64, Image.Quantize.MEDIANCUT,
                                                dither=Image.Dither.NONE)
        if not looks_the_same(small, name):
            small.save(f"{KEPT}/{name}.png", optimize=True, pnginfo=stamps)
    return True
