"""Odometry in frames of the robots' own (REP 105): it is put where the frame is in the map, or its robot stands and a line says why."""

import math
import time
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy")

from graph import SCENARIO, Graph
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, rotations
from swarm_control.ros.support import frames
from swarm_control.ros.support.inputs import StateInput
from swarm_control.scenario.loader import load_prepared

POSES = [[-3.0, 1.0, 90.0], [-3.0, -1.0, 0.0], [-4.0, 0.0, -135.0]]
"""Where the scenario starts three robots: m, m, deg."""
LOCAL = np.array([0.5, 0.25, 0.1])
"""Where a robot is in its own frame: m, m, rad."""


class FakeNode:
    """As much of a node as an input needs."""

    def __init__(self, *changes):
        start = f"robots.0={{count: 3, start: {{pattern: poses, poses: {POSES}}}}}"
        self.loaded, self.setup = load_prepared("migrate_boxes", [start, *changes])
        self.control, self.robots, self.now = self.loaded.scenario.control, 3, 100.0
        self.heard, self.said, self.kind, self.served = {}, [], "motion_model", np.arange(3)
        self.option = lambda name, default, help: "odom"
        self.known_as = lambda topic: topic
        self.get_parameter = lambda name: SimpleNamespace(value=False)
        self.timers, self.ends = [], []
        self.every = lambda period, callback: self.timers.append(callback)
        self.rooted = lambda name: name
        self.get_publishers_info_by_topic = lambda name: [end for topic, end in self.ends if topic == name]
        self.get_logger = lambda: SimpleNamespace(error=self.said.append)

    def create_subscription(self, kind, name, callback, qos, raw=False):
        self.heard[name] = callback

    def tell(self, frame, pose=LOCAL, speed=0.3, stamp=None):
        """Robot 1 publishes its odometry, with the velocity in its own frame, as always."""
        values = [[*pose[:2], 0.0, 0.0, 0.0, math.sin(pose[2] / 2), math.cos(pose[2] / 2), speed, 0.0, 0.0, 0.0, 0.0, 0.0]]
        when = [self.now if stamp is None else stamp]
        self.heard["/robot_1/odom"](cdr.OdometryWriter(frame, ["base_link"]).write([0], when, np.array(values))[0])


def placed(frame, local):
    """The pose ``local`` (3,) of ``frame`` (3,) in its parent."""
    c, s = math.cos(frame[2]), math.sin(frame[2])
    return np.array([frame[0] + c * local[0] - s * local[1], frame[1] + s * local[0] + c * local[1], frame[2] + local[2]])


def transform(parent, child, pose):
    t, r = SimpleNamespace(x=pose[0], y=pose[1], z=0.0), SimpleNamespace(x=0.0, y=0.0, z=math.sin(pose[2] / 2), w=math.cos(pose[2] / 2))
    header = SimpleNamespace(frame_id=parent, stamp=SimpleNamespace(sec=0, nanosec=0))
    return SimpleNamespace(header=header, child_frame_id=child, transform=SimpleNamespace(translation=t, rotation=r))


@pytest.mark.parametrize(("frame", "setting"), [("map", "auto"), ("", "auto"), ("odom", "map"), ("map", "start")])
def test_the_maps_frame_is_taken_as_it_is(frame, setting):
    node = FakeNode(f"hardware.odometry.frame={setting}")
    state_of = StateInput(node)
    node.tell(frame)
    assert state_of.state().pose[1] == pytest.approx(LOCAL) and not node.said


@pytest.mark.parametrize("frame", ["odom", "robot_1/odom", ""])
def test_a_frame_that_begins_with_the_scenario_is_put_there(frame):
    node = FakeNode("hardware.odometry.frame=start")
    state_of = StateInput(node)
    node.tell(frame)
    state = state_of.state()
    where = placed([*POSES[1][:2], math.radians(POSES[1][2])], LOCAL)
    assert state.pose[1] == pytest.approx(where)
    assert state.velocity[1, :2] == pytest.approx([0.3 * math.cos(where[2]), 0.3 * math.sin(where[2])])


