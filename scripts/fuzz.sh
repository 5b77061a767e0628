#!/usr/bin/env bash
# Runs the fuzz targets of tests/fuzz, one after the other: what a stranger's bytes may never do.
# --time S: seconds for each, 60 if not said; --only NAME: this target alone. Most need the nightly
# compiler, a C++ compiler and cargo-fuzz (cargo install cargo-fuzz). What is learnt stays in
# target/fuzz/corpus/NAME, what breaks in target/fuzz/artifacts/NAME; ends with 1 if something did.
# The target `http` needs none of that: it asks a running platform, and prints what it was asked last.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=60
only=
while (($#)); do
  case $1 in
    --time) seconds=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    *) echo "what is $1? --time SECONDS, --only NAME" >&2; exit 2 ;;
  esac
done
cargo=${CARGO:-cargo}
folder=$PWD/${CARGO_TARGET_DIR:-target}/fuzz
[[ ${CARGO_TARGET_DIR:-} == /* ]] && folder=$CARGO_TARGET_DIR/fuzz

# NAME, and where its seeds are.
run() {
  local name=$1
  shift
  if [[ -n $only && $only != "$name" ]]; then return; fi
  echo "== $name: $seconds s"
  mkdir -p "$folder/corpus/$name" "$folder/artifacts/$name"
  "$cargo" +nightly fuzz run --fuzz-dir tests/fuzz --target-dir "$folder" "$name" \
    "$folder/corpus/$name" "$@" -- -max_total_time="$seconds" -max_len=8192 -timeout=20 \
    -artifact_prefix="$folder/artifacts/$name/" -dict=tests/fuzz/words.dict -print_final_stats=1
}

# A platform that is asked by a stranger, with a seed of its own.
run_http() {
  if [[ -n $only && $only != http ]]; then return; fi
  local seed=$SRANDOM
  echo "== http: $seconds s, PROPTEST_RNG_SEED=$seed"
  "$cargo" build --workspace --bins
  CONVOKE_FUZZ_SECONDS=$seconds PROPTEST_RNG_SEED=$seed \
    "$cargo" test --workspace --test fuzz_http -- --nocapture
}

run_http
run template crates/schema/templates crates/schema/tests/figures
run payload tests/fuzz/seeds/payload crates/schema/tests/figures
run patch tests/fuzz/seeds/patch crates/schema/tests/figures
run netconf tests/fuzz/seeds/netconf
echo "== nothing broke"
