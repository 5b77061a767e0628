#!/bin/sh
# Recomputes the figures of docs/score.md and docs/second-world.md with the optimised command, on the seeds
# that are reported (arena::seeds), and keeps each table in a file of the folder "figures". Read next:
# docs/score.md.
#
#   scripts/figures.sh [COMMAND]    the command, target/release/convoke unless named
set -eu

convoke=${1:-target/release/convoke}
mkdir -p figures

# Every policy on thirty days; a batch that was ended goes on where it was.
"$convoke" simulate --days 1 --seeds 70031..70060 --policy agents,manual,correlated,none \
    --out figures/days.jsonl --html figures/days.html | tee figures/days.txt
# The same where nothing errs.
"$convoke" simulate --days 1 --seeds 70031..70060 --world ideal --policy agents,manual,correlated,none \
    --out figures/ideal.jsonl --html figures/ideal.html | tee figures/ideal.txt
# Every policy on recorded streams of alarms.
"$convoke" eval faults --world ideal --seeds 70031..70060 | tee figures/streams.txt
"$convoke" eval faults --world erring --seeds 70031..70060 | tee figures/erring-streams.txt
# The same on a network that is differently built, by what was learnt from its unlabelled past.
"$convoke" eval faults --world other --seeds 70061..70120 | tee figures/second-world.txt
"$convoke" eval faults --world other --seeds 70031..70060 --past 50002 | tee figures/second-world-past.txt
"$convoke" eval faults --world other --seeds 70121..70150 --network 2 | tee figures/second-world-2.txt
"$convoke" eval faults --world other --seeds 70151..70180 --network 3 | tee figures/second-world-3.txt
# Every kind of fault, of any size, ten times.
"$convoke" simulate --fault each --seeds 80011..80020 --policy agents,manual,correlated \
    | tee figures/kinds.txt
# Large outages only, as in the demo.
"$convoke" simulate --seeds 80101..80300 | tee figures/stories.txt
# What the comparison rests on.
"$convoke" simulate --days 1 --seeds 70031..70040 --world ideal --sweep-practice --policy manual \
    | tee figures/practice.txt