def test_a_frame_of_which_nobody_tells_leaves_its_robot_standing_and_is_named_once(monkeypatch):
    monkeypatch.setattr(frames, "tf_message", lambda: None)
    node = FakeNode()
    state_of = StateInput(node)
    for _ in range(5):
        node.tell("odom")
    assert not state_of.state().valid.any()
    (line,) = node.said
    assert line.startswith("robot_1 stands: /robot_1/odom is in the frame 'odom', and tf cannot be heard")
    assert "hardware.odometry.frame to start" in line
    assert "install it" in line and "publish" not in line
    node.tell("laser")
    assert len(node.said) == 2 and "'laser'" in node.said[1]


def test_a_frame_that_begins_anew_on_the_way_leaves_its_robot_standing():
    """A driver that is started again begins at zero, and nobody knows where that is."""
    node = FakeNode("hardware.odometry.frame=start")
    state_of = StateInput(node)
    for _ in range(20):
        node.now += 0.1
        node.tell("odom", LOCAL + np.array([0.1 * (node.now - 100.0), 0.0, 0.0]))
    assert state_of.state().valid[1] and not node.said
    for _ in range(9):
        node.now += 0.1
        node.tell("odom", np.zeros(3))
    (line,) = node.said
    assert line.startswith("robot_1 stands: /robot_1/odom has jumped by 0.7 m") and not state_of.state().valid[1]


@pytest.mark.parametrize(("change", "said"), [
    ({"stamp": 97.0}, "is stamped 3.0 s before it comes, expected at most 0.3 s (safety.odometry_timeout)"),
    ({"pose": np.array([np.nan, 0.0, 0.0])}, "has numbers that are not finite"),
])  # fmt: skip
def test_odometry_that_comes_and_is_not_used_is_said_why_once_until_it_is_right(change, said):
    node = FakeNode("control.safety.odometry_timeout=0.3")
    state_of = StateInput(node)
    (look,) = node.timers
    for right in (False, False, True, False):
        node.tell("map", **({} if right else change))
        look()
        assert state_of.state().valid[1] == right
    assert node.said == [f"robot_1 stands: /robot_1/odom {said}{': its clock is slow, or its link' if 'stamped' in said else ''}"] * 2


def test_odometry_of_another_type_is_named():
    node = FakeNode()
    StateInput(node)
    node.ends = [("/robot_2/odom", SimpleNamespace(topic_type="geometry_msgs/msg/PoseStamped"))]
    for _ in range(2):
        node.timers[0]()
    assert node.said == ["robot_2 stands: /robot_2/odom is published as geometry_msgs/msg/PoseStamped, expected nav_msgs/msg/Odometry"]


def test_onboard_a_robot_says_it_of_itself_alone():
    node = FakeNode()
    node.served = np.array([0])
    state_of = StateInput(node)
    node.tell("odom")
    assert not node.said and not state_of.state().valid.any()


@pytest.mark.parametrize("pattern", ["scatter", "grid"])
def test_frames_begin_where_robots_are_put_not_where_a_pattern_has_them(pattern):
    with pytest.raises(InputError, match=rf"frame: start found, but robots\[0\].start.pattern is {pattern}; expected poses"):
        load_prepared("migrate_boxes", [f"robots.0.start.pattern={pattern}", "hardware.odometry.frame=start"])


def test_tf_tells_where_a_frame_is_and_may_move_it(monkeypatch):
    monkeypatch.setattr(frames, "tf_message", lambda: SimpleNamespace)
    node = FakeNode()
    state_of = StateInput(node)
    node.tell("robot_1/odom")
    assert not state_of.state().valid.any() and not node.said, "transforms may be late"
    node.now += frames.UNTOLD
    node.tell("robot_1/odom")
    assert not state_of.state().valid.any() and "nobody tells on /tf" in node.said[0]
    hall = np.array([-3.0, 0.0, 2.0])
    node.heard["/tf_static"](SimpleNamespace(transforms=[transform("/map", "hall", hall)]))
    for floor in ([1.0, 2.0, 0.5], [1.1, 2.0, 0.6]):
        node.heard["/tf"](SimpleNamespace(transforms=[transform("hall", "robot_1/odom", floor)]))
        node.tell("/robot_1/odom")
        state = state_of.state()
        where = placed(placed(hall, floor), LOCAL)
        assert state.pose[1, :2] == pytest.approx(where[:2]) and math.remainder(state.pose[1, 2] - where[2], math.tau) == pytest.approx(0.0)
    assert len(node.said) == 1


