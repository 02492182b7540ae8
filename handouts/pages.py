"""The texts as HTML in one file each, and as A4 PDF."""
import fnmatch
import os
import re
import subprocess

import figures
import recorded

ENTRY = re.compile(r"^- `([^`]+)`(.*)$", re.M)
NUMBER = re.compile(rf"(\d) (?=(?:{recorded.UNITS}|KB|times)(?!\w))")  # and its unit on one line
WORDS = re.compile(r"^- `\w+`: .*", re.M)  # a question; an answer such as no-room stays on one line
HYPHENED = re.compile(r"(?<![\w`-])\w+(?:-\w+)+(?![\w`])")
SECTION = re.compile(r"^## (lab-\S+)", re.M)


def gallery_entries(text):
    """[(run, pattern of chart names)], of the lists under headings that name a run."""
    found = []
    parts = SECTION.split(text)
    for run, body in zip(parts[1::2], parts[2::2]):
        found += [(run, pattern) for pattern, _ in ENTRY.findall(body)]
    return found


def with_all_charts(text, folder):
    """The gallery with every chart under its line, instead of the few that are kept."""
    text = re.sub(r"^ *!\[[^\]]*\]\(figures/[^)]*\)\n\n?", "", text, flags=re.M)
    parts = SECTION.split(text)

    def entry(run, match):
        names = fnmatch.filter(figures.charts(folder, run), match.group(1))
        if not names:
            return ""
        pictures = "\n".join(f'<img src="{os.path.abspath(folder)}/{run}/{name}.png" alt="{name}">'
                             for name in names)
        return (f'\n<div class="chart{" several" if len(names) > 1 else ""}">\n\n'
                f"`{match.group(1)}`{match.group(2)}\n\n<div>\n{pictures}\n</div>\n\n</div>\n")
    done = parts[0]
    for run, body in zip(parts[1::2], parts[2::2]):
        done += f"## {run}" + ENTRY.sub(lambda match, run=run: entry(run, match), body)
    return done


def html(name, text, out):
    title = re.match(r"# (.*)", text).group(1)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^(?! {4}).*", lambda line: NUMBER.sub("\\1\u00a0", line.group()), text,
                  flags=re.M)
    text = WORDS.sub(lambda line: HYPHENED.sub(r'<span class="word">\g<0></span>', line.group()), text)
    text = re.sub(r"!\[[^\]]*\]\((figures/[^)]*)\)",  # of a lab that has no recorded run yet
                  lambda m: m.group() if os.path.exists("handouts/" + m.group(1)) else "", text)
    text = re.sub(r"^( *)!\[([^\]]*)\]\(([^)]*)\)\n\*([^*]*)\*$",
                  r'<figure><img src="\3" alt="\2"><figcaption>\4</figcaption></figure>', text, flags=re.M)
    text = re.sub(r"\]\(([a-z0-9-]+)\.md(#[^)]*)?\)", r"](\1.html\2)", text)
    subprocess.run(
        ["pandoc", "--from=gfm+smart", "--to=html5", "--self-contained", "--resource-path=handouts",
         "--template=handouts/template.html", "--css=handouts/style.css",
         "--metadata", f"title={title}", "--variable", f"kind={name.split('-')[0]}",
         "--output", f"{out}/{name}.html"],
        input=text, encoding="utf-8", check=True)


def pdf(name, out):
    subprocess.run(["weasyprint", "--quiet", f"{out}/{name}.html", f"{out}/{name}.pdf"], check=True)
