#!/usr/bin/env python3
"""Runs the test programs that `cargo test --no-run --message-format=json` names, several beside each other.

    cargo test --workspace --no-run --message-format=json-render-diagnostics | scripts/run-tests.py

Cargo runs one program after the other, and most of ours wait more than they compute. Each program runs as cargo
would run it, in the folder of its package; its output is shown when it has ended, as a whole. What measures runs by
itself at the end: benches, and what `--alone NAME` names. Ends with 1 if a program failed, after all have run.
`--jobs N`: how many beside each other; the number of processors unless told.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import threading
import time


class Program:
    """A test program of one target of one package."""

    def __init__(self, message):
        self.path = message["executable"]
        self.folder = pathlib.Path(message["manifest_path"]).parent
        self.kind = message["target"]["kind"][0]
        self.target = message["target"]["name"]
        self.name = f"{self.folder.name} {self.target}"
        self.output, self.seconds, self.failed = b"", 0.0, True

    def run(self):
        environment = dict(os.environ, CARGO_MANIFEST_DIR=str(self.folder))
        begun = time.monotonic()
        ended = subprocess.run([self.path], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.output, self.failed = ended.stdout, ended.returncode != 0
        self.seconds = time.monotonic() - begun

    def show(self):
        verdict = "FAILED" if self.failed else "passed"
        print(f"== {self.name} ({self.kind}): {verdict} after {self.seconds:.0f} s", flush=True)
        sys.stdout.buffer.write(self.output)
        sys.stdout.buffer.flush()


def programs(lines):
    """The programs that cargo built to be run as tests, in its order; its progress is on stderr."""
    messages = (json.loads(line) for line in lines if line.startswith("{"))
    built = [m for m in messages if m["reason"] == "compiler-artifact" and m["executable"] and m["profile"]["test"]]
    return [Program(message) for message in built]


def run_all(waiting, jobs):
    """Runs the programs, `jobs` beside each other."""
    waiting, lock = list(reversed(waiting)), threading.Lock()

    def work():
        while True:
            with lock:
                if not waiting:
                    return
                program = waiting.pop()
            program.run()
            with lock:
                program.show()

    workers = [threading.Thread(target=work) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--alone", action="append", default=[], metavar="NAME")
    given = arguments.parse_args()
    jobs = given.jobs
    everything = programs(sys.stdin)
    if not everything:
        sys.exit("no test program was built")
    measuring = [p for p in everything if p.kind == "bench" or p.target in given.alone]
    others = [p for p in everything if p not in measuring]
    begun = time.monotonic()
    # The end-to-end tests take longest: they begin first.
    others.sort(key=lambda program: program.kind != "test")
    run_all(others, jobs)
    run_all(measuring, 1)
    failed = [p for p in everything if p.failed]
    slowest = sorted(everything, key=lambda p: -p.seconds)[:8]
    print(f"== {len(everything)} programs in {time.monotonic() - begun:.0f} s, {jobs} beside each other; slowest: "
          + ", ".join(f"{p.name} {p.seconds:.0f} s" for p in slowest))
    for program in failed:
        print(f"== FAILED: {program.name}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
