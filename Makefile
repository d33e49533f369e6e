# Everything a bare machine needs: python3.11+, node 20+ with npm, make. Each target sets up what it uses, once.
SHELL := /bin/sh
VENV ?= .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet

# The first Python that is new enough and can make environments.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

GROUND := pyproject.toml constraints.txt

.PHONY: help demo test bench bench-web bench-ask acceptance lint shots clean packages torture torture-long
.DEFAULT_GOAL := help

help: ## show this
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

demo: $(VENV)/.server ## start the demo bot and its map, and print the address to open (ARGS='--port 8123' are passed on)
	@$(VENV)/bin/lingbot-map demo $(ARGS) || [ $$? = 130 ] # Ctrl-C is how it ends

test: $(VENV)/.dev node_modules/.stamp packages ## every check, in CI's order; PARTS='mypy pytest' runs some of them
	@$(PY) -m tests $(PARTS)

lint: $(VENV)/.dev node_modules/.stamp ## style, types and import contracts only
	@$(PY) -m tests ruff format mypy imports tsc

bench: $(VENV)/.bench packages ## measure beside peers; PARTS='mapper probe' measures some
	@$(PY) -m bench $(PARTS)

bench-web: $(VENV)/.bench bench/peers/node_modules/.stamp packages ## measure the page alone, beside cytoscape and vis-network, and over an hour of events
	@$(PY) -m bench frames peers hour

torture: $(VENV)/.dev packages ## kill, cut, flood and deceive the map; DRIVERS='kill9 corrupt_log' LB_SEED=7 picks some and reseeds
	@$(PY) -m tests.torture $(DRIVERS)

torture-long: $(VENV)/.dev packages ## the same for a night, with more of everything and another seed each time
	@$(PY) -m tests.torture --long $(DRIVERS)

bench-ask: $(VENV)/.bench ## measure answers with evidence, beside plain search, over what data is there
	@$(PY) -m bench ask_session ask_sequence ask_triples ask_documents ask_folders

acceptance: $(VENV)/.dev ## ask the agreed questions; BASES='session diagram' asks some, BASES=--recorded with the probes on
	@$(PY) -m tests.ask.acceptance $(BASES)

shots: $(VENV)/.dev packages ## pictures of the page, into shots/
	@$(PY) -m tests.browser.shots $(ARGS)

clean: ## remove what make made: environments, caches, builds. Recordings stay
	rm -rf $(VENV) node_modules bench/peers/node_modules dist build shots bench/results .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.server: $(GROUND)
	@if [ -z "$(PYTHON)" ]; then echo "lingbot-map needs Python 3.11 or newer with venv (Debian: apt-get install python3 python3-venv)." >&2; exit 1; fi
	@[ -x $(PY) ] || { echo "Making $(VENV) with $(PYTHON) ..."; $(PYTHON) -m venv $(VENV); }
	@echo "Installing lingbot-map[server] into $(VENV) ..."
	@# The build backend comes from the pinned list too, so nothing unpinned is fetched.
	@$(PIP) install -c constraints.txt hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[server]'
	@touch $@

$(VENV)/.dev: $(VENV)/.server
	@echo "Installing lingbot-map[dev] into $(VENV) ..."
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing the peers to measure beside into $(VENV) ..."
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[bench]'
	@touch $@

node_modules/.stamp: package.json package-lock.json
	@command -v npm >/dev/null || { echo "The page's tests need node 20 or newer with npm." >&2; exit 1; }
	@echo "Installing the page's development packages ..."
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

bench/peers/node_modules/.stamp: bench/peers/package.json bench/peers/package-lock.json
	@command -v npm >/dev/null || { echo "The page's peers need node 20 or newer with npm." >&2; exit 1; }
	@echo "Installing the page's peers to measure beside ..."
	@cd bench/peers && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

packages:
	@sh .ci/packages
