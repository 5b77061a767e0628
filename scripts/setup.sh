#!/usr/bin/env bash
# Installs what Convoke needs and this machine lacks, and says what and why.
#
#   scripts/setup.sh demo   what building and running need
#   scripts/setup.sh test   that, and what the tests need (the default)
#
# System packages come through apt (with sudo where one is not root), Python
# clients go into .venv/, JavaScript into tests/interop/js/node_modules/ and console/node_modules/,
# and the standard YANG modules into yang/standard/; git ignores all of them. Silent and quick when there is nothing to do. On a system
# without apt it names what is missing and stops.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
level=${1:-test}
[[ $level == demo || $level == test ]] || { echo "usage: scripts/setup.sh [demo|test]" >&2; exit 2; }

say() { echo "setup: $*"; }
fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
have_library() { have pkg-config && pkg-config --exists "$1"; }
have_venv() { [[ -x .venv/bin/python3 ]] || python3 -c 'import venv, ensurepip' >/dev/null 2>&1; }

# --- the Rust toolchain, which is never installed from here ---------------------

check_rust() {
  local wanted found part
  if ! have cargo; then
    [[ -x $HOME/.cargo/bin/cargo ]] && fail "cargo is installed but not on the PATH. Run:  . \"$HOME/.cargo/env\""
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    fail "a Rust toolchain (cargo, $wanted or newer) is needed and not installed." \
      "Install it with rustup: on Debian 13 or Ubuntu 24.04 and newer" \
      "    apt install rustup && rustup default stable" \
      "elsewhere as https://www.rust-lang.org/tools/install describes. Then run this again."
  fi
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  found=$(cargo --version | cut -d' ' -f2)
  [[ $(printf '%s\n' "$wanted" "$found" | sort -V | head -n1) == "$wanted" ]] ||
    fail "cargo is $found, Convoke needs $wanted or newer. With rustup:  rustup update stable"
  [[ $level == test ]] || return 0
  for part in fmt clippy; do
    have "cargo-$part" || fail "'make test' needs cargo $part. With rustup:  rustup component add rustfmt clippy"
  done
}

# --- system packages ----------------------------------------------------------

missing=()
reasons=()
# need PACKAGE REASON CHECK…: notes the package if the check fails.
need() {
  local package=$1 reason=$2
  shift 2
  "$@" && return
  missing+=("$package")
  reasons+=("$(printf '  %-23s %s' "$package" "$reason")")
}

list_missing() {
  need build-essential "compiles SQLite, libyang and the cryptography" have cc
  need cmake "builds libyang, which checks everything against the YANG modules" have cmake
  need pkg-config "finds the system's libraries" have pkg-config
  need libpcre2-dev "regular expressions of YANG patterns, for libyang" have_library libpcre2-8
  need python3 "unpacks the standard YANG modules" have python3
  need python3-venv "keeps Python packages in .venv/, out of the system" have_venv
  [[ $level == test ]] || return 0
  need libssl-dev "libssh2, below the foreign client netconf-rs in the tests" have_library openssl
  need openssh-client "the tests connect with ssh -s netconf" have ssh
  need git "the tests read the list of tracked files" have git
}

# The tests of the store in PostgreSQL start servers of their own, and say that they were skipped where
# there is none. Debian keeps its programs off the PATH, in a folder for each release.
have_postgresql() { have initdb || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null; }
wants_postgresql() { [[ $level == test && ! -f .setup/no-postgresql ]] && have apt-get && ! have_postgresql; }

# Whether the distribution has a package. (Not grep -q: it would end apt-cache with a broken pipe.)
in_apt() { apt-cache policy "$1" 2>/dev/null | grep 'Candidate: [^(]' >/dev/null; }

# Not every distribution has yangcli: without it, its test says that it was skipped.
wants_yangcli() { [[ $level == test && ! -f .setup/no-yangcli ]] && have apt-get && ! have yangcli; }

# The same for yanglint.
wants_yanglint() { [[ $level == test && ! -f .setup/no-yanglint ]] && have apt-get && ! have yanglint; }

# Any browser that tests/tests/browser/chromium.rs knows will do. Debian's headless shell is the smallest;
# where there is none and no other either, the tests of pages say that they were skipped.
browsers=(chromium-headless-shell chromium chromium-browser google-chrome chrome)
have_browser() {
  local name
  for name in "${CONVOKE_BROWSER:-}" "${browsers[@]}"; do [[ -n $name ]] && have "$name" && return; done
  return 1
}
wants_browser() { [[ $level == test && ! -f .setup/no-browser ]] && have apt-get && ! have_browser; }

# Firefox for the console, which is to work in both; tests/tests/browser/firefox.rs knows it by these names.
have_firefox() {
  local name
  for name in "${CONVOKE_FIREFOX:-}" firefox-esr firefox; do [[ -n $name ]] && have "$name" && return; done
  return 1
}
wants_firefox() { [[ $level == test && ! -f .setup/no-firefox ]] && have apt-get && ! have_firefox; }

# Chinese characters, which the console is drawn with as well; its test says that it was skipped without.
have_chinese() { have fc-list && [[ -n $(fc-list :lang=zh-cn family) ]]; }
wants_chinese() { [[ $level == test && ! -f .setup/no-chinese ]] && have apt-get && ! have_chinese; }

# The package of a browser that the distribution has; Ubuntu's chromium-browser only fetches a snap.
browser_package() {
  local name
  for name in chromium-headless-shell chromium; do in_apt "$name" && echo "$name" && return; done
  return 1
}

