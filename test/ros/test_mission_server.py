"""The action ``mission`` of real nodes, by a client that knows nothing but the action."""

from contextlib import closing
from dataclasses import replace

import pytest
from graph import Graph
from rclpy.action import ActionClient
from warm import STARTER

from swarm_control.ros.graph.plan import plan
from swarm_control.ros.messages.poses import pose_message
from swarm_control.ros.support.supervisor import Supervised
from swarm_control.scenario.loader import find
from swarm_control.scenario.yaml_text import read_yaml

action = pytest.importorskip("swarm_control_msgs.action", reason="swarm_control_msgs is not built: make messages")
pytestmark = pytest.mark.ros(anytime=True)


class Client:
    """What any action client does."""

    def __init__(self, graph):
        self._graph, self._client = graph, ActionClient(graph.node, action.Mission, "/swarm/mission")
        self.feedback = []
        graph.until(self._client.server_is_ready)

    def send(self, **goal):
        sent = self._client.send_goal_async(action.Mission.Goal(**goal), lambda said: self.feedback.append(said.feedback.arrived_fraction))
        self._graph.until(sent.done)
        return sent.result()

    def result(self, handle):
        found = handle.get_result_async()
        self._graph.until(found.done)
        return found.result().status, found.result().result


def test_missions_are_actions(tmp_path):
    data = read_yaml(find("migrate_boxes"))
    with closing(Graph(tmp_path, {**data, "duration": 600}, speed=4.0)) as g:
        spec = replace(plan(str(g.file))[0], executable="mission_server", name="mission_server", arguments=(), parameters={})
        g.supervisor.nodes.append(Supervised(spec, g.lines.append, STARTER))
        g.until(lambda: g.states and g.state.time > 0.5)
        client = Client(g)
        assert not client.send(kind="fly").accepted
        there = pose_message([-3.0, -2.0, 0.0], g.node.get_clock().now().to_msg())
        status, result = client.result(client.send(kind="go", goals=[there]))
        assert (status, result.state) == (4, "succeeded") and client.feedback and max(client.feedback) <= 1.0
        status, result = client.result(client.send(kind="go", group="red", goals=[there]))
        assert (status, result.state) == (6, "refused") and "no group" in result.text
        far = pose_message([3.0, 3.0, 0.0], g.node.get_clock().now().to_msg())
        handle = client.send(kind="go", goals=[far])
        g.until(lambda: any(one.running for one in g.mission.tasks))
        g.until(handle.cancel_goal_async().done)
        status, result = client.result(handle)
        assert (status, result.state) == (5, "cancelled")
