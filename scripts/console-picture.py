#!/usr/bin/env python3
"""Draws docs/console.png, the README's picture of the console: `make console-picture` runs it.

Usage: console-picture.py CONVOKE docs/console.png

Plays `convoke demo fault` in a folder that is thrown away, on free ports of loopback, waits until agents are at work,
and has a Chromium without a window sign in by the link of `convoke console link` and open the page of the
network. Nothing is drawn here: what the picture shows is what a browser shows.
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
# Simulated seconds in a second, and how many of these pass before the picture.
SPEED, PAUSE_S = "60", 25


def main(convoke, picture):
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"no browser is installed; looked for {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as folder:
        state = str(pathlib.Path(folder) / "state")

        def said(*arguments):
            ran = subprocess.run([convoke, "--state", state, *arguments, "--json"], capture_output=True, check=True)
            return [json.loads(line) for line in ran.stdout.splitlines()]

        def shown(address, *flags):
            profile = f"--user-data-dir={folder}/profile"
            subprocess.run([browser, *FLAGS, profile, *flags, address], capture_output=True, check=True)

        demo = [convoke, "--state", state, "demo", "fault", "--stay", "--seed", "1", "--speed", SPEED, "--json", *FREE]
        with subprocess.Popen(demo, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
            try:
                ready = next(told for line in running.stdout if (told := json.loads(line))["event"] == "ready")
                listeners = {it["protocol"]: it["address"] for it in ready["listeners"]}
                site = f"http://{listeners['http']}"
                time.sleep(PAUSE_S)
                (link,) = said("console", "link", "--url", site)
                shown(link["link"], "--dump-dom")
                shown(f"{site}/#network", f"--screenshot={picture}")
            finally:
                running.terminate()


main(*sys.argv[1:])
