# The commands of a developer, and of CI, which calls the same ones.
# Needs Python 3.11 or later and make; everything else goes into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CLIENTS := .clients

.PHONY: help setup demo test test-deep test-connections test-cases test-real test-real-long test-browser test-clients test-differential check fix bench lock clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements-dev.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kubegang needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q src  # each process of a cluster imports it all; some machines keep no bytecode
	@touch $@

setup: $(READY)  ## make the virtual environment in .venv

demo: $(READY)  ## start everything, run training jobs as gangs, show and check what happened
	$(BIN)/python examples/demo.py

test: $(READY)  ## all tests that need no real Kubernetes programs
	$(BIN)/python -m pytest -n auto -m "not real and not browser and not cases and not clients"

test-deep: $(READY)  ## the scheduler's invariants, searched long: 500 examples per release and profile
	KUBEGANG_DEEP=500 $(BIN)/python -m pytest -n auto --timeout=0 tests/property/test_scheduler_machine.py

test-connections: $(READY)  ## ten thousand idle connections to the API server
	KUBEGANG_CONNECTIONS=10000 $(BIN)/python -m pytest -n 0 --timeout=600 tests/system/test_many_connections.py

test-cases: $(READY)  ## the recorded scenarios against running clusters, six at a time
	$(BIN)/python -m pytest -n 6 -m cases tests/conformance tests/differential

test-real: $(READY)  ## tests beside the real etcd, kube-apiserver and kube-scheduler (built the first time)
	for version in 37 36 35; do tests/real/peer/build $$version || exit 1; done
	$(BIN)/python -m pytest -n 2 -m "real and not long" tests/real
	$(MAKE) test-differential

test-real-long: $(READY)  ## the long ones of test-real, and those that still find differences
	for version in 37 36 35; do tests/real/peer/build $$version || exit 1; done
	$(BIN)/python -m pytest -n 2 -m "real and long" tests/real

test-browser: $(READY)  ## the page in headless Chromium (Debian's; installed the first time, as root)
	tests/browser/install
	$(BIN)/python -m pytest -n 0 -m browser tests/browser

$(CLIENTS)/.ready: $(wildcard tests/clients/python/requirements.lock tests/clients/javascript/*)
	$(PYTHON) -m venv $(CLIENTS)/python
	$(CLIENTS)/python/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/clients/python/requirements.lock
	mkdir -p $(CLIENTS)/javascript
	cp tests/clients/javascript/* $(CLIENTS)/javascript
	cd $(CLIENTS)/javascript && PATH="$(CURDIR)/$(CLIENTS)/python/bin:$$PATH" npm ci --silent --no-audit --no-fund
	@touch $@

test-clients: $(READY) $(CLIENTS)/.ready  ## kubectl, helm, clients for Python and JavaScript (installed in .clients)
	$(BIN)/python -m pytest -n 2 -m clients tests/clients

SEEDS ?= 1000-1007
RELEASE ?= 37
FAMILY ?= groups

test-differential: $(READY)  ## random scenarios on the real scheduler and on ours (SEEDS=1-300 RELEASE=36 FAMILY=trees: others)
	tests/real/peer/build $(RELEASE)
	KUBEGANG_DIFFERENTIAL_SEEDS=$(SEEDS) KUBEGANG_DIFFERENTIAL_RELEASE=$(RELEASE) \
	  KUBEGANG_DIFFERENTIAL_FAMILY=$(FAMILY) \
	  $(BIN)/python -m pytest -n 0 -s -m real tests/differential

check: $(READY)  ## format, lint, types, layers, docs, generated files; prints the largest files
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/generate_facts.py --check
	$(BIN)/python scripts/generate_cli_reference.py --check
	$(BIN)/python scripts/generate_check_reference.py --check
	$(BIN)/python scripts/check_docs.py
	$(BIN)/python scripts/report_sizes.py

fix: $(READY)  ## format, and apply safe lint fixes
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: $(READY)  ## speed and memory beside the real control plane, as ratios of one run (long)
	tests/real/peer/build 37
	$(BIN)/python bench/control_plane.py
	$(BIN)/python bench/apiserver.py
	$(BIN)/python bench/scheduling.py

lock:  ## pin new versions of the dependencies
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url pyproject.toml --group dev -o requirements-dev.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url tests/clients/python/requirements.in -o tests/clients/python/requirements.lock
	cd tests/clients/javascript && npm install --package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund

clean:  ## remove what make made
	rm -rf $(VENV) $(CLIENTS) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
