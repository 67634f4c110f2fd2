# `make demo` shows the product, `make test` passes the tests. Each makes .venv when it is not there.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test lint peers lock bench clean help

help:           ## what can be made
	@grep -E '^[a-z]+: *.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 10

demo: $(VENV)/.run  ## see what Prowess does, in a minute, on example skills
	@$(BIN)/prowess demo

test: lint      ## lint, types and all tests that can run on this machine
	@# Real programs on a busy machine may miss their time; what failed among others is tried once more alone.
	@$(BIN)/python -m pytest -n auto || $(BIN)/python -m pytest --last-failed --last-failed-no-failures none

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@MYPYPATH=bench $(BIN)/mypy bench

peers:          ## install the tools that some tests compare with, below .peers
	@$(PYTHON) tests/peers/install.py

lock: $(VENV)/.dev  ## pin the newest allowed releases in requirements/
	@$(BIN)/pip install -q --upgrade uv
	@$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --upgrade pyproject.toml -o requirements/run.txt
	@$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --upgrade pyproject.toml --extra all --group dev -o requirements/dev.txt

bench: $(VENV)/.dev  ## measure Prowess beside its peers; BENCH=--quick for a short look
	@$(BIN)/python bench/all.py $(BENCH)

clean:          ## remove what the other targets made
	@rm -rf $(VENV) .peers .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Prowess needs Python 3.11 or newer; make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "python3 has no venv here: install the package python3-venv"; exit 1; }

# The pins are whole, so nothing is resolved: pip would look at the newest release of what is asked for
# with an extra, and refuse the day that one appears.
PINNED := $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes

$(VENV)/.run: $(VENV)/bin/python requirements/run.txt pyproject.toml
	@echo "Setting up $(VENV), once…"
	@$(PINNED) -r requirements/run.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	@$(PINNED) -r requirements/dev.txt
	@touch $@
