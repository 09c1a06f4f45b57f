# One word per chore; `make` alone lists them. Needs Python 3.11 or newer, git and make; test-real, test-cluster and test-argocd also need Go.
.DEFAULT_GOAL := help
.PHONY: help setup run page helm image image-lock test test-long test-web test-seeds check test-real test-cluster test-argocd test-argocd-short test-referee test-referee-sandbox test-referee-whole test-e2e test-hostile test-hostile-all fuzz scenarios bench lock clean
.NOTPARALLEL: # two installations into one .venv would get in each other's way
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
# Tests start the program hundreds of times: modules are compiled once for all of them, also where Python was told to
# keep no bytecode.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(abspath $(VENV))/bytecode
# The Python that .venv is made with; the first of these that is new enough. Choose one with make setup PYTHON=…
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
# How many tests run side by side.
JOBS ?= auto
# The folder of the helm that `make helm` built, as the first of PATH; without one the tests use the wheel's.
WITH_HELM = helm=$$($(BIN)/python -m tools.build_helm --where) && PATH="$${helm:+$$helm:}$$PATH"
# The same for tests that wait for controllers most of the time.
WAITING ?= 6
# How long `make fuzz` looks for inputs that break something.
MINUTES ?= 10
# Further arguments for the program or for pytest, such as ARGS="-k prune".
ARGS ?=

# Running needs a part of what the tests need; each part is pinned in a lock of its own, with the same versions.
RUNNING := $(VENV)/.running
LOCKED := $(VENV)/.locked
PROJECT := $(VENV)/.project
INSTALL_WITH_PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
INSTALL_WITH_UV := $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes
NOT_INSTALLED := { echo "The pinned versions could not be installed: the lines above say why;" \
	"the first set-up needs a way to a Python package index." >&2; exit 1; }

help: ## list the chores
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 23 | sed 's/^/make /'

setup: $(LOCKED) $(PROJECT) ## make .venv with everything that Syncline and its tests need
	@:

run: $(PROJECT) ## start the demo
	@$(BIN)/python -m tools.build_page --lenient
	@trap : INT; $(BIN)/syncline demo $(ARGS) || test $$? -eq 130 # Ctrl-C ends the demo, and is no error of make

page: $(PROJECT) ## build the web page, with a Node that comes as a wheel
	@$(BIN)/python -m tools.build_page

helm: setup ## build the helm that images and CI use, with Go; the tests use it from then on
	@$(BIN)/python -m tools.build_helm

image: setup ## build the container image of the last commit into build/image, without a container engine; needs apt and Go
	@$(BIN)/python -m tools.image $(ARGS)

image-lock: setup ## pin the Debian packages that the image gets in packaging/image
	@$(BIN)/python -m tools.image --lock

test: setup ## run the tests that need neither a network nor a cluster
	@$(WITH_HELM) $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)

test-long: setup ## run the tests of limits and hostile input, which take long
	@$(WITH_HELM) $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m long $(ARGS)

test-seeds: setup ## play 200 runs with faults by chance, those with planted bugs, and a kill at every request
	@SYNCLINE_SEEDS=200 $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "" $(ARGS) \
		tests/component/controller/simulation tests/component/controller/test_kill.py

check: setup ## check format, lint, types and layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

test-real: setup ## run the tests against a real kube-apiserver and etcd, built from source
	@$(BIN)/python -m tests.real.build
	@$(WITH_HELM) $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m real $(ARGS)

test-cluster: setup ## run the tests against a whole control plane with KWOK for nodes and pods, built from source
	@$(BIN)/python -m tests.cluster.build
	@$(BIN)/python -m pytest -q -n $(WAITING) --dist worksteal -m cluster tests/cluster $(ARGS)

test-argocd: test-argocd-short ## compare with Argo CD, and deliver 297 Applications with both; about 25 minutes
	@$(BIN)/python -m tests.cluster.build
	@SYNCLINE_WHOLE=1 $(BIN)/python -m pytest -q -m "referee and not stories" $(ARGS)

test-argocd-short: setup ## compare with Argo CD: the tests it publishes, and the program itself, built from source
	@$(BIN)/python -m tests.real.build
	@$(BIN)/python -m tests.argocd.build
	@$(BIN)/python -m tests.dex.build
	@$(BIN)/python -m pytest -q -m "argocd and not referee" $(ARGS)

test-referee: setup ## deliver a fleet with Syncline, and a quarter of it with Argo CD, and compare their verdicts
	@$(BIN)/python -m tests.cluster.build
	@$(BIN)/python -m tests.argocd.build
	@$(BIN)/python -m pytest -q -m "referee and not stories" $(ARGS)

test-referee-sandbox: setup ## deliver a quarter of that fleet with both on sandboxes, and compare their verdicts
	@$(BIN)/python -m tests.argocd.build
	@$(BIN)/python -m pytest -q -m referee tests/argocd/test_referee_on_sandbox.py $(ARGS)

