# What one does with Convoke. `make` alone lists the targets.
#
# Each target first installs what it needs and this machine lacks
# (scripts/setup.sh says what and why); the second time that takes no time.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CARGO  ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
BINARY := $(TARGET)/release/convoke
# What `make demo` plays is built for a short build (profile `demo` of Cargo.toml).
DEMO   := $(TARGET)/demo/convoke
# Options for the command that a target runs, as in: make demo ARGS="--seed 7 --headless"
ARGS   ?=
# The use case that `make demo` and `make cluster` play: fault, experience, complaints or all.
USE    ?= fault
# CI builds exactly what Cargo.lock names.
LOCKED := $(if $(CI),--locked)
# Laws draw the same cases each time, so that a tree that passed passes; `make soak` draws others.
# `make test SEED=N` draws those of another seed.
SEED   ?= 1

.PHONY: help
help: ## Print this list
	@echo "Convoke. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do \
	  printf '%-15s%s\n' "$$name" "$$what"; done
	@echo
	@echo 'Options of the command go in ARGS, as in: make demo ARGS="--seed 7 --headless"'

.PHONY: setup setup-demo
setup: ## Install what building, running and testing need
	@scripts/setup.sh test

setup-demo:
	@scripts/setup.sh demo

.PHONY: release
release: setup-demo ## Build the optimised convoke command, its debug data beside it in convoke.debug
	@$(CARGO) build --release $(LOCKED) --package convoke
	@# Debuggers find the data by the name in the command, `perf` and backtraces by the symbols left in it.
	@objcopy --only-keep-debug $(BINARY) $(BINARY).debug
	@objcopy --strip-debug --add-gnu-debuglink=$(BINARY).debug $(BINARY) $(BINARY).stripped
	@mv $(BINARY).stripped $(BINARY)

.PHONY: demo
demo: setup-demo ## Break a simulated network and watch the agents mend it
	@$(CARGO) build --profile demo $(LOCKED) --package convoke
	@$(DEMO) demo $(USE) --fresh $(ARGS)

.PHONY: serve
serve: release ## Run the platform, without the story
	@$(BINARY) serve $(ARGS)

# One profile throughout: lints, tests and documentation share what is built.
.PHONY: test
test: setup fmt-check lint ## Check the formatting, lint, and run every test
	@echo "== tests: unit, law, conversation, contract, conformance, foreign clients; benches once each"
	@# --all-targets builds programs only as tests of themselves; tests of other packages start the real ones.
	@$(CARGO) build --workspace --bins --examples $(LOCKED)
	@# Cargo would run one program after the other, and most wait more than they compute.
	@$(CARGO) test --workspace --all-targets $(LOCKED) --no-run --message-format json-render-diagnostics > $(TARGET)/tests.json
	@PROPTEST_RNG_SEED=$(SEED) scripts/run-tests.py --alone soak < $(TARGET)/tests.json
	@echo "== tests: examples in the documentation"
	@$(CARGO) test --workspace --doc $(LOCKED)
	@echo "== all passed"

.PHONY: fmt-check
fmt-check:
	@echo "== formatting"
	@$(CARGO) fmt --all --check

.PHONY: lint
lint: setup ## Run clippy; a warning is an error
	@echo "== lints"
	@$(CARGO) clippy --workspace --all-targets $(LOCKED) -- --deny warnings
	@# The platform stands without the simulated network and its agents.
	@$(CARGO) clippy --workspace --all-targets --no-default-features $(LOCKED) -- --deny warnings

.PHONY: bench
bench: setup ## Measure, beside a bare echo server; ARGS="--json" prints an object a line
	@$(CARGO) bench $(LOCKED) --package convoke-engine --bench state -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-tests --bench load -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-schema --bench payload -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-schema --bench evolution -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-network --bench day -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-tests --bench agents -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-tests --bench steps -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-tests --bench a2a -- $(ARGS)
	@$(CARGO) build --release $(LOCKED) --package convoke
	@$(CARGO) bench $(LOCKED) --package convoke-tests --bench neighbours -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-tests --bench nodes -- $(ARGS)
	@$(CARGO) bench $(LOCKED) --package convoke-tests --bench console -- $(ARGS)

.PHONY: figures
figures: release ## Recompute the figures of docs/score.md, on the seeds that are reported
	@scripts/figures.sh $(BINARY)

.PHONY: lab
lab: release ## Break real routers (FRR in network namespaces) and score agents on them; needs root and frr
	@$(BINARY) lab score $(ARGS)

.PHONY: cluster
cluster: release ## Play a use case at three nodes, kill the one that leads in mid-repair, and see it go on; needs PostgreSQL
	@USE=$(USE) scripts/cluster.sh $(BINARY)

.PHONY: chaos
chaos: setup ## Kill, stop, cut off and drain three nodes under load for an hour, and count what is lost; ARGS="--minutes 2 --seed 7"
	@$(CARGO) build --release $(LOCKED) --package convoke
	@$(CARGO) test --release $(LOCKED) --package convoke-tests --test chaos -- --minutes 60 $(ARGS)

.PHONY: soak
soak: setup ## Run the long forms of tests for hours; SCALE=1 does a hundredth, ONLY="seeds crashes" some
	@CARGO="$(CARGO)" scripts/soak.sh

.PHONY: fuzz
fuzz: ## Feed hostile bytes to readers, checks, the store and both servers; ARGS="--time 600 --only ssh" (installs cargo-fuzz)
	@CARGO="$(CARGO)" scripts/fuzz.sh $(ARGS)

.PHONY: deny
deny: ## Check licences, bans, sources and advisories of the dependencies (needs cargo-deny, and GitHub for the last)
	@$(CARGO) deny check licenses bans sources
	@$(CARGO) deny check $(ARGS) advisories

.PHONY: demo-picture
demo-picture: release ## Draw docs/demo.svg, the README's picture of the demo, anew
	@scripts/demo-picture.py $(BINARY) > docs/demo.svg.new && mv docs/demo.svg.new docs/demo.svg

.PHONY: console
console: setup ## Check the sources of the console and build console/dist anew
	@cd console && PATH="$$PWD/../.venv/bin:$$PATH" && npm run --silent check && npm test --silent && npm run --silent build

.PHONY: console-picture
console-picture: release ## Draw docs/console.png and docs/console-zh.png, the pictures of the console, anew
	@scripts/console-picture.py $(BINARY) docs

.PHONY: clean-state
clean-state: ## Remove ./convoke-state: keys, database and log of the local platform
	@rm -rf convoke-state
