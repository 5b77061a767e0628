#!/usr/bin/env bash
# Runs the fuzz targets of tests/fuzz, one after the other: what a stranger's bytes may never do.
# --time S: seconds for each, 60 if not said; --only "NAME NAME": these alone; --merge: takes what was
# learnt over into tests/fuzz/corpus, as little of it as reaches as much. Stable Rust will do: what
# libFuzzer needs of a nightly, RUSTC_BOOTSTRAP=1 lets it have. cargo-fuzz is installed if it is missing.
# What is learnt stays in target/fuzz/corpus/NAME, what breaks in target/fuzz/artifacts/NAME, what was
# printed in target/fuzz/NAME.log. Ends with 1 if something broke: a panic, damage that AddressSanitizer
# sees, one input that takes 10 s (the second that is wanted, times ten for AddressSanitizer and a busy
# machine) or asks for 256 MiB at once, or fewer executions than the machine would have to make. A
# process may hold 4 GiB with what the sanitizer needs. The target `http` needs none of that: it asks a
# running platform.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=60
only=
merge=
while (($#)); do
  case $1 in
    --time) seconds=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --merge) merge=yes; shift ;;
    *) echo "what is $1? --time SECONDS, --only NAMES, --merge" >&2; exit 2 ;;
  esac
done
cargo=${CARGO:-cargo}
folder=$PWD/${CARGO_TARGET_DIR:-target}/fuzz
[[ ${CARGO_TARGET_DIR:-} == /* ]] && folder=$CARGO_TARGET_DIR/fuzz
failed=0

wanted() { [[ -z $only || " $only " == *" $1 "* ]]; }

# cargo-fuzz, the compiler's host, and that there is a C++ compiler for libFuzzer.
prepare() {
  command -v c++ >/dev/null || { echo "fuzz: libFuzzer needs a C++ compiler (Debian: g++)" >&2; exit 1; }
  if ! "$cargo" fuzz --version >/dev/null 2>&1; then
    echo "fuzz: installing cargo-fuzz"
    "$cargo" install --quiet --locked cargo-fuzz ||
      { echo "fuzz: cargo-fuzz could not be installed: cargo install cargo-fuzz" >&2; exit 1; }
  fi
  host=$(rustc -vV | sed -n 's/^host: //p')
}

# All targets at once, the first time it is needed: they share what they are built from.
built=
build() {
  [[ -z $built ]] || return 0
  prepare
  RUSTC_BOOTSTRAP=1 "$cargo" fuzz build --fuzz-dir tests/fuzz --target-dir "$folder"
  built=yes
}

# NAME DICTIONARY FLOOR [SEEDS…]: FLOOR executions a second are the least; one tenth of what two
# cores of a small machine make.
run() {
  local name=$1 words=$2 floor=$3 log=$folder/$1.log corpus=$folder/corpus/$1 executed
  shift 3
  wanted "$name" || return 0
  build
  mkdir -p "$corpus" "$folder/artifacts/$name"
  if [[ -n $merge ]]; then keep "$name"; return; fi
  # What the targets make of files lies in memory, where there is such a place.
  local files=${TMPDIR:-/tmp}
  [[ -d /dev/shm && -w /dev/shm ]] && files=/dev/shm
  echo "== $name: $seconds s"
  if ! ASAN_OPTIONS=detect_odr_violation=0 TMPDIR=$files "$folder/$host/release/$name" "$corpus" "tests/fuzz/corpus/$name" "$@" \
    -max_total_time="$seconds" -max_len=8192 -timeout=10 -malloc_limit_mb=256 -rss_limit_mb=4096 \
    -artifact_prefix="$folder/artifacts/$name/" -dict="tests/fuzz/words/$words.dict" \
    -print_final_stats=1 >"$log" 2>&1; then
    tail -n 40 "$log"
    failed=1
    return
  fi
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "   $executed executions, $(find "$corpus" -type f | wc -l) inputs learnt"
  if ((executed < floor * seconds)); then
    echo "   FAILED: fewer than $((floor * seconds)) executions"
    failed=1
  fi
}

# Takes over what reaches something that the corpus in the repository does not, in few and short files.
keep() {
  local name=$1 kept=tests/fuzz/corpus/$1 file
  ASAN_OPTIONS=detect_odr_violation=0 "$folder/$host/release/$name" -set_cover_merge=1 -max_len=2048 "$kept" "$folder/corpus/$name" \
    >"$folder/$name.log" 2>&1
  # libFuzzer names files by their SHA-1; those that have a name of their own are left alone.
  echo "== $name: $(find "$kept" -type f | wc -l) files, $(du -bs "$kept" | cut -f1) bytes"
}

# A platform that is asked by a stranger, with a seed of its own.
run_http() {
  if ! wanted http || [[ -n $merge ]]; then return; fi
  local seed=$SRANDOM
  echo "== http: $seconds s, PROPTEST_RNG_SEED=$seed"
  "$cargo" build --workspace --bins
  CONVOKE_FUZZ_SECONDS=$seconds PROPTEST_RNG_SEED=$seed \
    "$cargo" test --workspace --test fuzz_http -- --nocapture || failed=1
}

run_http
run framing xml 1000
run guard xml 300
run netconf xml 50
run filter xml 200
run yang-data yang 20
run yang-modules yang 20
run payload json 20 crates/schema/tests/figures
run template json 5 crates/schema/templates crates/schema/tests/figures
run patch json 2 crates/schema/tests/figures
run ssh ssh 20
run store store 2
if ((failed)); then echo "== something broke: see $folder"; exit 1; fi
echo "== nothing broke"
