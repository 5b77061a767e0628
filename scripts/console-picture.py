#!/usr/bin/env python3
"""Draws the pictures of the console in README and docs: `make console-picture` runs it.

Usage: console-picture.py CONVOKE FOLDER

Plays `convoke demo fault` in a folder that is thrown away, on free ports of loopback, waits until agents are at work,
and has a Chromium without a window sign in by a link of `convoke console link` and open a page, for each picture.
Nothing is drawn here: what the pictures show is what a browser shows. Chinese wants a font, such as fonts-noto-cjk.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--window-size=1280,860", "--virtual-time-budget=8000"]
FREE = ["--netconf", "127.0.0.1:0", "--agents-from", "0", "--http", "127.0.0.1:0"]
# By file, page and flags of the browser.
PICTURES = [
    ("console.png", "network", []),
    ("console-zh.png", "", ["--lang=zh-CN", "--accept-lang=zh-CN", "--blink-settings=preferredColorScheme=0"]),
]
# Simulated seconds in a second, and how many of these pass before the picture.
SPEED, PAUSE_S = "60", 25


def main(convoke, into):
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"no browser is installed; looked for {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as folder:
        state = str(pathlib.Path(folder) / "state")

        def said(*arguments):
            ran = subprocess.run([convoke, "--state", state, *arguments, "--json"], capture_output=True, check=True)
            return [json.loads(line) for line in ran.stdout.splitlines()]

        def shown(name, address, *flags):
            profile = f"--user-data-dir={folder}/{name}"
            subprocess.run([browser, *FLAGS, profile, *flags, address], capture_output=True, check=True)

        demo = [convoke, "--state", state, "demo", "fault", "--stay", "--seed", "1", "--speed", SPEED, "--json", *FREE]
        with subprocess.Popen(demo, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
            try:
                ready = next(told for line in running.stdout if (told := json.loads(line))["event"] == "ready")
                listeners = {it["protocol"]: it["address"] for it in ready["listeners"]}
                site = f"http://{listeners['http']}"
                time.sleep(PAUSE_S)
                for name, page, flags in PICTURES:
                    (link,) = said("console", "link", "--url", site)
                    shown(name, link["link"], "--dump-dom", *flags)
                    shown(name, f"{site}/#{page}", f"--screenshot={pathlib.Path(into) / name}", *flags)
            finally:
                running.terminate()


main(*sys.argv[1:])