apt() {
  if [[ $(id -u) == 0 ]]; then
    DEBIAN_FRONTEND=noninteractive apt-get -y -qq "$@"
  elif [[ -t 0 ]]; then
    sudo DEBIAN_FRONTEND=noninteractive apt-get -y -qq "$@"
  else
    sudo -n DEBIAN_FRONTEND=noninteractive apt-get -y -qq "$@"
  fi
}

can_install() { have apt-get && { [[ $(id -u) == 0 ]] || have sudo; }; }

by_hand() { echo "    apt-get update && apt-get install ${missing[*]}"; }

install_missing() {
  local log=.setup/apt.log
  list_missing
  # Without the means to install it, a mere wish is let go.
  if [[ ${#missing[@]} == 0 ]] && ! { { wants_yangcli || wants_yanglint || wants_browser || wants_firefox || wants_chinese || wants_postgresql; } && can_install; }; then return; fi
  have apt-get ||
    fail "missing on this system, which has no apt; install what corresponds to these Debian packages:" "${reasons[@]}"
  can_install ||
    fail "these packages are missing:" "${reasons[@]}" "You are not root and there is no sudo. Have root run:" "$(by_hand)"

  mkdir -p .setup
  say "reading the package lists of apt"
  apt update >"$log" 2>&1 || say "apt-get update failed (see $log); trying with the lists at hand"
  if wants_yangcli; then
    if in_apt yangcli; then
      need yangcli "a foreign NETCONF client in the tests" have yangcli
    else
      touch .setup/no-yangcli
    fi
  fi
  if wants_yanglint; then
    if in_apt libyang-tools; then
      need libyang-tools "yanglint, which judges the same documents as our own checks in the tests" have yanglint
    else
      touch .setup/no-yanglint
    fi
  fi
  if wants_postgresql; then
    if in_apt postgresql; then
      need postgresql "the database that the tests keep a store in, on servers of their own" have_postgresql
    else
      touch .setup/no-postgresql
    fi
  fi
  if wants_browser; then
    local browser
    if browser=$(browser_package); then
      need "$browser" "the tests open the pages as readers do" have_browser
    else
      touch .setup/no-browser
    fi
  fi
  if wants_firefox; then
    # Ubuntu has it as a snap only.
    if in_apt firefox-esr; then
      need firefox-esr "the tests open the console in this browser as well" have_firefox
    else
      touch .setup/no-firefox
    fi
  fi
  if wants_chinese; then
    if in_apt fonts-noto-cjk; then
      need fonts-noto-cjk "the tests look at the console in Chinese" have_chinese
      need fontconfig "browsers find that font by it" have fc-list
    else
      touch .setup/no-chinese
    fi
  fi
  [[ ${#missing[@]} != 0 ]] || return 0
  say "installing system packages through apt:"
  printf '%s\n' "${reasons[@]}"
  apt install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    fail "the packages could not be installed (all of the output is in $log). By hand, as root:" "$(by_hand)"
  }
}

# --- Python clients -----------------------------------------------------------

# What .venv/ holds is named by the pinned list and the interpreter.
python_clients() {
  local stamp=.venv/.requirements wanted
  wanted=$(sha256sum tests/requirements.txt tests/requirements-a2a-t.txt)$(python3 -c 'import sys; print(sys.prefix, sys.version)')
  [[ -f $stamp && $(cat "$stamp") == "$wanted" && -x .venv/bin/python3 ]] && return
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "python3 is $(python3 --version | cut -d' ' -f2); the clients of the tests need 3.10 or newer"
  say "installing the Python clients of the tests (ncclient, netconf-console2, netconf-client, a2a-sdk, ssh-audit) into .venv/"
  rm -f "$stamp"
  python3 -m venv --clear .venv || fail ".venv/ could not be made: is python3-venv installed?"
  .venv/bin/python3 -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
    --requirement tests/requirements.txt ||
    fail "pip could not install what tests/requirements.txt pins (no network, or no wheel for this machine)"
  telecom_sdk
  printf '%s\n' "$wanted" >"$stamp"
}

# It asks for more than its test needs: see tests/requirements-a2a-t.txt.
telecom_sdk() {
  .venv/bin/python3 -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
    --no-deps --ignore-requires-python --requirement tests/requirements-a2a-t.txt ||
    say "NOTE: pip could not install what tests/requirements-a2a-t.txt pins; the test of the A2A-T SDK will be skipped"
}

# JavaScript is named by lock files; node and npm to run and fetch it are in .venv/.
javascript() {
  local folder=$1 what=$2 stamp wanted
  stamp=$folder/node_modules/.wanted
  wanted=$(sha256sum "$folder/package-lock.json")
  [[ -f $stamp && $(cat "$stamp") == "$wanted" ]] && return
  say "installing $what into $folder/node_modules/"
  if PATH="$root/.venv/bin:$PATH" npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent; then
    printf '%s\n' "$wanted" >"$stamp"
  else
    rm -rf "$folder/node_modules"
    say "NOTE: npm could not install what $folder/package-lock.json pins; the tests that need it will be skipped"
  fi
}

check_rust
install_missing
scripts/standard-yang.sh
if [[ $level == test ]]; then
  python_clients
  javascript tests/interop/js 'the JavaScript clients of the tests (@a2a-js/sdk, 1.x and 0.3.x)'
  javascript console 'what the console is built with (Svelte, Vite)'
  have yangcli || say "NOTE: yangcli is not installed; the test of that client will be skipped"
  have yanglint || say "NOTE: yanglint is not installed; the tests that compare with it will be skipped"
  have_postgresql || say "NOTE: PostgreSQL is not installed; the tests of stores in it will be skipped"
  have_browser || say "NOTE: no browser is installed; the tests of pages will be skipped"
fi
