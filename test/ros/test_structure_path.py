"""``structure/path``: a trajectory that somebody sends, as the node that keeps formations understands it."""

import argparse

import numpy as np
import pytest
import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.signals import SignalHandlerOptions

from swarm_control.core.state import SwarmState
from swarm_control.core.targets import predict
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.trajectories import paths_for, trajectory_of_path
from swarm_control.ros.nodes.virtual_structure import VirtualStructureNode
from swarm_control.ros.support.node import SwarmNode


def path_of(rows, frame="map"):
    message = Path()
    message.header.frame_id = frame
    for time, x, y, yaw in rows:
        stamped = PoseStamped()
        stamped.header.stamp = Time(sec=int(time), nanosec=round(time % 1.0 * 1e9))
        stamped.pose.position.x, stamped.pose.position.y = float(x), float(y)
        stamped.pose.orientation.z, stamped.pose.orientation.w = np.sin(yaw / 2.0), np.cos(yaw / 2.0)
        message.poses.append(stamped)
    return message


def test_stamps_are_times_and_without_them_there_are_none():
    timed = trajectory_of_path(path_of([(100.5, 0, 0, 3.0), (102.5, 1, 0, -3.0), (103.5, 1, 2, -3.0)]))
    assert timed.times[-1] == pytest.approx(3.0)
    np.testing.assert_allclose(timed.poses[timed.times == 2.0][0], [1.0, 0.0, 2.0 * np.pi - 3.0])
    assert trajectory_of_path(path_of([(0, 0, 0, 0), (0, 1, 0, 0)])).times is None


@pytest.mark.parametrize(("rows", "frame", "said"), [
    ([(0, 0, 0, 0), (1, 1, 0, 0)], "odom", "frame 'odom'"),
    ([(0, 0, 0, 0)], "map", "at least two"),
    ([(0, 0, 0, 0), (1, np.nan, 0, 0)], "map", "not finite"),
    ([(1, 0, 0, 0), (0, 1, 0, 0)], "map", "do not increase"),
])  # fmt: skip
def test_nonsense_is_refused(rows, frame, said):
    with pytest.raises(ValueError, match=said):
        trajectory_of_path(path_of(rows, frame))


class Driven:
    """The node, and robots that obey it exactly; time is what the test says."""

    time = 0.0

    def __init__(self):
        self.node = VirtualStructureNode(argparse.Namespace(scenario="formation_translate", set=["goals=[]"], robots="all"))
        self.said = []
        self.node._targets.publish = self.said.append
        self.pose = self.node.setup.start.pose.copy()

    def tick(self):
        Driven.time += 0.1
        state = SwarmState.of(self.time, self.pose, np.zeros_like(self.pose))
        rows = convert.state_rows(state, np.zeros(3, np.int64), np.full(3, self.time))
        self.node._input._hear_swarm(cdr.CloudWriter("map", convert.SWARM_STATE).write(self.time, rows))
        made = self.node._formations[0].last
        self.pose = predict(self.pose, made.command, np.full(3, 0.1))
        return made


@pytest.fixture
def driven(monkeypatch):
    monkeypatch.setattr(SwarmNode, "now", property(lambda node: Driven.time))
    rclpy.init(args=["--ros-args", "-p", "source:=swarm_state"], signal_handler_options=SignalHandlerOptions.NO)
    found = Driven()
    yield found
    found.node.destroy_node()
    rclpy.try_shutdown()


@pytest.mark.parametrize("times", [(0.0, 6.0, 12.0), (0.0, 0.0, 0.0)], ids=["with stamps", "without"])
@pytest.mark.parametrize("early", [False, True], ids=["later", "before there is a structure"])
def test_the_structure_follows_a_path_that_is_sent(driven, times, early):
    if not early:
        driven.tick()
    paths_for(driven.node, driven.node._follow)(path_of(zip(times, (0.0, 0.5, 0.5), (0.0, 0.0, 0.5), (0.0, 0.0, 0.0))))
    worst = 0.0
    for _ in range(300):
        made = driven.tick()
        worst = max(worst, made.error)
        if driven.node._formations[0].parts[0].goals.visits > 0:
            break
    np.testing.assert_allclose(made.steps[0].structure.pose, [0.5, 0.5, 0.0], atol=0.01)
    assert worst < 0.002
