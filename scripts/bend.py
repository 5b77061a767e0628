#!/usr/bin/env python3
"""Where more cores and more nodes bend first, reckoned from what a bench has measured.

    make bench ARGS=--json > figures.jsonl; scripts/bend.py figures.jsonl

Reads the rows of assignments of the benches `load` and `nodes`, which say what each costs where (`costs_us`), and
prints for 1 to 64 cores and 1 to 10 nodes how many a second there are at most, and what holds them there. Each node
and the database have a machine of so many cores, clients have others, and are spread over all nodes. For the machine of
the bench, where all of them share the cores, the same is reckoned beside what was measured.

What it takes for true: one thread writes rows and commits; all else of a node is as parallel as it has cores; a core
is as fast as those measured, and costs do not depend on how many there are. So it tells what cannot be beaten, and
not what will be reached. `--self-test` checks the reckoning with figures that are known.
"""

import json
import sys

CORES = (1, 2, 4, 8, 16, 32, 64)
NODES = (1, 2, 3, 5, 10)
# The rows with clients at all nodes have that many.
MEASURED_NODES = 3
SECOND_US = 1e6


def least(bounds):
    """The lowest of some bounds, (a second, what), of which those that cost nothing bind nobody."""
    return min((SECOND_US * room / cost, what) for room, cost, what in bounds if cost > 0)


def writer_us(costs):
    return costs["rows"] + costs["commit"]


def on_one_machine(costs, cores):
    """What is possible where nodes, database and clients share the cores."""
    everything = sum(costs.get(of, 0) for of in ("leader", "others", "database", "client"))
    return least([(1, writer_us(costs), "writer"), (cores, everything, "cores")])


def forwarded(local, spread):
    """What a forwarded request costs the leader, and whoever accepted it, from rows with clients at the leader alone and
    at all nodes."""
    share = (MEASURED_NODES - 1) / MEASURED_NODES
    leader = (spread["leader"] - (1 - share) * local["leader"]) / share
    return max(leader, 0), max(spread["others"] - local["others"], 0) / share


def on_many(local, spread, cores, nodes):
    """What is possible with a machine for each node and for the database."""
    here = 1 / nodes
    at_leader, at_other = forwarded(local, spread) if spread else (local["leader"], 0)
    leader = here * local["leader"] + (1 - here) * at_leader
    other = here * at_other if nodes > 1 else 0
    return least([
        (1, writer_us(local), "writer"),
        (cores, leader, "leader"),
        (cores, other, "node"),
        (cores, local.get("database", 0), "database"),
    ])


def table(name, local, spread):
    lines = [f"{name}: at most so many a second, and what holds them there"]
    nodes = NODES if spread else (1,)
    lines.append("cores" + "".join(f"{n:>10} node{'s' if n > 1 else ' '}" for n in nodes))
    for cores in CORES:
        cells = (on_many(local, spread, cores, n) for n in nodes)
        lines.append(f"{cores:>5}" + "".join(f"{rate:>7.0f} {what:<8}" for rate, what in cells))
    return "\n".join(lines)


def reckoned(lines):
    cores, rows = 0, {}
    for told in map(json.loads, lines):
        if told.get("event") == "machine":
            cores = told["cores"]
        elif "costs_us" in told:
            rows[told["name"]] = told
    if not rows:
        sys.exit("no row says what a request costs: it wants the lines of `make bench ARGS=--json`")
    for name, row in rows.items():
        if "-3-" in name:
            continue
        spread = rows.get(name.replace("-1-", "-3-")) if "-1-" in name else None
        print(table(name, row["costs_us"], spread and spread["costs_us"]) + "\n")
    print(f"on this machine, whose {cores} cores all share:")
    print(f"{'row':<26}{'reckoned':>10}{'measured':>10}  share  held by")
    for name, row in rows.items():
        most, what = on_one_machine(row["costs_us"], cores)
        share = row["value"] / most
        print(f"{name:<26}{most:>10.0f}{row['value']:>10.0f}  {share:>5.2f}  {what}")


def self_test():
    local = {"rows": 60, "commit": 40, "leader": 200, "others": 0, "database": 100, "client": 50}
    spread = dict(local, leader=140, others=80)
    assert on_one_machine(local, 2) == (2e6 / 350, "cores")
    assert on_one_machine(local, 4) == (1e4, "writer")
    # (140 - 200 / 3) * 3 / 2, and 80 * 3 / 2.
    assert [round(us) for us in forwarded(local, spread)] == [110, 120]
    assert on_many(local, spread, 1, 1) == (5_000, "leader")
    assert on_many(local, spread, 4, 1) == (1e4, "writer")
    rate, what = on_many(local, spread, 1, 10)
    assert (round(rate), what) == (round(1e6 / (20 + 0.9 * 110)), "leader")
    assert on_many(local, None, 64, 1) == (1e4, "writer")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--self-test"]:
            self_test()
        case [file]:
            with open(file, encoding="utf-8") as lines:
                reckoned(line for line in lines if line.startswith("{"))
        case _:
            sys.exit(__doc__)
