"""Every example runs, and finds what it says."""

import json
import re
import runpy
import sys
from pathlib import Path

import pytest

import swarm_control
from swarm_control.analysis.metric import METRICS
from swarm_control.analysis.tuning.objective_function import OBJECTIVES
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.robots import ROBOTS

EXAMPLES = Path(swarm_control.__file__).parents[1] / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(autouse=True)
def forgotten():
    """What an example registers is forgotten after it."""
    known = [(registry, set(registry)) for registry in (BEHAVIOURS, ROBOTS, METRICS, OBJECTIVES)]
    yield
    for registry, names in known:
        for name in set(registry) - names:
            registry.remove(name)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a script in an empty folder; the numbers that each of its lines says."""

    def start(name, *arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        lines = capsys.readouterr().out.splitlines()
        return [[float(number) for number in NUMBER.findall(line)] for line in lines]

    return start


def test_wind_blows(run):
    ((without, blown),) = run("own_behaviour.py")
    assert abs(without) < 0.5 and blown > 2.0


def test_two_flocks_arrive(run):
    red, blue, (collisions, apart) = run("two_flocks.py")
    assert red[0] == blue[0] == 100 and collisions == 0 and apart > 0.075


def test_the_formation_is_kept_and_the_flock_arrives(run):
    _, (error, arrived) = run("formation_beside_flock.py")
    assert error < 30 and arrived == 100


def test_mice_run_from_cats(run):
    ((before, after),) = run("social_laws.py")
    assert after > before + 1.0


@pytest.mark.study
def test_the_sweep_draws_a_picture(run, tmp_path):
    run("sweep_over_seeds.py", str(tmp_path / "picture.png"))
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_separation_makes_it_more_even(run):
    without, with_it = run("own_metric.py")
    assert with_it[1] < without[1] and with_it[2] < without[2]


def test_parameters_act_at_once(run):
    *_, (before, after) = run("live_parameters.py")
    assert after > 2.0 * before


def test_the_platform_keeps_its_heading(run):
    omni, mecanum = run("own_robot.py")
    assert omni[-1] > 10 and mecanum[-1] == 0 and omni[-2] == mecanum[-2] == 0


def test_each_robot_finds_its_place(run):
    (arrived, _, collisions), (off,) = run("goals_for_each.py")
    assert (arrived, collisions) == (100, 0) and off <= 11


def test_search_finds_a_better_policy(run):
    ((first, found, *_, unseen),) = run("rl_learning.py")
    assert found > first + 1.0 and unseen > 1.0


def test_agents_of_pettingzoo_are_rewarded(run):
    pytest.importorskip("pettingzoo", reason="pettingzoo is not installed (extra rl)")
    rewards, picture = run("rl_pettingzoo.py")
    assert len(rewards) == 8 and picture[-1] == 3


def test_the_notebook_runs(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    space: dict = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            exec("".join(cell["source"]), space)
    assert space["summary"]["arrived_fraction"] >= 0.9 and "mean speed" in capsys.readouterr().out
    assert space["sim"]._repr_png_().startswith(b"\x89PNG")


def test_examples_are_short_and_each_is_run_here():
    tests = Path(__file__).read_text(encoding="utf-8")
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for name in SCRIPTS:
        assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) <= 60, name
        assert f'run("{name}"' in tests and f"`{name}`" in readme, name
