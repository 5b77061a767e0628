#!/usr/bin/env python3
"""A platform in a control group with little memory, under every attack of the bench at once.

    scripts/short-of-memory.py CONVOKE NEIGHBOURS [--memory-mib 256] [--seconds 30]

CONVOKE is the command, NEIGHBOURS the bench program (`cargo bench -p convoke-tests --bench neighbours
--no-run` tells where it is). Needs the right to make a control group (version 1 or 2). Tells a line of
JSON: the most memory that the group and the process had, how often /livez did not answer 200, what the
attacks were answered, and whether the system killed anybody. Ends with 1 if it did, or the platform is
gone, or /livez failed once.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

GROUPS = pathlib.Path("/sys/fs/cgroup")
ATTACKS = ["readers-who-read-nothing", "readers-who-read-nothing", "busy-agent",
           "flood-of-permitted-words", "heavy-xpath", "guest-with-all-he-has"]


class Group:
    """A control group of memory, made and removed by this script."""

    def __init__(self, mib):
        first = (GROUPS / "memory").is_dir()
        self.folder = (GROUPS / "memory" if first else GROUPS) / f"convoke-{os.getpid()}"
        self.folder.mkdir()
        most, peak = ("memory.limit_in_bytes", "memory.max_usage_in_bytes") if first else (
            "memory.max", "memory.peak")
        (self.folder / most).write_text(str(mib << 20))
        self.peak = self.folder / peak
        self.events = self.folder / ("memory.oom_control" if first else "memory.events")

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def peak_mib(self):
        return int(self.peak.read_text()) >> 20

    def kills(self):
        return int(re.search(r"oom_kill (\d+)", self.events.read_text()).group(1))


def started(convoke, state, group):
    """The platform, and where it listens."""
    command = [convoke, "--json", "--state", state, "serve", "--network", "Germany50", "--seed", "1",
               "--netconf", "127.0.0.1:0", "--agents-from", "0", "--http", "127.0.0.1:0"]
    platform = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                preexec_fn=group.enter)
    listeners = json.loads(platform.stdout.readline())["listeners"]
    http = next(l["address"] for l in listeners if l["protocol"].startswith("http"))
    return platform, listeners[0]["address"], http


def place(convoke, state, netconf, http):
    """How the attackers get in: as another administrator than the operator, and as a guest."""
    rules = pathlib.Path(state, "access.toml")
    first = 'user-name = ["operator"]'
    rules.write_text(rules.read_text().replace(first, 'user-name = ["noc", "operator"]', 1))

    def let_in(user):
        key = pathlib.Path(state, user)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        key.with_suffix(".pub").rename(pathlib.Path(state, "users", f"{user}.pub"))
        issued = subprocess.run([convoke, "--state", state, "token", "issue", user],
                                capture_output=True, text=True, check=True)
        return issued.stdout.strip()

    return json.dumps({"netconf": netconf, "http": http, "noc_token": let_in("noc"),
                       "guest_token": let_in("guest"), "state": state})


def lives(http):
    try:
        return urllib.request.urlopen(f"http://{http}/livez", timeout=5).status == 200
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("convoke")
    parser.add_argument("neighbours")
    parser.add_argument("--memory-mib", type=int, default=256)
    parser.add_argument("--seconds", type=int, default=30)
    given = parser.parse_args()
    group = Group(given.memory_mib)
    try:
        with tempfile.TemporaryDirectory() as state:
            told = beside_attacks(given, state, group)
    finally:
        for _ in range(50):
            if not (group.folder / "cgroup.procs").read_text():
                break
            time.sleep(0.1)
        group.folder.rmdir()
    print(json.dumps(told))
    return 0 if told["ended"] == 0 and not told["killed"] and not told["livez_failed"] else 1


def beside_attacks(given, state, group):
    platform, netconf, http = started(given.convoke, state, group)
    where = place(given.convoke, state, netconf, http)
    attackers = [subprocess.Popen([given.neighbours, "--attack", name, where], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) for name in ATTACKS]
    resident, asked, failed = 0, 0, 0
    until = time.monotonic() + given.seconds
    while time.monotonic() < until and platform.poll() is None:
        status = pathlib.Path("/proc", str(platform.pid), "status").read_text()
        resident = max(resident, int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) >> 10)
        asked, failed = asked + 1, failed + (not lives(http))
        time.sleep(0.5)
    did = {}
    for name, attacker in zip(ATTACKS, attackers):
        attacker.stdin.close()
        lines = [l for l in attacker.stdout.read().splitlines() if l.startswith("{")]
        attacker.wait()
        did.setdefault(name, []).extend(json.loads(l) for l in lines)
    peak, killed = group.peak_mib(), group.kills()
    platform.terminate()
    return {"memory_mib": given.memory_mib, "seconds": given.seconds, "group_peak_mib": peak,
            "resident_peak_mib": resident, "livez_asked": asked, "livez_failed": failed,
            "killed": killed, "ended": platform.wait(60), "attacks": did}


if __name__ == "__main__":
    sys.exit(main())
