# make demo: see a swarm arrive.   make test: prove it.   Both set up all that they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test check bench clean

install: $(STAMP)

$(STAMP): setup.py pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[ros,floor,dashboard,record,tune,test,check]'
	$(BIN)/swarm simulate maze_hard --duration 0.2 --out $(VENV)/warm >/dev/null   # compiles the hot loops, once
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
	$(BIN)/swarm bench tick social

clean:
	rm -rf $(VENV) build results *.egg-info
