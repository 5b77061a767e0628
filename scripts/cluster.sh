#!/usr/bin/env bash
# Three nodes of one platform on this machine, over PostgreSQL with a synchronous standby, with agents on a network that
# another convoke simulates and manages. Something breaks; the node that leads is killed in mid-repair; the repair goes
# on under another node, and who watched through a third has missed nothing. Ends with 1 if that is not so.
#
#   scripts/cluster.sh [CONVOKE]          the command; target/release/convoke by default
#
# USE is the use case: fault (the default), experience (users are served on by neighbours while sites are out), complaints
# (drivers complain) or all (a network in which faults happen by themselves as well). SEED=N and FAULT=KIND choose another
# network and another fault, SPEED=N how many times as fast as time passes all of it runs; KEEP=1 leaves folder and
# processes until Enter is pressed. It needs PostgreSQL 15 or newer (Debian: postgresql), and no right: as root it runs the
# databases as the user postgres, since initdb refuses root.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
convoke=${1:-$root/target/release/convoke}
seed=${SEED:-11}
fault=${FAULT:-duct-cut}
speed=${SPEED:-200}
use=${USE:-fault}
nodes=(north east south)
# Of all ports the first; what else listens is counted from it.
base=${BASE:-18800}
patience=300

folder=
started=()
servers=()

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
fail() { printf 'cluster.sh: %s\n' "$*" >&2; exit 1; }

