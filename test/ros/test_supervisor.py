"""The supervisor gives up on a node that will not run, and leaves no process behind."""

import os
import signal
import time
from pathlib import Path

import pytest

from swarm_control.ros.graph.spec import NodeSpec
from swarm_control.ros.support.supervisor import GRACE, Failed, Supervisor


def test_a_node_that_will_not_run_is_given_up_with_its_last_words():
    lines = []
    supervisor = Supervisor([NodeSpec("nonsense", "nonsense", "/swarm", ())], lines.append)
    supervisor.start()
    try:
        with pytest.raises(Failed, match=r"/swarm/nonsense ended \(status 1\): .*No module named"):
            for _ in range(3):
                supervisor.nodes[0].process.wait(60.0)
                supervisor.poll()
    finally:
        supervisor.stop()
    assert sum("restarted" in line for line in lines) == 2


def test_bad_input_is_not_tried_again():
    lines = []
    supervisor = Supervisor([NodeSpec("director", "director", "/swarm", ("--scenario", "/nowhere.yaml"))], lines.append)
    supervisor.start()
    try:
        with pytest.raises(Failed, match=r"status 2.*/nowhere.yaml: no such scenario file"):
            for _ in range(3):
                supervisor.nodes[0].process.wait(60.0)
                supervisor.poll()
    finally:
        supervisor.stop()
    assert not any("restarted" in line for line in lines)


def test_stopping_ends_all_processes(capfd):
    supervisor = Supervisor([NodeSpec("director", "director", "/swarm", ("--scenario", "scale"))] * 2, print)
    supervisor.start()
    processes = [node.process for node in supervisor.nodes]
    assert all(process.poll() is None for process in processes)
    supervisor.stop()
    assert all(process.poll() is not None for process in processes)
    assert "Traceback" not in capfd.readouterr().out


def test_a_node_that_is_held_still_is_not_waited_for():
    supervisor = Supervisor([NodeSpec("guard", "guard", "/swarm", ())], print)
    supervisor.start()
    try:
        while not any(supervisor.session.members()):
            time.sleep(0.02)
        process = supervisor.nodes[0].process.pid
        os.kill(process, signal.SIGSTOP)
        while ") T " not in Path("/proc", str(process), "stat").read_text():
            time.sleep(0.02)
    finally:
        began = time.monotonic()
        supervisor.stop()
    assert time.monotonic() - began < GRACE
