"""``swarm node`` runs one node."""

from pathlib import Path

import pytest

import swarm_control

NODES = sorted(path.stem for path in Path(swarm_control.__file__).parent.glob("ros/nodes/[!_]*.py"))


def test_without_a_name_it_lists_the_nodes(swarm):
    done = swarm("node")
    assert done.returncode == 0, done.stderr
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert [name for name, *_ in lines] == NODES and all(len(line) == 2 for line in lines)


def test_an_unknown_name_is_refused(swarm):
    done = swarm("node", "pilot")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "'pilot'" in done.stderr and all(name in done.stderr for name in NODES)


def test_what_follows_the_name_is_the_node_s(process):
    pytest.importorskip("rclpy")
    done = process("node", "director", "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: director ") and "--scenario" in done.stdout
    done = process("node", "director", "--scenario", "no_such")
    assert done.returncode == 2 and done.stderr.startswith("director: no_such: ")


@pytest.mark.parametrize(("words", "said"), [
    (["behaviours"], "behaviours: the following arguments are required: --scenario (see behaviours --help)"),
    (["simulator", "--scenario", "flock_frame", "--bogus"], "simulator: unrecognized arguments: --bogus (see simulator --help)"),
])  # fmt: skip
def test_wrong_options_of_a_node_are_one_line(process, words, said):
    pytest.importorskip("rclpy")
    done = process("node", *words)
    assert done.returncode == 2 and done.stderr.splitlines() == [said]
