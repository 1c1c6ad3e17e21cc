"""A program that starts before its machine has come to a network is heard there all the same: it is started again, or does so itself."""

import subprocess
import time

import pytest

from swarm_control.ros.graph.spec import NodeSpec
from swarm_experiments.network.namespaces import permitted
from swarm_experiments.network.radio import Air, Radio

pytestmark = pytest.mark.ros(anytime=True)

GUARD = "/robot_0/guard"


@pytest.fixture
def machines():
    """A machine where nothing runs, 0, and one with a robot's guard, 1, that is not connected yet."""
    if reason := permitted():
        pytest.skip(reason)
    with Radio([{}, {GUARD: NodeSpec("guard", "guard", "/robot_0", (), {"base": False})}], Air(), "", 0) as radio:
        yield radio


def until(condition, patience=30.0):
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def joined(machines, number):
    """Whether a program on this machine is in a graph: it listens to domain 0's multicast."""
    return f":{7400:04X} " in subprocess.run(machines.within(number, "cat", "/proc/net/udp"), capture_output=True, text=True).stdout


def test_a_stop_that_is_asked_for_without_a_network_is_told_when_there_is_one(machines):
    machines.cut(0)
    stop = machines.call(0, "-m", "swarm_control.cli.main", "stop", "--wait", "40")
    until(lambda: joined(machines, 0))
    machines.cut(0, False)
    assert stop.wait(60) == 0
    assert stop.stdout.read().strip() == f"swarm: stopped, confirmed by {GUARD}"


def test_a_node_that_started_without_a_network_ends_to_be_started_again_when_there_is_one(machines):
    machines.cut(1)  # long before the node has been imported
    until(lambda: joined(machines, 1))
    assert machines.dead() == []
    machines.cut(1, False)
    until(lambda: machines.dead() == [GUARD])
    until(lambda: any("guard: this machine has come to a network" in line for line in machines.lines))
