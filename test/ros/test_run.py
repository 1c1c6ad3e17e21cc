"""``swarm run`` as users call it: the same results as ``swarm simulate``, whatever happens to it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import claims
import numpy as np
import pytest
import rclpy
import yaml
from pace import Pace, descendants

from swarm_control.cli.main import main
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.spec import PARENT
from swarm_control.ros.support.node import executor
from swarm_control.runtime.mission_state import MissionState

pytestmark = pytest.mark.ros

FILES = {"summary.json", "trajectory.npz", "scenario.yaml", "trajectories.png", "series.npz"}

SCENARIO = {
    "duration": 30,
    "robots": [{"count": 5, "start": {"pattern": "grid", "spacing": 0.6, "center": [-2.0, 0.0]}}],
    "control": {
        "perception": {"radius": 1.5}, "separation": {"weight": 1.0, "distance": 0.35}, "arrival": {"weight": 2.0},
        "alignment": {"weight": 0.2}, "separation_filter": {"enabled": True}, "accumulation": {"method": "weighted"},
    },
    "goals": [{"position": [0.0, 0.5], "fraction": 1.0}, {"position": [1.5, -0.5], "fraction": 1.0}],
    "phases": [{"name": "tighter", "start": 1.0, "set": {"separation.distance": 0.3}}],
}  # fmt: skip


class Run:
    """A ``swarm run`` process; leaving the context kills what is left of it."""

    def __init__(self, folder, *options):
        self.out = folder / "run"
        path = folder / "short.yaml"
        path.write_text(yaml.safe_dump(SCENARIO))
        self.domain = claims.domain()
        environment = {**os.environ, "ROS_DOMAIN_ID": str(self.domain.number)}
        self.lines = folder / "lines"
        with self.lines.open("w") as stream:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "swarm_control.cli.main", "run", str(path), "--out", str(self.out), *options],
                env=environment, stdout=stream, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.until(lambda: not self.nodes())
        self.domain.release()

    @property
    def text(self):
        return self.lines.read_text()

    def nodes(self):
        """Command lines of this run's node processes that are alive, by process. Those that are forked have the environment, as Linux
        shows it, of the process that they were forked from, which this run has started, too.
        """
        found = {}
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and f"{PARENT}={self.process.pid}\0" in Path(f"/proc/{entry}/environ").read_text():
                    words = Path(f"/proc/{entry}/cmdline").read_text()
                    if "swarm_control.ros." in words:
                        found[int(entry)] = words
            except OSError:
                pass
        return found

    def until(self, condition, timeout=60.0):
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, self.text
            time.sleep(0.02)

    def heard(self):
        """Time (s) that the results so far reach to; 0 before the first."""
        try:
            return json.loads((self.out / "summary.json").read_text())["duration"]
        except FileNotFoundError:
            return 0.0

    def started(self):
        self.until(lambda: self.heard() > 0.0)


@contextlib.contextmanager
def heard_missions(domain):
    """A function that listens for a moment and returns the mission's states heard so far."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    context, found = rclpy.Context(), []
    rclpy.init(context=context, domain_id=int(domain))
    node = rclpy.create_node("listener", namespace="/swarm", context=context)
    topics.subscribe(node, topics.MISSION, lambda message: found.append(MissionState.from_text(message.data)))
    serving = executor(node, context)

    def hear():
        serving.spin_once(timeout_sec=0.02)
        return found

    yield hear
    serving.shutdown()
    node.destroy_node()
    context.shutdown()


def path_lengths(folder):
    with np.load(folder / "trajectory.npz") as data:
        return np.linalg.norm(np.diff(data["pose"][:, :, :2], axis=0), axis=2).sum(axis=0)


def status_and_waits(process, patience):
    """A process's exit status, and for how long (s) it and those that it started had to wait for a processor: a busy machine's doing."""
    pace, waited = Pace(descendants), 0.0
    while not pace.over(patience):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(0.2), waited
        waited = max(waited, pace.waited())
    return None, waited


def test_run_and_simulate_agree(tmp_path):
    with Run(tmp_path, "--until-arrival") as run:
        status, waited = status_and_waits(run.process, 150.0)
        assert status == 0, run.text
        assert not run.nodes()
    assert main(["simulate", str(tmp_path / "short.yaml"), "--until-arrival", "--out", str(tmp_path / "simulate")]) == 0
    there, here = (json.loads((tmp_path / name / "summary.json").read_text()) for name in ("simulate", "run"))
    assert set(here) == set(there)
    assert here["arrived_fraction"] == there["arrived_fraction"] == 1.0
    assert 0.95 * there["arrival_time"] <= here["arrival_time"] <= 1.05 * there["arrival_time"] + waited
    assert [phase["name"] for phase in here["phases"]] == [phase["name"] for phase in there["phases"]] == ["goal 1", "tighter", "goal 2"]
    assert here["collisions"] == there["collisions"] == 0
    assert here["min_separation"] == pytest.approx(there["min_separation"], rel=0.1)
    np.testing.assert_allclose(path_lengths(tmp_path / "run"), path_lengths(tmp_path / "simulate"), rtol=0.05)
    assert {path.name for path in run.out.iterdir()} == FILES
    assert str(run.out / "summary.json") in run.text and re.search(r"t = +(?!0\.0 )\d", run.text)


@pytest.mark.study
@pytest.mark.ros(anytime=True)
def test_a_run_whose_director_is_killed_on_the_way_has_its_whole_history(tmp_path):
    with Run(tmp_path, "--until-arrival", "--duration", "600") as run:
        with heard_missions(run.domain.number) as hear:
            run.until(lambda: sum(state.swarm.goal_index == 1 for state in hear()) > 1, 120.0)  # the director's, and repeated
        victim = next(number for number, words in run.nodes().items() if "__node:=director" in words)
        os.kill(victim, signal.SIGKILL)
        assert run.process.wait(150) == 0, run.text
    assert "swarm: /swarm/director died (SIGKILL), restarted" in run.text and "resuming at goal 2 of 2" in run.text
    summary = json.loads((run.out / "summary.json").read_text())
    first, phase, second = summary["phases"]
    assert [first["name"], phase["name"], second["name"]] == ["goal 1", "tighter", "goal 2"]
    assert first["start"] < phase["start"] == 1.0 < first["end"] == second["start"] < second["end"] == summary["arrival_time"]
    assert first["arrived_fraction"] == second["arrived_fraction"] == summary["arrived_fraction"] == 1.0
    assert set(first) == {"name", "start", "end", "arrived_fraction"}
