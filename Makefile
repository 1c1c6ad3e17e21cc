# make demo: see a swarm arrive.   make test: prove it.   Both set up all that they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export NUMBA_CACHE_DIR ?= $(CURDIR)/$(VENV)/numba-cache

.PHONY: install demo test check bench clean

install: $(STAMP)

$(STAMP): setup.py pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[ros,test,check]'
	touch $(STAMP)

demo: install
	$(BIN)/swarm run migrate_boxes --until-arrival --out results/demo

test: install
	$(BIN)/python -m pytest test

check: install
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python benchmarks/tick.py

clean:
	rm -rf $(VENV) build results *.egg-info
