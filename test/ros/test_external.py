"""``swarm run`` with Stage and Gazebo: their programs are started as planned, and a swarm arrives on Stage's topics and kinematics."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import claims
import numpy as np
import pytest
import yaml
from forked_swarm import forked_swarm

from swarm_control.cli.main import main

pytestmark = pytest.mark.ros(anytime=True)

STAND_IN = Path(__file__).with_name("stage_stand_in.py")
SCENARIO = {
    "name": "short", "duration": 20, "world": "empty.world",
    "robots": [{"count": 3, "start": {"pattern": "grid", "spacing": 0.6, "heading_spread": 360, "center": [-1.0, 0.0]}}],
    "control": {
        "perception": {"radius": 1.5}, "separation": {"weight": 1.0, "distance": 0.35}, "arrival": {"weight": 2.0},
        "separation_filter": {"enabled": True}, "accumulation": {"method": "weighted"},
    },
    "goals": [{"position": [1.0, 0.5], "fraction": 1.0}],
}  # fmt: skip
RECORDER = """#!{python}
import json, sys, time
json.dump(sys.argv[1:], open(r"{record}.part", "w"))
__import__("os").rename(r"{record}.part", r"{record}")
time.sleep(600)
"""


@pytest.fixture
def swarm_run(tmp_path):
    """Starts ``swarm run`` on the scenario with a PATH that holds the given programs; whatever is left is killed."""
    programs, started, domain = tmp_path / "bin", [], claims.domain()
    programs.mkdir()
    (tmp_path / "short.yaml").write_text(yaml.safe_dump(SCENARIO))

    def start(*options, **environment):
        files = [str(tmp_path / "short.yaml"), "--out", str(tmp_path / "run")]
        command = [*forked_swarm(), "run", *files, *options]
        more = {"ROS_DOMAIN_ID": str(domain.number), "PATH": str(programs), "AMENT_PREFIX_PATH": "", **environment}
        process = subprocess.Popen(
            command, env={**os.environ, **more}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(10)
        process.stdout.close()
    domain.release()


@pytest.fixture
def stage(tmp_path):
    """Puts the stand-in for stage_ros2 on the PATH; the file is where it writes its arguments."""
    program = tmp_path / "bin" / "stage_ros2"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {STAND_IN} "$@"\n')
    program.chmod(0o755)
    return tmp_path / "arguments.json"


def words(path, process, timeout=60.0):
    """Arguments that a program has recorded."""
    deadline = time.monotonic() + timeout
    while not path.exists() or not path.read_text():
        assert time.monotonic() < deadline and process.poll() is None, process.stdout.read()
        time.sleep(0.02)
    return json.loads(path.read_text())


@pytest.mark.ros
def test_a_swarm_arrives_in_stage(tmp_path, swarm_run, stage):
    truth = tmp_path / "truth.jsonl"
    process = swarm_run("--simulator", "stage", "--until-arrival", STAND_IN_RECORD=str(stage), STAND_IN_TRUTH=str(truth))
    assert process.wait(150) == 0, process.stdout.read()
    world = tmp_path / "run" / "short.world"
    given = json.loads(stage.read_text())
    for word in (f"world_file:={world}", "enforce_prefixes:=true", "one_tf_tree:=false", "enable_gui:=true", "__ns:=/", "__node:=stage"):
        assert word in given
    assert main(["simulate", str(tmp_path / "short.yaml"), "--until-arrival", "--out", str(tmp_path / "simulate")]) == 0
    here, there = (json.loads((tmp_path / name / "summary.json").read_text()) for name in ("run", "simulate"))
    assert here["arrived_fraction"] == there["arrived_fraction"] == 1.0 and there["collisions"] == 0
    assert here["collisions"] is None and "collisions unknown" in process.stdout.read(), "Stage does not tell of contacts"
    (paths, took), (expected, expected_took) = travelled(*driven(truth)), travelled(*recorded(tmp_path / "simulate"))
    np.testing.assert_allclose(paths, expected, rtol=0.05)
    assert took == pytest.approx(expected_took, abs=0.2)
    end, seen = driven(truth)[1][-1], recorded(tmp_path / "run")[1][-1]
    assert np.abs(seen - end).max() < 0.3, "what the run has recorded is what happened in Stage"


def driven(truth):
    """Times (T,) s and places (T, N, 2) m as the stand-in has had them; the last line may not be whole."""
    rows = np.array([json.loads(line) for line in truth.read_text().splitlines()[:-1]])
    return rows[:, 0], rows[:, 1:].reshape(len(rows), -1, 3)[:, :, :2]


def recorded(folder):
    """Times (T,) s and places (T, N, 2) m of a run's results."""
    with np.load(folder / "trajectory.npz") as data:
        return data["time"], data["pose"][:, :, :2]


def travelled(time, place):
    """How far each robot went, m, and for how long they were on the middle four fifths of their way, s."""
    way = np.concatenate((np.zeros((1, place.shape[1])), np.linalg.norm(np.diff(place, axis=0), axis=2).cumsum(axis=0)))
    share = way.mean(axis=1) / way[-1].mean()
    begin, end = (time[np.argmax(share >= part)] for part in (0.1, 0.9))
    return way[-1], end - begin


@pytest.mark.study
def test_a_run_ends_with_stages_window(tmp_path, swarm_run, stage):
    process = swarm_run("--simulator", "stage", "--speed", "2", STAND_IN_RECORD=str(stage), STAND_IN_END="4")
    assert process.wait(60) == 0, process.stdout.read()
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["duration"] < 5.0


def test_a_stage_that_fails_is_one_line(tmp_path, swarm_run, stage):
    process = swarm_run("--simulator", "stage", STAND_IN_RECORD=str(stage), STAND_IN_END="0", STAND_IN_STATUS="3")
    assert process.wait(60) == 1
    text = process.stdout.read()
    assert "swarm: /stage ended (status 3)" in text and "Traceback" not in text


def test_gazebo_and_its_bridge_get_the_exported_world(tmp_path, swarm_run):
    for name in ("gz", "parameter_bridge"):
        program = tmp_path / "bin" / name
        program.write_text(RECORDER.format(python=sys.executable, record=tmp_path / f"{name}.json"))
        program.chmod(0o755)
    process = swarm_run("--simulator", "gazebo")
    world = tmp_path / "run" / "short.sdf"
    assert words(tmp_path / "gz.json", process) == ["sim", "-r", "-s", str(world)]
    given = words(tmp_path / "parameter_bridge.json", process)
    assert f"config_file:={world.with_suffix('.bridge.yaml')}" in given and world.exists()
    bridged = yaml.safe_load(world.with_suffix(".bridge.yaml").read_text())
    assert {"/clock", "/robot_0/odom", "/robot_2/cmd_vel"} <= {line["ros_topic_name"] for line in bridged}
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, process.stdout.read()


@pytest.mark.parametrize(("simulator", "program"), [("stage", "stage_ros2"), ("gazebo", "gz")])
def test_a_missing_program_is_one_line_that_helps(tmp_path, swarm_run, simulator, program):
    process = swarm_run("--simulator", simulator)
    assert process.wait(60) == 2
    line = process.stdout.read()
    assert line.count("\n") == 1 and program in line
    assert f"ros2 launch swarm_control swarm.launch.py scenario:={tmp_path / 'short.yaml'} simulator:={simulator}" in line
