"""Many robots of the embedded simulator are told in one message; whose commands others listen to is told by its own topic, too."""

import os
import signal

import numpy as np
import pytest

pytest.importorskip("rclpy")

from graph import SCENARIO, Graph

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.command_tables import MANY, CommandTables


class Node:
    """As much of a node as tables need, of so many robots."""

    def __init__(self, robots, served=None):
        self.robots, self.sent = robots, {}
        self.served = np.arange(robots) if served is None else np.array(served)

    def create_publisher(self, kind, name, qos):
        self.sent[name] = []
        return type("Publisher", (), {"publish": lambda _, data: self.sent[name].append(data)})()

    def told(self, name):
        robots, twist = convert.twists_of(cdr.read_cloud(self.sent[name][-1])[1], self.robots)
        return dict(zip(robots.tolist(), twist.tolist(), strict=True))


def test_who_is_told_at_once_and_who_one_by_one():
    node = Node(MANY)
    tables, nobody = CommandTables(node, gathered=True), np.zeros(MANY, bool)
    twist, lent, listened = np.arange(3.0 * MANY).reshape(-1, 3), nobody.copy(), nobody.copy()
    lent[4], listened[[4, 7, 9]] = True, True
    assert tables.tell(1.0, twist, np.array([3, 4, 7]), lent, listened).tolist() == [4, 7]
    assert node.told("commands") == {3: [9.0, 10.0, 11.0], 7: [21.0, 22.0, 23.0]}, "only those who are told now, and not who is lent"
    tables.show(1.0)
    told = node.told("commanded")
    assert len(told) == MANY and told[3] == [9.0, 10.0, 11.0] and np.isnan(told[4]).all() and np.isnan(told[5]).all()


@pytest.mark.parametrize(("robots", "gathered"), [(MANY - 1, True), (MANY, False)])
def test_few_robots_and_real_ones_are_told_one_by_one(robots, gathered):
    node = Node(robots)
    tables, nobody = CommandTables(node, gathered), np.zeros(robots, bool)
    assert tables.tell(1.0, np.ones((robots, 3)), np.array([1, 2]), nobody, nobody).tolist() == [1, 2] and not node.sent["commands"]


@pytest.mark.ros
def test_many_robots_move_are_heard_where_somebody_listens_and_stand_when_nobody_tells_them(tmp_path):
    robots = MANY + 20
    graph = Graph(tmp_path, {**SCENARIO, "robots": [{"count": robots, "start": {"spacing": 0.6}}]})
    heard = []
    try:
        graph.until(lambda: graph.states and np.abs(graph.state.velocity[:, :2]).max(axis=1).min() > 0.05)
        publishers = graph.node.get_publishers_info_by_topic("/robot_5/cmd_vel")
        assert {one.node_name for one in publishers} >= {"motion_model", "guard"}, "robots keep topics of their own"
        topics.subscribe(graph.node, topics.CMD_VEL, lambda data: heard.append(cdr.read_twist(data)), "robot_5", raw=True)
        graph.until(lambda: len(heard) > 20)
        assert max(np.hypot(*twist[:2]) for twist in heard) > 0.05
        (model,) = [node for node in graph.supervisor.nodes if node.spec.executable == "motion_model"]
        os.kill(model.process.pid, signal.SIGSTOP)
        graph.until(lambda: not graph.state.velocity.any(), poll=False)
    finally:
        graph.close()
