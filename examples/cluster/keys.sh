#!/usr/bin/env bash
# Makes what the state folders of all nodes have alike, once: keys of host, store, operator, tokens and agents, access rules,
# and the key of the cluster. Each folder that is named gets a copy; one that is there is not touched.
#
#   keys.sh CONVOKE FOLDER…        e.g. keys.sh ../../target/release/convoke state/north state/east state/south
set -euo pipefail

convoke=$1
shift
umask 077
pid=
made=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null || true; rm -rf "$made"' EXIT

for folder in "$@"; do
  [[ ! -e $folder ]] || { echo "keys.sh: $folder is there already" >&2; exit 1; }
done

: >"$made/log"
# A first start makes the keys. It listens on free ports of loopback, and knows neither database nor network.
"$convoke" --state "$made/state" serve --netconf 127.0.0.1:0 --agents-from 0 --http off --network none >>"$made/log" 2>&1 &
pid=$!
for _ in $(seq 300); do
  if grep -q '^user' "$made/log"; then break; fi
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
grep -q '^user' "$made/log" || { cat "$made/log" >&2; exit 1; }
kill "$pid"
wait "$pid" || true

"$convoke" --state "$made/state" cluster key
# The first who looks for tokens makes the key that signs them.
"$convoke" --state "$made/state" token list >/dev/null
# Off loopback a platform starts once somebody is let in by name; add others, and their groups to access.toml.
cp "$made/state/operator_ed25519.pub" "$made/state/users/operator.pub"
# What is each node's own.
rm -f "$made"/state/convoke.db* "$made/state/store_head" "$made/state/known_hosts"
for folder in "$@"; do
  mkdir -p "$(dirname "$folder")"
  cp -a "$made/state" "$folder"
done
