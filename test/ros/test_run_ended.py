"""``swarm run`` that is killed, loses its terminal, or has a node that will not run: what becomes of the results."""

import json
import os
import signal

import pytest
from test_run import FILES, Run

from swarm_control.analysis.report.runs import read_runs

pytestmark = pytest.mark.ros(anytime=True)


def heard(run):
    """Time (s) that the results so far reach to; 0 before the first."""
    try:
        return json.loads((run.out / "summary.json").read_text())["duration"]
    except FileNotFoundError:
        return 0.0


def test_a_run_that_is_killed_leaves_results_that_are_read(tmp_path):
    with Run(tmp_path, "--set", "goals=[]", "--record", str(tmp_path / "run.mcap")) as run:
        run.until(lambda: heard(run) > 2.0)
        run.process.kill()
        run.process.wait()
        run.until(lambda: not run.nodes())
    (found,) = read_runs([run.out])
    assert found.summary["robots"] == 5 and 2.0 < found.summary["duration"] < 30.0
    assert found.trajectory.time[-1] == pytest.approx(found.series["time"][-1]) == pytest.approx(found.summary["duration"])
    (bag,) = read_runs([tmp_path / "run.mcap"])
    assert bag.trajectory.time[-1] > 1.0


def test_a_terminal_that_is_closed_ends_a_run_with_its_results(tmp_path):
    with Run(tmp_path, "--set", "goals=[]") as run:
        run.started()
        run.process.send_signal(signal.SIGHUP)
        assert run.process.wait(60) == 0, run.text
        assert not run.nodes()
    assert {path.name for path in run.out.iterdir()} == FILES
    assert 0.0 < heard(run) < 30.0 and "Traceback" not in run.text


def test_a_node_that_will_not_run_ends_a_run_with_its_results_and_one_line(tmp_path):
    killed = set()

    def kill_again(run):
        for number, words in run.nodes().items():
            if "__node:=behaviours" in words and number not in killed:
                killed.add(number)
                os.kill(number, signal.SIGABRT)
        return run.process.poll() is not None

    with Run(tmp_path, "--set", "goals=[]") as run:
        run.started()
        run.until(lambda: kill_again(run))
        assert run.process.returncode == 1 and not run.nodes()
    assert {path.name for path in run.out.iterdir()} == FILES and 0.0 < heard(run) < 30.0
    last = run.text.splitlines()[-1]
    assert last.startswith("swarm: /swarm/behaviours died (SIGABRT)") and "Traceback" not in run.text
