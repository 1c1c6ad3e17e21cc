"""Node ``tracker``: where the robots are, from a camera over the floor or from poses that others measure, as odometry."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from rclpy.exceptions import InvalidTopicNameException
from sensor_msgs.msg import CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.hardware.tracking.sighting import Image
from swarm_control.hardware.tracking.stamps import Stamps
from swarm_control.hardware.tracking.track import Tracking
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert, poses
from swarm_control.ros.messages.images import compressed_image_of, image_of
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.scenario.hardware import TRACKER_TOPICS

PLANAR = (0, 1, 5)
"""Where x, y and yaw are in a covariance (6, 6)."""


class TrackerNode(SwarmNode):
    """Tracks the robots and publishes their odometry; of a robot that is not seen there is none, so that it stops."""

    kind: ClassVar[str] = "tracker"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._tracker, names, n = self.scenario.hardware.tracker, self.setup.fleet.names, self.robots
        if self._tracker.source == "none":
            raise InputError("hardware.tracker.source", "none found, expected where the poses come from")
        self._tracking = Tracking(self._tracker, n, self.setup.start.pose)
        self._stamps = [Stamps(self._tracker.clock_tolerance) for _ in range(n)]
        self._serves = convert.mask(self.served, n)
        self._writer = cdr.OdometryWriter(topics.FRAME, [f"{topics.robot_name(name)}/base_link" for name in names])
        self._odom = {int(k): topics.publisher(self, topics.ODOM, names[k]) for k in self.served}
        self._duplicates, self._seen = np.zeros(n, bool), np.zeros(n, bool)
        self._frames = self._bad = self._old = 0
        self._worked = 0.0
        try:
            topic = _topic(self._tracker.topic or TRACKER_TOPICS[self._tracker.source])
            self._listen(f"/{topic}" if self.scenario.hardware.topics.shared and topic.startswith("/") else topic)
        except InvalidTopicNameException as error:
            raise InputError("hardware.tracker.topic", f"{self._tracker.topic!r} found, expected the name of a topic: {error}") from None
        if self._tracker.rate > 0.0:
            self.every(1.0 / self._tracker.rate, self._tell)

    def _listen(self, topic: str) -> None:
        if self._tracker.source != "camera":
            poses.listen(self, self._tracker, topic, self.setup.fleet.names, self._hear)
            return
        import cv2

        cv2.setNumThreads(1)
        compressed = topic.endswith("/compressed")
        kind, read = (CompressedImage, compressed_image_of) if compressed else (ImageMessage, image_of)
        topics.subscribe(self, topics.Topic(topic, kind), lambda data: self._see(data, read), raw=True)

    def _see(self, data: bytes, read: Callable[[bytes], tuple[float, Image]]) -> None:
        """An image has come."""
        began, now = time.process_time(), self.now
        try:
            stamp, image = read(data)
            measured = self._stamps[0].local(stamp, now)
            if self._too_old(measured, now):
                return
            sighting, accepted = self._tracking.see(image, measured)
        except ValueError:
            self._bad += 1
            raise
        self._duplicates |= sighting.duplicates
        self._frames += 1
        self._took_in(accepted)
        self._worked += time.process_time() - began

    def _hear(self, robots: Sequence[int], pose: Array, stamps: Sequence[float], variances: Array | None) -> None:
        """Poses of some robots have come."""
        now = self.now
        measured, (found, spread) = np.full(self.robots, now), np.full((2, self.robots, 3), np.nan)
        if variances is not None:
            spread[list(robots)] = variances
        for k, stamp, one in zip(robots, stamps, pose):
            measured[k] = self._stamps[k].local(stamp, now)
            if not np.isfinite(one).all():
                self._bad += 1
            elif not self._too_old(float(measured[k]), now):
                found[k] = one
        self._frames += 1
        self._took_in(self._tracking.hear(found, measured, spread))

    def _too_old(self, measured: float, now: float) -> bool:
        old = now - measured > self._tracker.stale
        self._old += old
        return old

    def _took_in(self, accepted: BoolArray) -> None:
        self._seen |= accepted
        if self._tracker.rate == 0.0:
            for moment in np.unique(self._tracking.filter.time[accepted]):
                self._publish(accepted & (self._tracking.filter.time == moment), float(moment))

    def _tell(self) -> None:
        """Publish where everybody who is not lost is now."""
        now = self.now
        self._publish(~self._tracking.filter.lost(now), now)

    def _publish(self, which: BoolArray, moment: float) -> None:
        """Publish odometry of robots (N,) at ``moment`` (s)."""
        chosen = np.flatnonzero(which & self._serves)
        state = SwarmState.of(moment, *self._tracking.filter.at(moment))
        values = convert.odometry_values(state)[chosen]
        covariances = np.zeros((len(chosen), 2, 6, 6))
        for k, variance in enumerate(self._tracking.filter.variances(moment)):
            covariances[:, k, PLANAR, PLANAR] = variance[chosen]
        for robot, message in zip(chosen, self._writer.write(chosen.tolist(), [moment] * len(chosen), values, covariances)):
            self._odom[int(robot)].publish(message)

    def report(self) -> None:
        """Who is seen and who is lost, whose marker is there twice, what was not believed, and the clocks."""
        lost, counts = self._tracking.filter.lost(self.now) & self._serves, self._tracking.filter.counts
        difference = max((stamps.difference for stamps in self._stamps), key=abs)
        values = {
            "robots_seen": int((self._seen & self._serves).sum()), "robots_lost": int(lost.sum()), "lost": self._names(lost),
            "duplicates": self._names(self._duplicates), "frames_per_second": self._frames,
            "frame_ms": 1e3 * self._worked / max(self._frames, 1), "rejected": int(counts.rejected.sum()),
            "late": int(counts.late.sum()), "old": self._old, "restarts": int(counts.restarts.sum()), "bad": self._bad,
            "clock_difference": difference,
        }  # fmt: skip
        good = not (lost.any() or self._duplicates.any() or difference)
        self.status.write(values, "running" if self._frames else "nothing comes in", "ok" if good else "warn")
        self._frames, self._worked = 0, 0.0
        self._duplicates[:] = self._seen[:] = False

    def _names(self, which: BoolArray) -> str:
        found = [self.setup.fleet.names[k] for k in np.flatnonzero(which)]
        return ", ".join(found[:8]) + (" …" if len(found) > 8 else "")


def _topic(pattern: str) -> Any:
    try:
        pattern.format(robot="robot")
    except (KeyError, IndexError, ValueError):
        raise InputError("hardware.tracker.topic", f"{pattern!r} found, expected a topic, with {{robot}} for a robot's name") from None
    return pattern


def main() -> int:
    """Run the node."""
    return serve(TrackerNode)


if __name__ == "__main__":
    sys.exit(main())
