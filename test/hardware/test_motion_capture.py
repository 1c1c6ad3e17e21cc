"""Emulated motion capture: how often it looks, how well, how late, and that the tracker's topics carry it."""

import json
import math

import claims
import numpy as np
import pytest
from emulated import Emulated, until

from swarm_control.sim.hardware.capture import MotionCapture

POSE = np.array([[1.0, 2.0, 0.5], [-1.0, 0.0, 3.0]])


def capture(rate=20.0, noise=(0.0, 0.0, 0.0), delay=0.0):
    return MotionCapture(rate, noise, delay, np.random.default_rng(1))


def test_it_looks_at_its_rate_and_not_more_often_after_a_pause():
    eye = capture()
    assert sum(len(eye.look(0.005 * turn, POSE)) for turn in range(400)) == 40
    assert [len(eye.look(10.0 + 0.005 * turn, POSE)) for turn in range(11)] == [1] + [0] * 9 + [1]


def test_poses_are_told_later_with_their_age():
    eye = capture(delay=0.12)
    told = [(0.005 * turn, one) for turn in range(60) for one in eye.look(0.005 * turn, POSE + 0.005 * turn)]
    assert len(told) == 4
    for now, (age, seen) in told:
        assert 0.12 <= age < 0.13 and seen == pytest.approx(POSE + now - age)


def test_noise_is_as_asked():
    seen = np.array([capture(1000.0, (0.01, 0.01, 0.1)).look(0.0, np.zeros((5000, 3)))[0][1]])[0]
    assert seen.std(axis=0) == pytest.approx([0.01, 0.01, 0.1], rel=0.05) and np.abs(seen.mean(axis=0)).max() < 0.005


@pytest.mark.ros
@pytest.mark.parametrize("source", ["pose_array", "pose_stamped"])
def test_emulated_robots_are_said_as_the_tracker_hears_them(source, tmp_path, monkeypatch):
    import rclpy

    from swarm_control.ros.messages.poses import listen
    from swarm_control.ros.support.node import executor
    from swarm_control.scenario.hardware import Tracker

    robots = {"count": 2, "model": "differential", "start": {"pattern": "poses", "poses": [[0.0, 0.0, 0.0], [0.5, 0.0, 90.0]]}}
    tracker = {"source": source, "topic": "/mocap/{robot}/pose" if source == "pose_stamped" else "/mocap"}
    (tmp_path / "two.yaml").write_text(json.dumps({"robots": [robots], "hardware": {"tracker": tracker}}))
    domain = claims.domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain.number))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    emulated = Emulated(tmp_path / "truth.csv", tmp_path / "two.yaml", "--tcp", 0, "--poses", 50, "--pose-delay", 0.1, robots=2)
    context, heard = rclpy.Context(), {}
    rclpy.init(context=context, domain_id=domain.number)
    node = rclpy.create_node("hears", context=context)
    serving = executor(node, context)
    now = lambda: node.get_clock().now().nanoseconds * 1e-9  # noqa: E731

    def hear(robots, poses, stamps, variances):
        heard.update({k: (pose, now() - stamp) for k, pose, stamp in zip(robots, poses, stamps)})

    listen(node, Tracker(**tracker), tracker["topic"], ["robot_0", "robot_1"], hear)
    try:
        until(lambda: len(heard) == 2, each=lambda: serving.spin_once(timeout_sec=0.02))
        assert heard[0][0] == pytest.approx([0.0, 0.0, 0.0], abs=0.03)
        assert heard[1][0] == pytest.approx([0.5, 0.0, math.pi / 2], abs=0.03) and 0.1 <= heard[1][1] < 2.0
    finally:
        serving.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)
        assert emulated.stop() == 0
        domain.release()
