"""Frames by ``/tf`` between real processes: where ``tf2_msgs`` is, with ROS 2 or built by ``make messages``."""

import math
import time

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("tf2_msgs", reason="tf2_msgs is not built: make messages")

from geometry_msgs.msg import TransformStamped
from graph import SCENARIO, Graph
from rclpy.qos import DurabilityPolicy, QoSProfile
from test_odometry_frames import POSES, Wheeled, placed
from test_tracker import lab  # noqa: F401 - a fixture
from tf2_msgs.msg import TFMessage

pytestmark = pytest.mark.ros
STATIC = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def transform(node, parent, child, pose):
    """``child`` is at a pose (3,) m, rad in ``parent``."""
    made = TransformStamped(child_frame_id=child)
    made.header.frame_id, made.header.stamp = parent, node.get_clock().now().to_msg()
    made.transform.translation.x, made.transform.translation.y = float(pose[0]), float(pose[1])
    made.transform.rotation.z, made.transform.rotation.w = math.sin(0.5 * pose[2]), math.cos(0.5 * pose[2])
    return made


def test_robots_are_where_tf_says_and_who_is_nowhere_stands(tmp_path):
    """Three bases with odometry in ``robot_k/odom``: tf tells of two at once, over a hall's frame, and of the third later."""
    robots = [{"count": 3, "model": "differential", "start": {"pattern": "poses", "poses": POSES}}]
    data = {
        **SCENARIO,
        "robots": robots,
        "control": {**SCENARIO["control"], "arrival": {"weight": 2.0}},
        "goals": [{"position": [3.0, 0.0]}],
    }
    graph = Graph(tmp_path, data, simulator="none", markers=True)
    try:
        static, moving = (graph.node.create_publisher(TFMessage, name, qos) for name, qos in (("/tf_static", STATIC), ("/tf", 10)))
        hall = np.array([1.0, -2.0, 0.7])
        static.publish(TFMessage(transforms=[transform(graph.node, "map", "hall", hall)]))
        told, shown = [0, 1], {}

        def tell():
            """Where the robots' frames are in the hall, again and again, as a localisation does."""
            links = []
            for k in told:
                x, y, yaw = (*POSES[k][:2], math.radians(POSES[k][2]))
                c, s = math.cos(hall[2]), math.sin(hall[2])
                ahead = np.array([x, y]) - hall[:2]
                links.append(transform(graph.node, "hall", f"robot_{k}/odom", [ahead @ [c, s], ahead @ [-s, c], yaw - hall[2]]))
            moving.publish(TFMessage(transforms=links))

        graph.node.create_timer(0.1, tell)
        graph.node.create_subscription(
            TFMessage, "/tf", lambda message: shown.update({one.child_frame_id: one for one in message.transforms}), 10
        )
        wheeled = Wheeled(graph, "{robot}/odom")
        graph.until(lambda: any("robot_2 stands: /robot_2/odom is in the frame 'robot_2/odom', and nobody tells" in s for s in graph.lines))
        graph.until(lambda: np.abs(wheeled.local[:2, 0]).min() > 0.3)
        assert not wheeled.local[2].any() and not any("robot_0 stands" in line for line in graph.lines)
        told.append(2)
        graph.until(lambda: np.linalg.norm(wheeled.places - [3.0, 0.0], axis=1).max() < 1.0)
        graph.until(lambda: "robot_1/base_link" in shown)
        link = shown["robot_1/base_link"]
        assert link.header.frame_id == "map" and abs(link.header.stamp.sec - time.time()) < 2.0, "the clock's stamps"
        at = link.transform.translation
        assert [at.x, at.y] == pytest.approx(wheeled.places[1], abs=0.3)
    finally:
        graph.close()


@pytest.mark.parametrize("lab", [{"source": "tf", "frame": "floor"}], indirect=True)
def test_a_tracker_on_tf_makes_odometry_of_links(lab):  # noqa: F811
    poses = np.array([[0.0, 0.0, 0.3], [1.0, 0.0, -2.0], [0.0, 1.0, 1.5]])
    mount = np.array([0.4, -0.1, 0.2])
    said = lab.publisher(TFMessage, "/tf")

    def tell():
        links = [transform(lab.node, "floor", "camera", mount)]
        for k, pose in enumerate(poses):
            links.append(transform(lab.node, "camera", f"robot_{k}/base_link", pose))
        said.publish(TFMessage(transforms=links))

    lab.until(lambda: len(lab.odom) == 3, tell)
    for k, pose in enumerate(lab.poses()[0][:3]):
        assert pose == pytest.approx(placed(mount, poses[k]), abs=0.02)
