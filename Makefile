# make demo: see a swarm arrive.   make test: prove it.   Both set up all that they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WARM := "scale --robots 20000" traffic_crossing guard_castle formation_maze herd_mixed hexapod_walk formation_box
EXTRAS := ros,floor,dashboard,record,drawing,tune,cluster,robots,test,check,site
unexport PYTHONDONTWRITEBYTECODE   # a node that has to compile what it imports takes twice as long to start

.PHONY: install messages demo test studies check site bench clean

install: $(STAMP)

$(STAMP): setup.py setup.cfg pyproject.toml constraints.txt experiments/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(EXTRAS)]' --editable ./experiments
	$(BIN)/swarm simulate maze_hard --duration 0.2 --out $(VENV)/warm >/dev/null   # compiles the hot loops that most need, then the others
	printf '%s\n' $(WARM) | xargs -P 2 -I RUN sh -c '$(BIN)/swarm simulate RUN --duration 0.2 --out $(VENV)/warm/$$$$ >/dev/null'
	touch $(STAMP)

messages: install   # swarm_control_msgs, for the action server, and tf2_msgs, for /tf: needs cmake, g++ and python3-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[messages]'
	$(BIN)/python interfaces/build.py

demo: install
	$(BIN)/swarm run migrate_boxes --until-arrival --out results/demo

test: install
	$(BIN)/python -m pytest -n auto --dist loadgroup -m 'not study' test

studies: install   # what takes long: the experiments again, quick, what their pages say of them, tutorials and long flights
	$(BIN)/python -m pytest -m 'study and ros' test   # in real time: nothing may run beside them
	$(BIN)/python -m pytest -n auto --dist loadgroup -m 'study and not ros' test

check: install
	$(BIN)/ruff check .
	$(BIN)/mypy

site: install   # the documentation as a site: open build/site/index.html
	$(BIN)/sphinx-build -q -W --keep-going docs build/site

bench: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	$(BIN)/swarm bench tick social

clean:
	rm -rf $(VENV) build results *.egg-info experiments/*.egg-info
