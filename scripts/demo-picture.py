#!/usr/bin/env python3
"""Draws docs/demo.svg, the README's picture of the demo: `make demo-picture` runs it.

Usage: demo-picture.py CONVOKE [SEED] > docs/demo.svg

Plays `convoke demo fault` on a terminal of COLUMNS columns and draws what stands there. Abridged by a
rule: of lines with the same speaker, listener and first word only the first is kept, mere progress is
left out, and every thought on the first case of the agent that finds the cause stays.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

COLUMNS = 140
WIDE, HIGH, PAD = 8.0, 18, 20
COLOURS = {
    "31": ("#cf222e", "#ff7b72"), "32": ("#1a7f37", "#3fb950"), "33": ("#9a6700", "#d29922"),
    "35": ("#8250df", "#d2a8ff"), "36": ("#0969da", "#79c0ff"), "2": ("#59636e", "#9198a1"),
}
ALWAYS = re.compile(r"oss-fault ·.*[Cc]ase 1\b|something breaks")
PROGRESS = re.compile(r"(──▶ \S+ +(accepted|processing|cancelled)\b)|network !|network ──▶")
LINE = re.compile(r"^ *\d+:\d\d:\d\d +(\S+) (?:──▶ (\S+)|[·!]) +(\S+)")
STYLED = re.compile(r"\x1b\[([\d;]*)m")


def played(convoke, seed):
    """What the demo writes to a terminal, in lines."""
    asks, writes = pty.openpty()
    with tempfile.TemporaryDirectory() as state:
        story = [convoke, "--state", state, "demo", "fault", "--headless", "--seed", seed,
                 "--netconf", "127.0.0.1:0", "--agents-from", "0"]
        environment = dict(os.environ, COLUMNS=str(COLUMNS), TERM="xterm")
        environment.pop("NO_COLOR", None)
        run = subprocess.Popen(story, stdin=subprocess.DEVNULL, stdout=writes, env=environment)
        os.close(writes)
        text = b""
        while True:
            try:
                part = os.read(asks, 65536)
            except OSError:  # Linux says so when the other end is closed.
                break
            if not part:
                break
            text += part
        if run.wait() != 0:
            sys.exit(f"the demo ended with {run.returncode}")
    return text.decode().replace("\r", "").rstrip("\n").split("\n")


def abridged(lines):
    """Each kind of line once."""
    seen = set()
    for line in lines:
        plain = STYLED.sub("", line)
        found = LINE.match(plain)
        if not found or ALWAYS.search(plain):
            yield line
        elif found.groups() not in seen and not PROGRESS.search(plain):
            seen.add(found.groups())
            yield line


def spans(line):
    """The parts of a line, each with its column and classes."""
    column, classes = 0, []
    for place, part in enumerate(STYLED.split(line)):
        if place % 2:
            classes = [code for code in part.split(";") if code not in ("", "0")]
        elif part:
            yield column, " ".join("s" + code for code in classes), part
            column += len(part)


def drawn(lines):
    """The picture."""
    rows = list(lines)
    wide, high = COLUMNS * WIDE + 2 * PAD, len(rows) * HIGH + 2 * PAD
    light = "".join(f".s{code}{{fill:{day}}}" for code, (day, _) in COLOURS.items())
    dark = "".join(f".s{code}{{fill:{night}}}" for code, (_, night) in COLOURS.items())
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide:g} {high}" '
           f'width="{wide:g}" height="{high}">')
    yield "<title>A fault, found and repaired by agents (abridged)</title>"
    yield ("<style>text{font:13px 'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2328;white-space:pre}"
           f".paper{{fill:#f6f8fa;stroke:#d1d9e0}}{light}.s1{{font-weight:700}}.s3{{font-style:italic}}"
           "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117;stroke:#3d444d}"
           f"{dark}}}</style>")
    yield f'<rect class="paper" x=".5" y=".5" width="{wide - 1:g}" height="{high - 1}" rx="8"/>'
    for row, line in enumerate(rows):
        y = PAD + (row + 0.75) * HIGH
        for column, classes, text in spans(line):
            start = len(text) - len(text.lstrip(" "))
            text = text.strip(" ")
            if text:
                x = PAD + (column + start) * WIDE
                of = f' class="{classes}"' if classes else ""
                yield (f'<text{of} x="{x:g}" y="{y:g}" textLength="{len(text) * WIDE:g}" '
                       f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>')
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    story = played(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "6")
    picture = "\n".join(drawn(abridged(story)))
    if "\\u{" in picture:
        sys.exit("the command writes out control characters of its own")
    print(picture)
