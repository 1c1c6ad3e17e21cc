"""``swarm run`` that is interrupted, killed, loses its terminal, or has a node that dies or will not run: what becomes of the results."""

import json
import os
import re
import signal

import pytest
from test_run import FILES, Run

from swarm_control.analysis.report.runs import read_runs

pytestmark = pytest.mark.ros(anytime=True)

NODES = ("neighbourhood", "behaviours", "motion_model", "director", "simulator")


def test_a_run_that_is_killed_leaves_results_that_are_read_and_no_nodes(tmp_path):
    with Run(tmp_path, "--set", "goals=[]", "--record", str(tmp_path / "run.mcap")) as run:
        shown = lambda: {word for line in run.nodes().values() for word in re.split("[ \0]", line)}  # noqa: E731
        run.until(lambda: shown() >= {"__ns:=/swarm", *(f"__node:={name}" for name in NODES)})
        run.until(lambda: run.heard() > 2.0)
        run.process.kill()
        run.process.wait()
        run.until(lambda: not run.nodes())
    (found,) = read_runs([run.out])
    assert found.summary["robots"] == 5 and 2.0 < found.summary["duration"] < 30.0
    assert found.trajectory.time[-1] == pytest.approx(found.series["time"][-1]) == pytest.approx(found.summary["duration"])
    (bag,) = read_runs([tmp_path / "run.mcap"])
    assert bag.trajectory.time[-1] > 1.0


@pytest.mark.study
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
    assert {path.name for path in run.out.iterdir()} == FILES and 0.0 < run.heard() < 30.0
    last = run.text.splitlines()[-1]
    assert last.startswith("swarm: /swarm/behaviours died (SIGABRT)") and "Traceback" not in run.text


def test_a_node_that_dies_is_restarted_with_a_notice_and_a_terminal_that_is_closed_ends_a_run_with_its_results(tmp_path):
    with Run(tmp_path, "--set", "goals=[]") as run:
        run.started()
        victim = next(number for number, words in run.nodes().items() if "__node:=behaviours" in words)
        os.kill(victim, signal.SIGKILL)
        run.until(lambda: "swarm: /swarm/behaviours died (SIGKILL), restarted" in run.text)
        run.process.send_signal(signal.SIGHUP)
        assert run.process.wait(60) == 0, run.text
        assert not run.nodes()
    assert {path.name for path in run.out.iterdir()} == FILES
    summary = json.loads((run.out / "summary.json").read_text())
    assert 0.0 < summary["duration"] < 30.0 and "Traceback" not in run.text


def test_interrupt_while_nodes_are_starting(tmp_path):
    with Run(tmp_path) as run:
        run.until(run.nodes)
        run.process.send_signal(signal.SIGTERM)
        assert run.process.wait(60) == 0, run.text
        assert not run.nodes()
    assert {path.name for path in run.out.iterdir()} == FILES
    assert "Traceback" not in run.text