@given(st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.2), st.floats(-3.0, 3.0))
def test_a_turned_orientation_turns_what_it_turns(orientation, yaw):
    frame = np.eye(4)
    frame[:3, :3] = Rotation.from_rotvec([0.0, 0.0, yaw]).as_matrix()
    unit = np.array(orientation) / np.linalg.norm(orientation)
    found = np.array(rotations.turned(frame, unit))
    ahead = np.array([1.0, -2.0, 0.5])
    assert Rotation.from_quat(found).apply(ahead) == pytest.approx(frame[:3, :3] @ Rotation.from_quat(unit).apply(ahead), abs=1e-9)
    x, y, _ = Rotation.from_quat(unit).apply([1.0, 0.0, 0.0])
    if math.hypot(x, y) > 1e-3:
        assert math.remainder(rotations.yaw_of(*unit) - math.atan2(y, x), math.tau) == pytest.approx(0.0, abs=1e-9)


class Wheeled:
    """Robots that drive as they are told and publish odometry in frames of their own, which begin at zero; ``{robot}`` is their name."""

    def __init__(self, graph, frame):
        self.local, self.twist = np.zeros((3, 3)), np.zeros((3, 3))
        self._node, names = graph.node, [f"robot_{k}" for k in range(3)]
        self._writers = [cdr.OdometryWriter(frame.format(robot=name), [f"{name}/base_link"]) for name in names]
        self._publishers = [topics.publisher(graph.node, topics.ODOM, name) for name in names]
        for k, name in enumerate(names):
            topics.subscribe(graph.node, topics.CMD_VEL, lambda data, k=k: self._hear(k, data), name, raw=True)
        graph.node.create_timer(0.02, self._step)

    def _hear(self, k, data):
        values = cdr.read_twist(data)
        self.twist[k] = values[0], 0.0, values[5]

    def _step(self):
        heading = self.local[:, 2]
        self.local += 0.02 * np.column_stack((self.twist[:, 0] * np.cos(heading), self.twist[:, 0] * np.sin(heading), self.twist[:, 2]))
        values = np.zeros((3, 13))
        values[:, :2], values[:, 5], values[:, 6] = self.local[:, :2], np.sin(heading / 2), np.cos(heading / 2)
        values[:, 7], values[:, 12] = self.twist[:, 0], self.twist[:, 2]
        for k, publisher in enumerate(self._publishers):
            publisher.publish(self._writers[k].write([0], [time.time()], values[k : k + 1])[0])

    @property
    def places(self):
        """Where the robots truly are (3, 2) m."""
        return np.array([placed([x, y, math.radians(yaw)], local)[:2] for (x, y, yaw), local in zip(POSES, self.local)])


@pytest.mark.ros
@pytest.mark.parametrize("setting", ["start", "auto"])
def test_robots_with_frames_of_their_own_arrive_or_stand(tmp_path, setting):
    robots = [{"count": 3, "model": "differential", "start": {"pattern": "poses", "poses": POSES}}]
    control = {**SCENARIO["control"], "arrival": {"weight": 2.0}}
    data = {**SCENARIO, "robots": robots, "control": control, "goals": [{"position": [3.0, 0.0]}],
            "hardware": {"odometry": {"frame": setting}}}  # fmt: skip
    graph = Graph(tmp_path, data, simulator="none")
    try:
        wheeled = Wheeled(graph, "odom")
        if setting == "start":
            graph.until(lambda: np.linalg.norm(wheeled.places.mean(axis=0) - [3.0, 0.0]) < 1.0)
            assert np.linalg.norm(wheeled.places - [3.0, 0.0], axis=1).max() < 2.0
            return
        graph.until(lambda: all(any(f"robot_{k} stands: /robot_{k}/odom is in" in line for line in graph.lines) for k in range(3)))
        graph.watch(1.0)
        assert not wheeled.local.any()
    finally:
        graph.close()
