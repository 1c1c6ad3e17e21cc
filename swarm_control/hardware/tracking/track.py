"""The tracker without ROS: images or poses in, the robots' poses and velocities out."""

from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, rotate, wrap
from swarm_control.hardware.tracking.aruco import ArucoFinder
from swarm_control.hardware.tracking.filter import Filter
from swarm_control.hardware.tracking.floor import FloorProjection
from swarm_control.hardware.tracking.sighting import Finder, Image, Sighting
from swarm_control.hardware.tracking.spots import SpotFinder
from swarm_control.scenario.hardware import Tracker


def finder(tracker: Tracker, robots: int) -> Finder:
    """What finds the markers of ``robots`` in images; ``InputError`` for parameters that do not fit together."""
    floor = FloorProjection.of(tracker.floor)
    floor.check_height(tracker.marker_height)
    return ArucoFinder(tracker, robots, floor) if tracker.markers == "aruco" else SpotFinder(tracker, robots, floor)


class Tracking:
    """Tracks ``robots``; ``expected`` (N, 3) is where they stand at the start, which tells apart those that look the same."""

    def __init__(self, tracker: Tracker, robots: int, expected: Array | None = None) -> None:
        ahead, left, turn = tracker.marker_offset
        self._offset = np.array([ahead, left, np.deg2rad(turn)])
        self._finder = finder(tracker, robots) if tracker.source == "camera" else None
        self._expected = np.full((robots, 3), np.nan) if expected is None else expected
        self.filter = Filter(robots, tracker.filter, tracker.stale)

    def see(self, image: Image, time: float) -> tuple[Sighting, BoolArray]:
        """Look for the robots in an ``image`` taken at ``time`` (s); return what was seen and which robots' poses (N,) were accepted.

        ``ValueError``: an image that is not what was calibrated for.
        """
        assert self._finder is not None, "a tracker without a camera sees nothing"
        predicted = self.filter.at(time)[0]
        never = np.isneginf(self.filter.time)
        predicted[never] = self._expected[never]
        sighting = self._finder.find(image, mounted(predicted, self._offset))
        sighting = replace(sighting, pose=unmounted(sighting.pose, self._offset))
        return sighting, self.filter.update(time, sighting.pose)

    def hear(self, pose: Array, time: Array | float, variances: Array | None = None) -> BoolArray:
        """Take in poses (N, 3) of the robots' markers measured at ``time`` (N,) s; NaN: none. Returns whose was accepted (N,).

        ``variances`` (N, 3) of the poses, m², m², rad², as :meth:`Filter.update` has them.
        """
        return self.filter.update(time, unmounted(pose, self._offset), variances)


def mounted(robot: Array, offset: Array) -> Array:
    """Poses (N, 3) of markers that are at ``offset`` (x, y, θ) on robots with these poses."""
    place = robot[:, :2] + rotate(np.broadcast_to(offset[:2], (len(robot), 2)), robot[:, 2])
    return np.column_stack((place, wrap(robot[:, 2] + offset[2])))


def unmounted(marker: Array, offset: Array) -> Array:
    """Poses (N, 3) of robots whose markers, at ``offset`` (x, y, θ) on them, have these poses."""
    heading = marker[:, 2] - offset[2]
    place = marker[:, :2] - rotate(np.broadcast_to(offset[:2], (len(marker), 2)), heading)
    return np.column_stack((place, wrap(heading)))
