#!/usr/bin/env bash
# The long forms of what CI runs in short: many seeds, laws of other cases, kills, power cuts, flipped
# bits, subscribers that hang, peers that are gone, networks that fail, nodes that die, clocks that jump, bytes of
# strangers, attacks that are generated. Each writes its output to target/soak/NAME.log; the summary is
# printed and kept in target/soak/report.txt. SCALE=N does N hundredths of each; ONLY="seeds crashes" does
# only these. Ends with 1 if one failed.
set -euo pipefail
cd "$(dirname "$0")/.."

scale=${SCALE:-100}
cargo=${CARGO:-cargo}
folder=${CARGO_TARGET_DIR:-target}/soak
report=$folder/report.txt
mkdir -p "$folder"

of() { echo $(( ($1 * scale + 99) / 100 )); }

# NAME, SETTINGS and what `cargo test` is to run.
failed=0
run() {
  local name=$1 settings=$2
  shift 2
  # shellcheck disable=SC2086  # settings are words
  told "$name" "$settings" 'test result: ok. [1-9]' env $settings "$cargo" test --release "$@" -- --nocapture
}

# NAME, what it is told with, what must be in its output, and a command. One that did nothing proves nothing.
told() {
  local name=$1 settings=$2 proof=$3
  shift 3
  if [[ -n ${ONLY:-} && " $ONLY " != *" $name "* ]]; then return; fi
  local began=$SECONDS log=$folder/$name.log result=passed
  "$@" >"$log" 2>&1 || { result=FAILED; failed=1; }
  grep -q "$proof" "$log" || { result=FAILED; failed=1; }
  printf '%-12s %-7s %6d s  %s\n' "$name" "$result" $((SECONDS - began)) "$settings" | tee -a "$report"
}

# Every kind of attack that is generated, and what everybody else feels of it.
attacks() {
  "$cargo" build --release --package convoke &&
    "$cargo" bench --package convoke-tests --bench neighbours -- --generated "$1" --soak "$2"
}

# The console while thousands of things happen.
watched() {
  "$cargo" build --release --package convoke &&
    "$cargo" bench --package convoke-tests --bench console -- --minutes "$1"
}

# The same with 256 MiB, where a control group can be made: nobody is killed, and /livez answers.
short_of_memory() {
  local neighbours
  "$cargo" build --release --package convoke
  neighbours=$("$cargo" bench --package convoke-tests --bench neighbours --no-run 2>&1 | sed -n 's/.*(\(.*\)).*/\1/p')
  scripts/short-of-memory.py "${CARGO_TARGET_DIR:-target}/release/convoke" "$neighbours" --seconds "$1"
}

{
  date -u '+%Y-%m-%dT%H:%M:%SZ'
  uname -sr
} >"$report"
run seeds "CONVOKE_SEEDS=5000..$((5000 + $(of 1000000)))" -p convoke-engine --test simulation the_laws_hold_under_every_seed
for _ in $(seq "$(of 100)"); do
  run laws "PROPTEST_RNG_SEED=$SRANDOM" -p convoke-domain -p convoke-schema -p convoke-network -p convoke-agents \
    -p convoke-report -p convoke-netconf -p convoke-engine --lib
done
run days "CONVOKE_LAW_SEEDS=6000..$((6000 + $(of 100)))" -p convoke-arena --test laws
run fuzz "CONVOKE_FUZZ_TIMES=$(of 1000)" -p convoke-schema -p convoke-netconf -p convoke-yang -p convoke-store -p convoke-server --test fuzz
run fuzz-http "CONVOKE_FUZZ_TIMES=$(of 1000) PROPTEST_RNG_SEED=$SRANDOM" -p convoke-tests --test fuzz_http
for _ in $(seq "$(of 10)"); do
  run differential "CONVOKE_DIFFERENTIAL=$(of 625) PROPTEST_RNG_SEED=$SRANDOM" -p convoke-tests --test renderings yanglint
done
run crashes "CONVOKE_CRASH_CYCLES=$(of 1000)" -p convoke-tests --test crash
run power-cuts "CONVOKE_POWER_CUTS=$(of 1000)" -p convoke-store --test powerloss
run bit-flips "CONVOKE_FLIPS=$(of 1000) CONVOKE_TRUNCATIONS=$(of 200)" -p convoke-store --lib damage
run large-data "CONVOKE_LARGE_MB=$(of 100)" -p convoke-store --test large
run slow "SLOW_SUBSCRIBERS=$(of 1000) SLOW_HANGING=$(of 100) SLOW_TASKS=$(of 3000) SLOW_PACE_MS=200" -p convoke-tests --test slow
run half-open "HALFOPEN_SESSIONS=$(of 1000) HALFOPEN_KEEPALIVE_S=15" -p convoke-tests --test halfopen
run partitions "CONVOKE_PARTITIONS=$(of 20000) CONVOKE_PARTITION_SEED=$SRANDOM" -p convoke-tests --test partition
told chaos "--minutes $(of 60)" ' 0 lost, 0 doubled, 0 gaps, 0 otherwise wrong' "$cargo" test --release -p convoke-tests --test chaos -- \
  --minutes "$(of 60)" --seed "$SRANDOM"
told chaos-control "--control standby" 'was noticed, as it must be' "$cargo" test --release -p convoke-tests --test chaos -- \
  --control standby
run attacks "CONVOKE_ATTACKS=$(of 1000) PROPTEST_RNG_SEED=$SRANDOM" -p convoke-tests --test generated --test fuzz_http generated
seed=$SRANDOM
told neighbours "--generated $seed --soak $(of 3600)" '^xpath .*[0-9]' attacks "$seed" "$(of 3600)"
told short-memory "--seconds $(of 600)" '"killed": 0' short_of_memory "$(of 600)"
told sessions "--hold $(of 600)" '"reached":true' "$cargo" bench --package convoke-tests --bench load -- \
  --json --only subscribed --hold "$(of 600)"
told console "--minutes $(of 60)" 'frames a second' watched "$(of 60)"
run upgrades "CONVOKE_UPGRADE_KILLS=$(of 100)" -p convoke-store --test upgrade
run inbox "CONVOKE_WAITING=$(of 1200)" -p convoke-tests --test browser people_act_in_the_console
run soak "CONVOKE_SOAK_MINUTES=${SOAK_MINUTES:-$(of 240)}" -p convoke-tests --test soak
run clock-jumps "CLOCK_JUMPS=$(of 200)" -p convoke-tests --test clockjump
echo "$report"
exit $failed
