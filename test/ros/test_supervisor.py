"""The supervisor gives up on a node that will not run, and leaves no process behind."""

import importlib.util
import os
import signal
import time
from pathlib import Path

import pytest

from swarm_control.errors import InputError
from swarm_control.ros.graph.spec import NodeSpec
from swarm_control.ros.support import forker
from swarm_control.ros.support import supervisor as supervisor_module
from swarm_control.ros.support.processes import lives
from swarm_control.ros.support.supervisor import GRACE, Failed, Supervisor


def test_a_node_that_will_not_run_is_given_up_with_its_last_words(monkeypatch):
    """However long the process takes to start from which nodes are forked."""
    monkeypatch.setattr(supervisor_module, "QUICK", 2.0)
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


@pytest.fixture
def pair():
    """A supervisor with a guard, whose process shares nothing, and two nodes that are forked; all alive."""
    nodes = [NodeSpec(kind, kind, "/swarm", words) for kind, words in (("guard", ()), *((k, MIGRATE) for k in ("director", "behaviours")))]
    lines = []
    supervisor = Supervisor(nodes, lines.append)
    supervisor.start()
    try:
        until(supervisor, lambda: len(list(supervisor.session.members())) == 3)
        yield supervisor, lines
    finally:
        supervisor.stop()


MIGRATE = ("--scenario", "migrate_boxes")


def until(supervisor, condition, patience=60.0):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        supervisor.poll()
        time.sleep(0.02)


def numbers(supervisor):
    return [node.process.pid for node in supervisor.nodes]


def test_nodes_come_back_when_the_process_that_they_were_forked_from_dies_and_guards_are_not_touched(pair):
    supervisor, lines = pair
    guard, *others = numbers(supervisor)
    supervisor.starter.server.process.kill()
    until(supervisor, lambda: sum("restarted" in line for line in lines) == 2)
    until(supervisor, lambda: len(list(supervisor.session.members())) == 3)
    assert numbers(supervisor)[0] == guard and not {*numbers(supervisor)} & {*others}
    assert not any(lives(process) for process in others)


@pytest.mark.parametrize("kind", ["guard", "director"])
def test_a_node_that_is_held_still_before_it_has_shown_a_sign_of_life_is_ended_and_comes(kind):
    """One with a process of its own, and one that is forked."""
    lines = []
    supervisor = Supervisor([NodeSpec(kind, kind, "/swarm", () if kind == "guard" else MIGRATE)], lines.append)
    supervisor.start()
    try:
        (node,) = supervisor.nodes
        held = node.process.pid
        node.signal(signal.SIGSTOP)
        assert not list(supervisor.session.members())
        until(supervisor, lambda: any(process != held for _, process, _ in supervisor.session.members()))
        assert f"swarm: /swarm/{kind} is held still and has never answered, ended" in lines
    finally:
        supervisor.stop()


def test_a_fork_server_that_is_held_still_is_told_to_go_on_and_named(pair):
    supervisor, lines = pair
    guard, director, behaviours = numbers(supervisor)
    server = supervisor.starter.server.process
    server.send_signal(signal.SIGSTOP)
    supervisor.nodes[1].signal(signal.SIGKILL)
    until(supervisor, lambda: any("/swarm/director died (SIGKILL), restarted" in line for line in lines), forker.SILENT)
    until(supervisor, lambda: len(list(supervisor.session.members())) == 3)
    assert sum("the process that nodes are forked from does not answer" in line for line in lines) == 1
    assert server.poll() is None and numbers(supervisor)[::2] == [guard, behaviours] and numbers(supervisor)[1] != director


def test_a_fork_server_that_does_not_go_on_is_replaced_as_soon_as_it_is_needed(pair, monkeypatch):
    supervisor, _ = pair
    monkeypatch.setattr(forker, "SILENT", 0.5)
    server = supervisor.starter.server.process
    server.send_signal(signal.SIGSTOP)
    supervisor.nodes[1].signal(signal.SIGKILL)
    until(supervisor, lambda: server.poll() is not None)
    until(supervisor, lambda: len(list(supervisor.session.members())) == 3 and not any(node.process.poll() for node in supervisor.nodes))


def test_stopping_does_not_wait_for_a_fork_server_that_is_held_still(pair):
    supervisor, _ = pair
    supervisor.starter.server.process.send_signal(signal.SIGSTOP)
    processes, began = numbers(supervisor), time.monotonic()
    supervisor.stop()
    assert time.monotonic() - began < GRACE and not any(lives(process) for process in processes)


def test_stopping_does_not_wait_for_nodes_that_are_not_there_yet():
    supervisor = Supervisor([NodeSpec("director", "director", "/swarm", MIGRATE)] * 2, print)
    supervisor.start()
    server = supervisor.starter.server.process
    began = time.monotonic()
    supervisor.stop()
    assert server.poll() is not None and time.monotonic() - began < 0.5


def test_a_forked_node_is_seen_by_its_command_line_and_its_environment(pair):
    supervisor, _ = pair
    for node in supervisor.nodes:
        folder = Path("/proc", str(node.process.pid))
        assert (folder / "cmdline").read_text().rstrip("\0").replace("\0", " ") == " ".join(node.spec.command())
        assert f"PATH={os.environ['PATH']}" in (folder / "environ").read_text().split("\0")


def test_a_fork_server_that_cannot_start_ends_the_run_instead_of_being_started_for_ever(monkeypatch):
    monkeypatch.setattr(forker, "SERVER", "swarm_control.ros.support.no_such_server")
    supervisor = Supervisor([NodeSpec("director", "director", "/swarm", MIGRATE)], print)
    supervisor.start()
    try:
        with pytest.raises(Failed, match=r"/swarm/director ended \(status 1\)"):
            until(supervisor, lambda: False)
    finally:
        supervisor.stop()


def test_without_ros_it_is_one_line(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="no rclpy found, expected ROS 2's Python packages"):
        Supervisor([], print)
