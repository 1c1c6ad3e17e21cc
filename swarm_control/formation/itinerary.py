"""Trajectories from outside: poses of the structure, with times or without, slowed until its robots can follow them.

With times, all of it is slowed by one factor if a robot could not follow somewhere. Without, the structure goes as fast as its robots
can: at each place the speed is what their wheels and accelerations allow, and braking begins in time.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive, Path
from swarm_control.formation.structure import place

STEP, SAMPLES = 0.01, 0.02
"""Way (m) between the places at which a course without times is timed, and time (s) between the poses of one with times."""


@dataclass(frozen=True)
class Itinerary:
    """Poses (P, 3) of the structure, world frame, the yaw not wrapped; ``times`` (P,) s from 0 on, increasing, None: as fast as it goes."""

    poses: Array
    times: Array | None

    @property
    def start(self) -> Array:
        """Its first pose (3,)."""
        first: Array = self.poses[0]
        return first

    @property
    def end(self) -> Array:
        """Its last pose (3,)."""
        last: Array = self.poses[-1]
        return last

    def path(self, points: Array, fleet: Fleet, params: Drive) -> tuple[Path, float]:
        """The timed path for a structure of ``points`` (N, 2) m and its robots; and by which factor it was slowed, 1: not at all."""
        top = np.minimum(params.speed_share * fleet.max_speed, params.max_speed)
        most = params.acceleration_share * fleet.max_acceleration
        if self.times is None:
            return _as_fast_as_it_goes(_resampled(self.poses, points), points, fleet, top, most), 1.0
        way = place(points, self.poses)
        step = np.diff(self.times)[:, None]
        velocity = np.diff(way, axis=0) / step[..., None]
        fast = float((_wheels(velocity, step, fleet)[0] / top).max(initial=0.0))
        change = norm(np.diff(velocity, axis=0)) / (0.5 * (step[1:] + step[:-1]))
        hard = float((change / most).max(initial=0.0))
        slower = max(1.0, fast, float(np.sqrt(hard)))
        return Path(slower * self.times, self.poses, waits=True), slower


def through(time: Array, poses: Array) -> Itinerary:
    """The smooth trajectory through ``poses`` (P, 3) at ``time`` (P,) s, increasing: a cubic spline, at rest at both ends."""
    from scipy.interpolate import CubicSpline

    time = time - time[0]
    at = np.linspace(0.0, time[-1], max(int(np.ceil(time[-1] / SAMPLES)), 1) + 1)
    return Itinerary(CubicSpline(time, poses, bc_type="clamped")(at), at)


def _wheels(velocity: Array, step: Array, fleet: Fleet) -> tuple[Array, Array]:
    """Speed (K, N) that each robot needs, of its faster wheel, when its point has ``velocity`` (K, N, 2) in steps (K, 1) s; and heading."""
    speed = norm(velocity)
    course = np.unwrap(np.arctan2(velocity[..., 1], velocity[..., 0]), axis=0)
    rate = np.zeros_like(speed)
    rate[1:] = np.abs(np.diff(course, axis=0)) / step[1:]
    # what hardly moves has no course
    rate[speed < 0.05 * speed.max(initial=1e-9)] = 0.0
    rolls = fleet.column(lambda model: model.rolls)
    return speed + 0.5 * np.where(rolls, fleet.wheel_base, 0.0) * rate, course


def _resampled(poses: Array, points: Array) -> Array:
    """The same course, at places whose points are :data:`STEP` apart at most."""
    moved = norm(np.diff(place(points, poses), axis=0)).max(axis=1)
    along = np.concatenate(([0.0], np.cumsum(np.maximum(moved, 1e-9))))
    at = np.linspace(0.0, along[-1], max(int(np.ceil(along[-1] / STEP)), 2) + 1)
    return np.column_stack([np.interp(at, along, poses[:, k]) for k in range(3)])


def _as_fast_as_it_goes(poses: Array, points: Array, fleet: Fleet, top: Array, most: Array) -> Path:
    """Times for ``poses`` (P, 3), from rest to rest: u is the rate at which they are passed, per s.

    With p' and p'' the points' first and second difference: ``wheels·u ≤ top``, ``‖p''‖·u² ≤ a/2`` in bends, and the rest of the
    acceleration, ``‖p'‖·d(u²)/2 ≤ a/2``, along the way, forwards and then backwards.
    """
    first = np.diff(place(points, poses), axis=0)
    needs, _ = _wheels(first, np.ones((len(first), 1)), fleet)
    bends = np.zeros_like(needs)
    bends[1:] = norm(np.diff(first, axis=0))
    square = np.minimum((top / np.maximum(needs, 1e-9)).min(axis=1) ** 2, (0.5 * most / np.maximum(bends, 1e-9)).min(axis=1))
    gain = (most / np.maximum(norm(first), 1e-9)).min(axis=1)
    square[0], square[-1] = min(square[0], gain[0]), min(square[-1], gain[-1])
    for k in range(1, len(square)):
        square[k] = min(square[k], square[k - 1] + gain[k])
    for k in range(len(square) - 2, -1, -1):
        square[k] = min(square[k], square[k + 1] + gain[k])
    return Path(np.concatenate(([0.0], np.cumsum(1.0 / np.sqrt(square)))), poses, waits=True)
