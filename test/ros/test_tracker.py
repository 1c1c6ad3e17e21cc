"""The tracker's node as a process: images and poses go in, odometry comes out."""

import os
import signal
import time
from dataclasses import asdict, replace
from itertools import count

import claims
import numpy as np
import pytest
import yaml
from geometry_msgs.msg import PoseArray, PoseStamped, PoseWithCovarianceStamped
from pace import Pace
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CompressedImage, Image
from warm import STARTER

pytest.importorskip("cv2")

import cv2
import rclpy

from swarm_control.ros.graph import topics
from swarm_control.ros.graph.spec import NodeSpec
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support import node as base
from swarm_control.ros.support.status import read_status
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.scenario.hardware import Tracker
from swarm_control.sim.hardware.render import RenderedFloor

pytestmark = pytest.mark.ros

TRUTH = np.array([[0.5, 0.2, 1.0], [-0.6, 0.1, 3.0], [0.3, -0.5, -2.0]])
SCENE = RenderedFloor(Tracker(source="camera", marker_height=0.1), 3, position=(0.0, 0.0, 1.6), focal_length=400.0, size=(640, 480))


class Lab:
    """A tracker in a process of its own, what it publishes, and the means to feed it."""

    def __init__(self, folder, tracker):
        data = {"robots": [{"count": 3}], "hardware": {"tracker": yaml.safe_load(yaml.safe_dump(tracker))}, "goals": [{"position": [9, 9]}]}
        (folder / "scenario.yaml").write_text(yaml.safe_dump(data))
        self.domain = claims.domain()
        os.environ.update(ROS_DOMAIN_ID=str(self.domain.number), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        self.lines, self.odom, self.status = [], {}, {}
        spec = NodeSpec("tracker", "tracker", "/swarm", ("--scenario", str(folder / "scenario.yaml")))
        self.supervisor = Supervisor((spec,), self.lines.append, STARTER)
        self.supervisor.start()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=self.domain.number)
        self.node = rclpy.create_node("watcher", context=self.context)
        self.executor = base.executor(self.node, self.context)
        for k in range(3):
            topics.subscribe(self.node, topics.ODOM, lambda data, k=k: self._hear(k, data), f"robot_{k}", raw=True)
        topics.subscribe(self.node, topics.Topic("/swarm/status", topics.STATUS.kind, lossy=False, depth=20), self._hear_status)

    def _hear(self, robot, data):
        stamp, values = cdr.read_odometry(data)
        self.odom[robot] = time.time(), stamp, np.array(values)

    def _hear_status(self, message):
        for _, state, values in read_status(message).values():
            self.status = {**values, "state": state}

    def publisher(self, kind, topic):
        found = self.node.create_publisher(kind, topic, QoSProfile(depth=1))
        self.until(lambda: found.get_subscription_count() == 1)
        return found

    def until(self, condition, feed=lambda: None, timeout=90.0):
        """Feed the tracker twenty times a second until ``condition()`` holds."""
        pace, due = Pace(lambda: [node.process.pid for node in self.supervisor.nodes]), 0.0
        while not (found := condition()):
            assert not pace.over(timeout), "\n".join(["waited in vain; the node said:", *self.lines[-20:], str(self.status)])
            if time.monotonic() >= due:
                due = time.monotonic() + 0.05
                feed()
            self.executor.spin_once(timeout_sec=0.02)
            self.supervisor.poll()
        return found

    def poses(self):
        """Poses (3, 3) and velocities (3, 3) last heard."""
        return convert.motion_of(np.stack([self.odom[k][2] for k in range(3)]))

    def close(self):
        for node in self.supervisor.nodes:
            node.signal(signal.SIGKILL)
        self.supervisor.stop()
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.shutdown()
        self.domain.release()


@pytest.fixture(scope="module")
def lab(request, tmp_path_factory):
    opened = Lab(tmp_path_factory.mktemp("tracker"), request.param)
    yield opened
    opened.close()


CAMERA = asdict(replace(SCENE.tracker, floor=SCENE.calibration()))


def image_message(node, image, encoding="rgb8", ago=0.0):
    message = Image(height=image.shape[0], width=image.shape[1], encoding=encoding, step=image[0].nbytes)
    message.header.stamp = stamp(node, ago)
    message.data = np.ascontiguousarray(image).tobytes()
    return message


def stamp(node, ago=0.0):
    from rclpy.duration import Duration

    return (node.get_clock().now() - Duration(seconds=ago)).to_msg()


