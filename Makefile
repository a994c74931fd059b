# One entry for people and CI: `make help` lists it. Nothing here needs root.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help venv run check check-protos test bench bench-peers schemas goals protos lock clean

# The first Python from 3.11 to 3.13 that can make an environment. Each is run, since a name on the
# PATH may be a shim without a version behind it.
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do \
	if "$$name" -c 'import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	>/dev/null 2>&1; then echo "$$name"; break; fi; done)

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
TYPED := models hotpath rebalancer providers planner $(if $(wildcard benchmarks/*.py),benchmarks)
UV_VERSION := 0.13.9

help:  ## Show this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		while IFS='|' read -r target says; do printf '%-11s %s\n' "$$target" "$$says"; done

venv: .venv/.ready  ## Make .venv with the locked dependencies and this project, editable

KERNEL := $(wildcard hotpath/kernel/*.c hotpath/kernel/shard/*.[ch])

# Installing compiles the kernel too.
.venv/.ready: requirements.lock pyproject.toml $(KERNEL)
	@if [ -z '$(PYTHON)' ]; then \
		echo 'No Python from 3.11 to 3.13 with venv found: install one, or say make PYTHON=...' >&2; \
		exit 1; fi
	$(BIN)/python -c 'import pip' 2>/dev/null || '$(PYTHON)' -m venv --clear .venv
	$(PIP) install --quiet --only-binary :all: --require-hashes -r requirements.lock
	$(PIP) install --quiet --no-build-isolation --no-deps -e .
	@touch $@

run: venv  ## Plan the example fleet
	$(BIN)/python -m planner.example

check: venv  ## Check format, lint, types and who imports whom
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy $(TYPED)
	$(BIN)/lint-imports

# The plugins for types are found on the PATH. Both rules make the same files from the same protos.
PROTOS := $(wildcard providers/v1/*.proto planner/v1/*.proto)
PROTOC = PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I. --python_out=$(1) \
	--grpc_python_out=$(1) --mypy_out=quiet:$(1) --mypy_grpc_out=quiet:$(1) $(PROTOS)

protos: venv  ## Generate the code beside each .proto
	$(call PROTOC,.)

check-protos: venv  ## Check that the generated code is what its .proto gives
	@made=$$(mktemp -d); trap 'rm -rf "$$made"' EXIT; \
	$(call PROTOC,"$$made"); \
	cd "$$made"; for file in $$(find . -type f); do \
		cmp "$$file" "$(CURDIR)/$$file" || { echo "$$file is not what its .proto gives: say make protos" >&2; exit 1; }; \
	done

test: venv check check-protos  ## Check, then run all tests
	$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup

bench: venv  ## Measure the hot path at 500,000 machines, a minute; see bigfleet bench --help
	$(BIN)/bigfleet bench --machines 500000

# Meta's Rebalancer asks for Python 3.12, and its package is called as one of ours is: it has an
# environment of its own. pyenv keeps versions that no name on the PATH leads to.
PEERS_PYTHON ?= $(shell for name in python3.12 python3.13 python3.14 python3 \
	$(wildcard $(HOME)/.pyenv/versions/3.1[234].*/bin/python3); do \
	if "$$name" -c 'import ensurepip, sys; sys.exit(not (3, 12) <= sys.version_info[:2] <= (3, 14))' \
	>/dev/null 2>&1; then echo "$$name"; break; fi; done)

bench-peers: venv .venv-peers/.ready  ## Measure the rebalancer beside its peers, an hour; PEERS='--help' says what may be asked
	$(BIN)/python -m benchmarks.peers $(PEERS)

# Without such a Python the other peers are measured all the same, and the program says so.
.venv-peers/.ready: benchmarks/peers/requirements.txt
	@if [ -n '$(PEERS_PYTHON)' ]; then \
		'$(PEERS_PYTHON)' -m venv --clear .venv-peers; \
		.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check \
			--only-binary :all: --require-hashes -r benchmarks/peers/requirements.txt; \
		touch $@; \
	fi

schemas: venv  ## Write the JSON Schemas of fleets and settings to docs/schema
	$(BIN)/python -m planner.schemas docs/schema

goals: venv  ## Write docs/goals.md: what goals are, and what weights do, measured
	$(BIN)/python -m benchmarks.goals_page docs/goals.md

# uv lives in a throw-away environment. One version per package for all of 3.11 to 3.13, none
# younger than a week: a bad release is mostly found, and withdrawn, by then.
lock:  ## Resolve pyproject.toml into requirements.lock, and the peers', with hashes
	tools=$$(mktemp -d); trap 'rm -rf "$$tools"' EXIT; \
	'$(PYTHON)' -m venv "$$tools"; \
	"$$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'uv==$(UV_VERSION)'; \
	"$$tools/bin/uv" pip compile --quiet --universal --python-version 3.11 \
		--fork-strategy fewest --exclude-newer '1 week' --upgrade --generate-hashes \
		--extra dev --extra parquet --extra tune --extra dask --no-emit-index-url --no-emit-find-links \
		--custom-compile-command 'make lock' --output-file requirements.lock pyproject.toml; \
	"$$tools/bin/uv" pip compile --quiet --universal --python-version 3.12 \
		--fork-strategy fewest --exclude-newer '1 week' --upgrade --generate-hashes \
		--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' \
		--output-file benchmarks/peers/requirements.txt benchmarks/peers/requirements.in

clean:  ## Remove what the other targets made
	rm -rf .venv .venv-peers out dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
