"""The example plugin, installed by pip beside swarm_control: everything knows of it, and nothing in swarm_control names it."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import claims
import pytest

import swarm_control

ROOT = Path(swarm_control.__file__).parents[1]
PLUGIN = ROOT / "examples/plugin"
WITH_BOTH = ("--set", "swirl.weight=0.5", "--set", "robots.0.model=lookout")


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    """The environment of a process that has the plugin: pip has installed it to a folder of its own."""
    sources, target = tmp_path_factory.mktemp("plugin") / "plugin", tmp_path_factory.mktemp("target")
    shutil.copytree(PLUGIN, sources)  # pip leaves its traces there
    quick = ["--no-build-isolation"] if any(map(importlib.util.find_spec, ("wheel", "setuptools.command.bdist_wheel"))) else []
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *quick, "--target", target, sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    path = os.pathsep.join(map(str, (ROOT, target, ROOT / "test/ros", ROOT / "test/support", ROOT / "test")))
    return {**os.environ, "PYTHONPATH": path}


def swarm(env, *words):
    """What a command prints."""
    done = subprocess.run([sys.executable, "-m", "swarm_control.cli.main", *words], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(env, code):
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_files_are_short_and_swarm_control_names_none_of_it():
    for name in ("swirl", "lookout", "way"):
        assert len((PLUGIN / f"swarm_control_example_plugin/{name}.py").read_text().splitlines()) <= 40
    source = "".join(path.read_text() for path in (ROOT / "swarm_control").rglob("*.py"))
    assert "swirl" not in source and "lookout" not in source and "mean_way" not in source


def test_it_is_listed(env):
    found = {line.split()[0] for line in swarm(env, "list").splitlines() if line.startswith("  ")}
    assert {"swirl", "lookout", "way", "mean_way"} <= found


def test_it_keeps_the_contract(env):
    run(env, """
from swarm_control.analysis.contract import check_behaviour, check_robot
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.robots import ROBOTS
check_behaviour(BEHAVIOURS["swirl"])
check_robot(ROBOTS["lookout"])
""")  # fmt: skip


def test_simulate_uses_it(env, tmp_path):
    swarm(env, "simulate", "flock_frame", *WITH_BOTH, "--duration", "3", "--out", str(tmp_path))
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["mean_way"] > 0.5 and list(summary)[-1] == "mean_way"
    with_it = (tmp_path / "scenario.yaml").read_text()
    assert "swirl" in with_it and "lookout" in with_it


def test_its_robots_look_to_the_left(env):
    print(run(env, """
import numpy as np, swarm_control as sc
sim = sc.Simulation("migrate_boxes", set={"robots.0.model": "lookout", "simulator.dt": 0.01}).run(4.0)
course = np.arctan2(*sim.state.velocity[:, 1::-1].T)
fast = np.hypot(*sim.state.velocity[:, :2].T) > 0.3
left = (sim.state.pose[:, 2] - course + np.pi) % (2 * np.pi) - np.pi
assert fast.any() and np.abs(left[fast] - np.pi / 2).max() < 0.6, left
"""))  # fmt: skip


def test_it_can_be_tuned(env, tmp_path):
    what = ("--param", "swirl.weight=0.1:1", "--objective", "mean_way", "--set", "duration=1")
    much = ("--evaluations", "2", "--seeds", "1", "--held-out", "0", "--jobs", "1")
    swarm(env, "tune", "flock_frame", *what, *much, "--out", str(tmp_path))
    lines = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()[1:]]
    assert len({line["values"]["swirl.weight"] for line in lines}) == 3
    assert len({line["summary"]["mean_way"] for line in lines}) == 3


@pytest.mark.ros(anytime=True)
def test_nodes_use_it(env, tmp_path):
    pytest.importorskip("rclpy")
    domain = claims.domain()
    env = {**env, "ROS_DOMAIN_ID": str(domain.number)}
    swarm(env, "run", "flock_frame", *WITH_BOTH, "--duration", "3", "--no-dashboard", "--out", str(tmp_path))
    domain.release()
    assert json.loads((tmp_path / "summary.json").read_text())["mean_way"] > 0.1


@pytest.mark.ros(anytime=True)
def test_nodes_take_its_parameters_while_they_run(env, tmp_path):
    pytest.importorskip("rclpy")
    done = subprocess.run([sys.executable, ROOT / "test/examples/live_plugin.py", tmp_path], env=env, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split()[-1] == "lived", done.stdout + done.stderr