# Ends what was started, the last first.
finish() {
  local code=$? index name
  trap - EXIT INT TERM
  if [[ ${KEEP:-} && -t 0 ]]; then read -rp "All of it still runs; its files are in $folder. Enter ends it. " || true; fi
  # A server that is only asked to end waits for its clients.
  for name in ${servers[@]+"${servers[@]}"}; do
    owned "$pg/pg_ctl" stop --silent --mode immediate -D "$folder/pg/$name" >/dev/null 2>&1 || true
  done
  for ((index = ${#started[@]} - 1; index >= 0; index--)); do kill "${started[index]}" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  if [[ $code -ne 0 && $folder ]]; then
    for log in "$folder"/*.log; do printf -- '--- %s\n' "$log" >&2; tail -n 15 "$log" >&2; done
  fi
  [[ -z $folder ]] || rm -rf "$folder"
  exit "$code"
}

# Waits until a command succeeds.
until_so() {
  local what=$1 end=$((SECONDS + patience))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || fail "$what: not within $patience s"
    sleep 0.2
  done
}

# --- PostgreSQL: a primary, and a standby that has everything before it is acknowledged

programs() {
  local found
  found=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
  [[ -x ${found:-}/initdb ]] || found=$(dirname "$(command -v initdb || echo /)")
  [[ -x $found/initdb ]] || fail "there is no initdb: apt install postgresql"
  echo "$found"
}

# As the owner of the databases.
owned() {
  if ((EUID == 0)); then runuser -u postgres -- "$@"; else "$@"; fi
}

sql() { "$pg/psql" -XAtq -v ON_ERROR_STOP=1 -h "$folder" -p "$1" -U convoke -d "$2" -c "$3"; }

# A server on its own folder, its own port and a socket in the folder of all.
server() {
  local name=$1 port=$2
  owned "$pg/postgres" -D "$folder/pg/$name" -p "$port" -c listen_addresses= -c "unix_socket_directories=$folder" \
    >"$folder/$name.log" 2>&1 &
  started+=("$!")
  servers+=("$name")
  until_so "the database '$name'" "$pg/pg_isready" -q -h "$folder" -p "$port" -U convoke -d postgres
}

database() {
  pg=$(programs)
  mkdir "$folder/pg"
  if ((EUID == 0)); then
    chown postgres "$folder/pg"
    # The socket is in the folder of all.
    chgrp postgres "$folder" && chmod 775 "$folder"
  fi
  owned "$pg/initdb" -D "$folder/pg/primary" -U convoke -E UTF8 --locale C -A trust --no-instructions >"$folder/initdb.log"
  server primary "$base"
  owned "$pg/pg_basebackup" -D "$folder/pg/standby" -R -c fast \
    -d "host=$folder port=$base user=convoke application_name=standby" 2>"$folder/basebackup.log"
  server standby $((base + 1))
  sql "$base" postgres "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
  sql "$base" postgres "SELECT pg_reload_conf()" >/dev/null
  until_so "a synchronous standby" is_synchronous
  sql "$base" postgres "CREATE DATABASE convoke TEMPLATE template0 ENCODING UTF8 LOCALE 'C'"
  url="postgres://convoke@${folder//\//%2F}:$base/convoke"
}

is_synchronous() { [[ $(sql "$base" postgres "SELECT sync_state FROM pg_stat_replication") == sync ]]; }

# --- The field: a simulated network with its management systems, and nobody who works on it

field() {
  local profiles=$folder/profiles
  mkdir "$profiles"
  # Tasks that name nobody must have somebody; without the others nobody mends anything.
  cp "$root/crates/showcase/agents/profiles/oss-fault.toml" "$profiles"
  serve field --netconf "127.0.0.1:$((base + 10))" --agents-from $((base + 11)) --http off --profiles "$profiles" \
    --network Polska --sites 60 --seed "$seed" --speed "$speed" "${life[@]}"
  until_so "the network" grep -q '^user' "$folder/field.log"
  local key systems=(wireless ip customer) domains=(Wireless IP Service) index
  key=$(ssh-keygen -lf "$folder/field/host_ed25519" | cut -d' ' -f2)
  for index in 0 1 2; do
    # The agent's endpoint comes first.
    printf '[[ems]]\nname = "%s"\naddress = "127.0.0.1:%d"\nuser = "operator"\nkey = "%s"\nhost-key = "%s"\ndomain = "%s"\n\n' \
      "${systems[index]}" $((base + 12 + index)) "$folder/field/operator_ed25519" "$key" "${domains[index]}"
  done >"$folder/ems.toml"
}

# --- Nodes

# A platform in the folder of that name.
serve() {
  local name=$1
  shift
  "$convoke" --state "$folder/$name" serve "$@" >"$folder/$name.log" 2>&1 &
  started+=("$!")
  pid=$!
}

# What all nodes have alike is made once.
keys() { "$root/examples/cluster/keys.sh" "$convoke" "${nodes[@]/#/$folder/}" >"$folder/keys.log"; }

port_of() {
  local index
  for index in "${!nodes[@]}"; do
    if [[ ${nodes[index]} == "$1" ]]; then echo $((base + 100 * (index + 1))); fi
  done
}

declare -A process=()
node() {
  local name=$1 port
  port=$(port_of "$name")
  serve "$name" --node "$name" --store "$url" --ems "$folder/ems.toml" --speed "$speed" \
    --netconf "127.0.0.1:$port" --agents-from $((port + 1)) --http "127.0.0.1:$((port + 50))" --cluster-listen "127.0.0.1:$((port + 60))"
  process[$name]=$pid
}

# A command as the operator, asked of a node.
at() {
  local name=$1
  shift
  "$convoke" --state "$folder/$name" "$@" --netconf "127.0.0.1:$(port_of "$name")"
}

leader() { at "$1" cluster status 2>/dev/null | sed -n 's/ leads since .*//p'; }
leads() { [[ -n $(leader "$1") ]]; }
leads_instead() { local now; now=$(leader "$1"); [[ -n $now && $now != "$2" ]]; }
all_stand_by() { [[ $(at "$1" cluster status | grep -c 'standing-by  agree') -eq $((${#nodes[@]} - 1)) ]]; }
# Of the plot's kinds something is under way: what, is in `ids`.
is_under_way() { ids=$(at "$1" task list --open | grep "$kinds") && grep -q "$begun" <<<"$ids"; }
is_restored() { "$convoke" --state "$folder/field" fault list --all --json --netconf "127.0.0.1:$((base + 10))" | grep -q '"restored":"'; }
# None of these tasks is open.
has_ended() {
  local open
  open=$(at "$1" task list --open) && ! grep -qwF "$2" <<<"$open"
}

# A list of tasks, as narrow as a terminal.
narrow() {
  sed 's/TMF-Convoke-\([A-Za-z]*\)-[0-9.]*/\1/g' |
    awk -F'  +' 'NF > 4 { printf "  %-54s %-25s %-24s %s -> %s\n", $1, $2, $3, $4, $5 }'
}

# What one hears of tasks, in the network's time: neither each percent, nor who logs in.
narrate() {
  tail -n +1 -f --pid="$1" "$folder/heard" 2>/dev/null |
    sed -un '/ netconf-session-\| feasibility \|processing -> processing /d; s/^[-0-9]*T\([0-9:]*\)[.0-9]*Z/  \1/; s/^\(.\{150\}\).*/\1…/; p'
}

# What the use case is about: tasks of which kinds, and when they are under way.
plot() {
  life=()
  case $use in
    fault) kinds='fault_diagnosis\|fault_repair' begun='processing .*fault_repair' ;;
    experience) kinds=experience_compensation begun='processing .*experience_compensation' ;;
    complaints) kinds='complaint_ticket\|quality_check' begun=complaint_ticket life=(--life) ;;
    all) kinds='fault_diagnosis\|fault_repair\|experience_compensation\|complaint_ticket' begun='processing .*fault_repair' life=(--life) ;;
    *) fail "USE is fault, experience, complaints or all" ;;
  esac
}

story() {
  local first watcher watching narrator old new before ids
  first=${nodes[0]}
  until_so "a node that leads" leads "$first"
  old=$(leader "$first")
  for node in "${nodes[@]}"; do [[ $node == "$old" ]] || watcher=$node; done
  until_so "two that stand by" all_stand_by "$watcher"
  say "Three nodes; $old leads. Somebody watches through $watcher; a second is $speed of the network's."
  at "$watcher" cluster status
  # Not by `at`: the shell in between would be ended, and not the command.
  "$convoke" --state "$folder/$watcher" watch --netconf "127.0.0.1:$(port_of "$watcher")" \
    >"$folder/heard" 2>"$folder/watch.log" &
  watching=$!
  started+=("$watching")
  narrate "$watching" &
  narrator=$!
  started+=("$narrator")
  sleep 1

  say "Something breaks: $fault"
  "$convoke" --state "$folder/field" fault inject "$fault" --netconf "127.0.0.1:$((base + 10))"
  until_so "something under way" is_under_way "$watcher"
  before=$(date +%s%3N)
  kill -9 "${process[$old]}"
  wait "${process[$old]}" 2>/dev/null || true
  say "$old, which leads, is killed. These were under way:"
  narrow <<<"$ids"
  ids=$(cut -d' ' -f1 <<<"$ids")
  until_so "another that leads" leads_instead "$watcher" "$old"
  new=$(leader "$watcher")
  say "$new leads after $(($(date +%s%3N) - before)) ms; the story goes on."
  at "$watcher" cluster status

  until_so "the end of what was under way" has_ended "$watcher" "$ids"
  if [[ $use != complaints ]]; then until_so "service" is_restored; fi
  kill "$watching"
  wait "$watching" "$narrator" 2>/dev/null || true
  say "All that was under way has ended; of its kinds there are by now:"
  at "$watcher" task list | grep "$kinds" | narrow
  say "What broke, as the network knows it:"
  "$convoke" --state "$folder/field" fault list --all --netconf "127.0.0.1:$((base + 10))"

  grep -q " lead from $old to $new " "$folder/heard" || fail "who watched was not told that the lead moved"
  if grep -q 'the platform is lost\|is no longer kept' "$folder/heard"; then fail "who watched through $watcher lost the platform"; fi
  say "Who watched through $watcher heard of $(wc -l <"$folder/heard") events, and lost nothing."

  say "$old comes back, and stands by."
  node "$old"
  until_so "two that stand by" all_stand_by "$watcher"
  at "$watcher" cluster status

  say "What is stored is verified, by the folder of the node that leads, which knows the last head:"
  "$convoke" --state "$folder/$new" store verify --store "$url"
}

main() {
  [[ -x $convoke ]] || fail "$convoke is not built: make release"
  plot
  folder=$(mktemp -d "${TMPDIR:-/tmp}/convoke-cluster-XXXXXX")
  chmod 755 "$folder"
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  say "PostgreSQL with a synchronous standby, a network with its management systems, and three nodes start."
  database
  field
  keys
  for node in "${nodes[@]}"; do node "$node"; done
  story
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then main; fi