@pytest.mark.parametrize("lab", [{**CAMERA, "topic": "/eye"}], indirect=True)
def test_images_become_odometry(lab):
    eye, rng = lab.publisher(Image, "/eye"), np.random.default_rng(0)
    image = SCENE.draw(TRUTH, rng)
    stamps = []
    for encoding, pixels in (("rgb8", image), ("bgr8", image[..., ::-1]), ("mono8", image @ np.array([0.3, 0.6, 0.1]))):
        lab.odom.clear()
        shown = pixels.astype(np.uint8)

        def show(shown=shown, encoding=encoding):
            message = image_message(lab.node, shown, encoding, 0.03)
            stamps.append(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)
            eye.publish(message)

        lab.until(lambda: len(lab.odom) == 3, show)
        pose, velocity = lab.poses()
        np.testing.assert_allclose(pose, TRUTH, atol=0.003)
        assert np.abs(velocity).max() < 0.2
        assert min(abs(lab.odom[0][1] - stamp) for stamp in stamps) < 1e-5, "the stamp is the image's"
    full = lab.until(lambda: lab.status.get("robots_seen") == "3" and lab.status, lambda: eye.publish(image_message(lab.node, image)))
    assert full["robots_lost"] == "0" and full["duplicates"] == "" and full["state"] == "running"

    wrong = (
        image_message(lab.node, image[:100]), image_message(lab.node, image, "yuv422"), image_message(lab.node, image, "rgba8"),
        Image(height=480, width=640, step=1920, encoding="rgb8"), Image(),
    )  # fmt: skip
    lab.until(lambda: int(lab.status["bad"]) >= 5, lambda: [(eye.publish(one), time.sleep(0.005)) for one in wrong])
    text = "\n".join(lab.lines)
    assert "makes no sense" in text and "Traceback" not in text

    hidden = TRUTH.copy()
    hidden[1] = np.nan
    image = SCENE.draw(hidden, rng)
    lab.until(lambda: lab.status["lost"] == "robot_1", lambda: eye.publish(image_message(lab.node, image)))
    before = lab.odom[1][0]
    assert lab.odom[0][0] - before > 0.5  # no odometry of who is not seen

    twins = replace(SCENE, tracker=replace(SCENE.tracker, ids=(0.0, 0.0, 2.0)))
    image = twins.draw(TRUTH, rng)
    lab.until(lambda: lab.status["duplicates"] == "robot_0", lambda: eye.publish(image_message(lab.node, image)))


@pytest.mark.parametrize("lab", [{**CAMERA, "topic": "/eye/compressed"}], indirect=True)
def test_compressed_images_will_do(lab):
    eye, image = lab.publisher(CompressedImage, "/eye/compressed"), SCENE.draw(TRUTH, np.random.default_rng(0))
    message = CompressedImage(format="jpeg", data=cv2.imencode(".jpg", image[..., ::-1])[1].tobytes())
    lab.until(lambda: len(lab.odom) == 3, lambda: eye.publish(message))
    np.testing.assert_allclose(lab.poses()[0], TRUTH, atol=0.005)
    lab.until(lambda: int(lab.status.get("bad", 0)) > 0, lambda: eye.publish(CompressedImage(data=b"not a picture")))


def pose_message(node, pose, ago=0.0, kind=PoseStamped):
    message = kind()
    message.header.stamp = stamp(node, ago)
    message.header.frame_id = "map"
    message.pose.position.x, message.pose.position.y = pose[:2]
    message.pose.orientation.z, message.pose.orientation.w = np.sin(pose[2] / 2), np.cos(pose[2] / 2)
    return message


@pytest.mark.parametrize("lab", [{"source": "pose_stamped", "topic": "/mocap/{robot}"}], indirect=True)
def test_stamped_poses_of_moving_robots_become_odometry_with_velocity(lab):
    said = [lab.publisher(PoseStamped, f"/mocap/robot_{k}") for k in range(3)]
    began, ago = time.time(), [0.0, 3600.0, -50.0]  # the clocks of the second and the third are wrong

    def there(now):
        turn = 0.5 * (now - began)
        return np.array([[np.sin(turn), -np.cos(turn), turn], [0.2 * turn, 1.0, 0.0], [0.0, 0.0, 1.0]])

    def tell():
        for one, pose, late in zip(said, there(time.time()), ago):
            one.publish(pose_message(lab.node, pose, late))

    lab.until(lambda: time.time() > began + 2.0 and len(lab.odom) == 3, tell)
    for robot in range(3):
        heard, at, values = lab.odom[robot]
        assert began < at < heard + 0.1, "by this machine's clock"
        np.testing.assert_allclose(convert.motion_of(values[None])[0][0, :2], there(at)[robot, :2], atol=0.03)
    np.testing.assert_allclose(lab.odom[0][2][7:], [0.5, 0, 0, 0, 0, 0.5], atol=0.1)  # the body's frame: ahead, and turning
    lab.until(lambda: abs(float(lab.status.get("clock_difference", 0)) - 3600) < 1, tell)

    beat = count()

    def upset(message):
        """Every third time, one robot's pose is something else."""
        return tell() if next(beat) % 3 else said[2].publish(message)

    nowhere = pose_message(lab.node, [np.nan, 0.0, 0.0])
    lab.until(lambda: int(lab.status.get("bad", 0)) > 0, lambda: upset(nowhere))
    lab.until(lambda: int(lab.status["rejected"]) > 2, lambda: upset(pose_message(lab.node, [5.0, 5.0, 0.0], -50.0)))
    np.testing.assert_allclose(lab.poses()[0][2], [0.0, 0.0, 1.0], atol=0.05)
    others = lambda: [said[k].publish(pose_message(lab.node, there(time.time())[k], ago[k])) for k in (0, 2)]  # noqa: E731
    lab.until(lambda: lab.status["lost"] == "robot_1", others)


