"""Whatever is sent to nodes, none ends, and robots go on."""

import contextlib
import json

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from graph import SCENARIO, Graph
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from swarm_control.ros.graph import topics
from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.messages import cdr, convert
from swarm_experiments.safety.messages import PAUSE, Sower
from swarm_experiments.safety.nonsense import BadMessage, absolute, bad_messages, read_topics
from swarm_experiments.safety.settings import bad_settings

pytestmark = pytest.mark.ros

EACH = 15
"""Messages for each topic, and sets of parameters for each node."""


class Target(Graph):
    """A graph whose watching node, too, survives what it hears."""

    def _hear_state(self, data):
        with contextlib.suppress(Exception):
            super()._hear_state(data)

    def _hear_mission(self, message):
        with contextlib.suppress(Exception):
            super()._hear_mission(message)

    def _hear_status(self, message):
        with contextlib.suppress(Exception):
            super()._hear_status(message)

    def processes(self):
        return {node.spec.full_name: node.process.pid for node in self.supervisor.nodes}

    def moving(self):
        """Whether the newest state of all robots is sane, and some robot moves."""
        self.states.clear()
        self.until(lambda: self.states and len(self.state) == 10 and self.state.valid.all())
        return np.hypot(*self.state.velocity[:, :2].T).max() > 0.02


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nonsense")
    found = Target(folder, SCENARIO, formation=True, markers=True, dashboard={"port": 0}, record=str(folder / "run.mcap"))
    try:
        found.until(lambda: set(found.processes()) <= set(found.status))
        found.until(found.moving)
        yield found
    finally:
        found.close()


def found_before():
    """Messages that have ended a node, or kept a swarm from being let go, once."""
    request = {"name": "anybody", "beat": 1, "duration": 0.3, "record": [], "topics": ["/robot_0/cmd_vel"]}
    state = {"node": "{}", "answers": True, "held": False, "record": []}
    for topic, text in (
        (topics.LEASE_REQUEST, {**request, "topics": ["/ /cmd_vel"], "frames": [""]}),
        (topics.LEASE_REQUEST, {**request, "frames": ["robot_0/base_link"]}), (topics.LEASE_REQUEST, {**request, "frames": ["\ud800"]}),
        (topics.STOP_STATE, state),
    ):  # fmt: skip
        yield BadMessage(topic, absolute(topic, ""), "text", serialize_message(String(data=json.dumps(text))))
    for topic, kind, column in (
        (topics.GOALS, convert.GOALS, "goal"), (topics.NEIGHBOURS, convert.NEIGHBOURS, "observer"),
        (topics.ACCELERATION, convert.acceleration_kind(("seek",)), "id"), (topics.STRUCTURE, convert.STRUCTURE, "robots"),
    ):  # fmt: skip
        for number in (-(2**31), 2**31 - 1):
            rows = np.zeros(1, kind)
            rows[column] = number
            yield BadMessage(topic, absolute(topic, ""), "rows", cdr.CloudWriter("map", kind).write(0.0, rows))
    rows = np.zeros(10, convert.SWARM_STATE)
    yield BadMessage(topics.SWARM_STATE, "/swarm/swarm_state", "rows", cdr.CloudWriter("map", convert.SWARM_STATE).write(-1.0, rows))


def drives(graph):
    """Let go of whatever stop was among the messages, and show the swarm a goal: robots move."""
    graph.stop(False)
    goal = PoseStamped()
    goal.header.frame_id, goal.pose.position.x, goal.pose.orientation.w = topics.FRAME, 900.0, 1.0
    graph.tell(graph.node.create_publisher(PoseStamped, "/goal_pose", topics.GOAL_POSE.publish_qos), goal, graph.moving, timeout=30.0)


def test_no_message_ends_a_node_and_robots_move_afterwards(graph):
    before, said, sower = graph.processes(), len(graph.lines), Sower(graph.node)
    messages = list(bad_messages(np.random.default_rng(7), [f"robot_{k}" for k in range(10)], EACH))
    assert {message.topic for message in messages} == set(read_topics())
    for message in [*found_before(), *messages]:
        sower.sow(message)
        graph.serve(PAUSE)
        graph.supervisor.poll()
        assert graph.processes() == before, (message, [line for line in graph.lines if line.startswith("swarm:") or "; ended" in line])
    sower.close()
    drives(graph)
    assert graph.processes() == before and not (again := [line for line in graph.lines[said:] if "restarted" in line]), again


def test_no_wrong_parameter_is_taken_and_robots_move_afterwards(graph):
    before, said, random = graph.processes(), len(graph.lines), np.random.default_rng(7)
    for node in graph.supervisor.nodes:
        client = graph.node.create_client(SetParametersAtomically, f"{node.spec.full_name}/set_parameters_atomically")
        graph.until(client.service_is_ready)
        for settings in bad_settings(random, node.spec.executable, EACH):
            future = client.call_async(SetParametersAtomically.Request(parameters=list(settings.parameters)))
            graph.until(future.done, timeout=20.0)
            assert not future.result().result.successful, (node.spec.name, settings.what, str(settings.parameters)[:300])
        graph.node.destroy_client(client)
    drives(graph)
    assert graph.processes() == before and not (again := [line for line in graph.lines[said:] if "restarted" in line]), again


def test_messages_and_parameters_are_the_same_for_a_seed():
    def drawn(seed):
        random = np.random.default_rng(seed)
        sets = [str(one) for kind in KINDS for one in bad_settings(random, kind, 3)]
        messages = list(bad_messages(random, ["robot_0"], 5))
        whole = [message.data for message in messages if message.what == "rows"]  # in others padding is what happens to be there
        return [(message.name, message.what, len(message.data)) for message in messages], whole, sets

    assert drawn(3) == drawn(3) != drawn(4)


def test_a_topic_that_nodes_come_to_read_is_fuzzed():
    known = {topic.name for topic in read_topics()}
    left = {topic.name for topic in topics.TABLE} - known
    assert left == {"/{robot}/wheel_odom", "/{robot}/robot_description", "markers", "/diagnostics"}  # for people's programs
