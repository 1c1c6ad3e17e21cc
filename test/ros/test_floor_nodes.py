"""The lab floor on ROS 2: one command closes the loop over the camera's image, the tracker, the wheel driver and its links."""

import json
import os
import subprocess

import claims
import numpy as np
import pytest
from forked_swarm import forked_swarm
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Image

from swarm_control.errors import Failed
from swarm_control.ros.messages import cdr
from swarm_control.ros.messages.images import image_of
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.floor.floor import LabFloor


def test_a_picture_is_the_message_that_it_should_be():
    picture = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    for frame in ("camera", "cam", "c", ""):
        data = cdr.image(12.5, frame, picture)
        message = deserialize_message(data, Image)
        assert (message.height, message.width, message.encoding, message.step) == (5, 7, "rgb8", 21)
        assert message.header.frame_id == frame and message.header.stamp.sec == 12 and bytes(message.data) == picture.tobytes()
        stamp, again = image_of(data)
        assert stamp == 12.5 and np.array_equal(again, picture)


@pytest.fixture
def renderer():
    """A test is skipped where nothing renders."""
    run = load("formation_translate")
    try:
        LabFloor(run.scenario, prepare(run.scenario, run.source)).close()
    except Failed as error:
        pytest.skip(str(error))


@pytest.mark.ros
def test_one_command_closes_the_loop_and_the_truth_is_recorded(renderer, tmp_path):
    words = ["run", "formation_translate", "--simulator", "mujoco", "--duration", "4", "--out", str(tmp_path / "run")]
    domain = claims.domain()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain.number)}
    made = subprocess.run(
        [*forked_swarm(), *words], env=environment, capture_output=True, text=True, timeout=400, check=False
    )
    domain.release()
    assert made.returncode == 0, made.stdout + made.stderr
    assert "Traceback" not in made.stdout + made.stderr
    run = np.load(tmp_path / "run" / "trajectory.npz")
    pose, time = run["pose"], run["time"]
    assert time[-1] == pytest.approx(4.0) and np.allclose(np.diff(time), 0.1)
    assert (pose[-1, :, 0] - pose[0, :, 0] > 0.5).all(), "all drive to the goal"
    shape = pose[:, :, :2] - pose[:, :, :2].mean(axis=1, keepdims=True)
    away = np.hypot(*np.moveaxis(shape - shape[0], 2, 0)).mean(axis=1)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert away.mean() < 0.0047, "as on the paper's floor"
    assert 0.2 < summary["formation_error_mean"] / away.mean() < 1.2, "the true error, but for turns of the whole"
    assert summary["collisions"] == 0