@pytest.mark.parametrize("lab", [{"source": "pose_with_covariance"}], indirect=True)
def test_poses_that_say_how_surely_they_are_measured_are_believed_so_far(lab):
    said, rng = [lab.publisher(PoseWithCovarianceStamped, f"/robot_{k}/pose") for k in range(3)], np.random.default_rng(0)

    def tell(variance):
        """Places 5 cm off now and then, and variances, which are 0 where who measures does not know them."""
        for one, pose in zip(said, TRUTH + rng.normal(0.0, 0.05, TRUTH.shape) * [1.0, 1.0, 0.0]):
            plain, message = pose_message(lab.node, pose), PoseWithCovarianceStamped()
            message.header, message.pose.pose = plain.header, plain.pose
            message.pose.covariance[0] = message.pose.covariance[7] = variance
            one.publish(message)

    lab.until(lambda: len(lab.odom) == 3 and int(lab.status.get("frames_per_second", 0)) > 5, lambda: tell(0.05**2))
    assert int(lab.status["rejected"]) == 0
    np.testing.assert_allclose(lab.poses()[0], TRUTH, atol=0.1)
    lab.until(lambda: int(lab.status["rejected"]) > 2, lambda: tell(0.0))


@pytest.mark.parametrize("lab", [{"source": "pose_array", "rate": 40.0}], indirect=True)
def test_an_array_of_poses_becomes_odometry_at_a_rate(lab):
    poses = lab.publisher(PoseArray, "/poses")
    message = PoseArray(poses=[pose_message(lab.node, pose).pose for pose in TRUTH])
    lab.until(lambda: len(lab.odom) == 3, lambda: poses.publish(message))
    np.testing.assert_allclose(lab.poses()[0], TRUTH, atol=1e-3)
    at = lab.odom[0][1]
    lab.until(lambda: lab.odom[0][1] > at + 0.1)  # goes on without measurements, until robots are lost
    lab.until(lambda: lab.status.get("robots_lost") == "3")
    few = PoseArray(poses=message.poses[:1])
    lab.until(lambda: lab.status["lost"] == "robot_1, robot_2", lambda: poses.publish(few))
    many, none = PoseArray(poses=message.poses * 3), PoseArray()
    lab.until(lambda: lab.status["robots_lost"] == "0", lambda: (poses.publish(none), poses.publish(many)))


@pytest.mark.parametrize(
    ("tracker", "what"),
    [
        ({"source": "camera"}, "hardware.tracker.floor.image_points"),
        ({"source": "pose_stamped", "topic": "/a b"}, "hardware.tracker.topic"),
        ({"source": "pose_stamped", "topic": "/{name}"}, "hardware.tracker.topic"),
    ],
)  # fmt: skip
def test_what_cannot_be_tracked_with_is_one_line(tracker, what, tmp_path):
    file = tmp_path / "scenario.yaml"
    file.write_text(yaml.safe_dump({"robots": [{"count": 3}], "hardware": {"tracker": tracker}}))
    process = STARTER(NodeSpec("tracker", "tracker", "/swarm", ("--scenario", str(file))))
    said = process.stdout.read().decode()
    assert process.wait(60.0) == 2 and what in said and len(said.strip().splitlines()) == 1


def test_transforms_need_their_package_or_work(tmp_path):
    try:
        import tf2_msgs.msg  # noqa: F401
    except ImportError:
        test_what_cannot_be_tracked_with_is_one_line({"source": "tf"}, "tf2_msgs", tmp_path)