test-referee-whole: setup ## the same with all of it delivered by Argo CD, and the stories too; more than an hour
	@$(BIN)/python -m tests.cluster.build
	@$(BIN)/python -m tests.argocd.build
	@SYNCLINE_WHOLE=1 $(BIN)/python -m pytest -q -m referee $(ARGS)

test-web: setup page ## check and test the web page: types, components, and a real browser against a real demo
	@$(BIN)/python -m tools.build_page --run tsc --noEmit
	@$(BIN)/python -m tools.build_page --run biome check src tests
	@$(BIN)/python -m tools.build_page --run vitest run
	@browser=$$($(BIN)/python -m tools.find_browser) && SYNCLINE_CHROMIUM=$$browser \
		$(BIN)/python -m tools.build_page --run vitest run --config vitest.browser.config.ts $(ARGS)

test-e2e: setup ## drive the program as a user does
	@$(WITH_HELM) $(BIN)/python -m pytest -q -m e2e $(ARGS)

test-hostile: setup page ## attack an installation of separate processes on a real kube-apiserver, and fuzz its readers
	@$(BIN)/python -m tests.real.build
	@$(BIN)/python -m tests.dex.build
	@$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m hostile tests/hostile/fuzz $(ARGS)
	@browser=$$($(BIN)/python -m tools.find_browser) && export SYNCLINE_CHROMIUM=$$browser && $(WITH_HELM) \
		$(BIN)/python -m pytest -q -m hostile tests/hostile --ignore tests/hostile/fuzz $(ARGS)

test-hostile-all: setup ## the same with attacks that wait for limits in minutes, and ten minutes of fuzzing
	@SYNCLINE_WHOLE=1 $(MAKE) test-hostile
	@$(MAKE) fuzz MINUTES=10

fuzz: setup ## look for inputs that break a reader for MINUTES, and save them to tests/hostile/fuzz/corpus
	@$(BIN)/python -m tests.hostile.fuzz.explore $(MINUTES)

scenarios: setup ## play the stories that come with Syncline, and check what each comes to
	@$(WITH_HELM); export PATH; for name in $$($(BIN)/syncline scenario list | cut -d' ' -f1); do $(BIN)/syncline scenario test $$name --look-alikes 3 || exit 1; done

bench: setup ## measure, and print one table
	@$(BIN)/python -m bench $(ARGS)

lock: setup ## choose the newest versions again and pin them in requirements.lock and requirements-run.lock
	@echo "pinning versions and hashes in requirements.lock and requirements-run.lock"
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --extra tools --group dev -o requirements.lock pyproject.toml
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --extra tools --group build -c requirements.lock \
		-o requirements-run.lock pyproject.toml
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --group web -o requirements-web.lock

clean: ## delete .venv and all caches of this folder
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@command -v git >/dev/null || { echo "git is missing: install it, then run make again." >&2; exit 1; }
	@test -n "$(PYTHON)" || { echo "Syncline needs Python 3.11 or newer and found none: install one," \
		"or name it with make setup PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Syncline needs Python 3.11 or" \
		"newer, and $(PYTHON) is not: name another with make setup PYTHON=/path/to/python3." >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "$(PYTHON) cannot make a virtual environment: install" \
		"its venv module (on Debian and Ubuntu the package python3-venv)." >&2; exit 1; }

# uv, itself pinned by the lock, installs in seconds; where it has no wheel or no way out, pip does the same slowly.
$(LOCKED): requirements.lock | $(BIN)/python
	@echo "installing the versions pinned in requirements.lock"
	@awk '/^uv==/ {found = 1} found {print} found && !/\\$$/ {exit}' requirements.lock > $(VENV)/uv.txt
	@$(INSTALL_WITH_PIP) --only-binary :all: -r $(VENV)/uv.txt 2>/dev/null \
		&& $(INSTALL_WITH_UV) -r requirements.lock \
		|| { echo "uv could not install them; trying pip, which is slower" \
		&& $(INSTALL_WITH_PIP) -r requirements.lock; } \
		|| $(NOT_INSTALLED)
	@touch $@

# Nothing to do where requirements.lock is installed, which has the same versions.
$(RUNNING): requirements-run.lock | $(BIN)/python
	@test $(LOCKED) -nt requirements.lock || { echo "installing the versions pinned in requirements-run.lock" \
		&& $(INSTALL_WITH_PIP) -r requirements-run.lock; } || $(NOT_INSTALLED)
	@touch $@

# No dependencies and no build isolation, so this works without a network.
$(PROJECT): pyproject.toml $(RUNNING) | $(BIN)/python
	@echo "installing syncline itself, as a link to src"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		--no-index --editable .
	@touch $@
	@echo "ready: $(BIN)/syncline"
