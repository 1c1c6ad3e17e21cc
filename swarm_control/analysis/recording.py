"""The trajectory of a run, kept within memory, and its file."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.npz import write_arrays
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.files import refuse_pipe

LIMIT, INSTANTS = 4_000_000, 50_000
"""Rows (instants times robots), 48 bytes each, and instants that a recorder keeps at most."""

BLOCK = 4096
"""Instants that are moved at once when a recording is thinned."""


@dataclass(frozen=True)
class Trajectory:
    """Where N robots were at T instants, evenly spaced.

    ``time`` (T,) s; ``pose`` (T, N, 3): x, y (m), yaw (rad); ``velocity`` (T, N, 3): vx, vy (m/s), ω (rad/s); both in the world frame.
    ``object_pose`` (T, K, 3): x, y (m), yaw (rad) of passive objects; K is zero where there are none. ``fallen`` (T, N): who lay on the
    ground; None for robots that cannot fall.
    """

    time: Array
    pose: Array
    velocity: Array
    names: tuple[str, ...]
    object_pose: Array = field(default_factory=lambda: np.empty((0, 0, 3)))
    fallen: BoolArray | None = None

    @classmethod
    def load(cls, path: Path) -> "Trajectory":
        """Read a ``trajectory.npz``; ``InputError`` when it is none."""
        refuse_pipe(path)
        try:
            with np.load(path, allow_pickle=False) as data:
                run = cls(data["time"], data["pose"], data["velocity"], tuple(map(str, data["names"])))
                if "object_pose" in data:
                    run = replace(run, object_pose=data["object_pose"])
                    assert run.object_pose.shape == (len(run.time), run.object_pose.shape[1], 3)
                if "fallen" in data:
                    run = replace(run, fallen=data["fallen"])
                    assert run.fallen is not None and run.fallen.shape == run.pose.shape[:2] and run.fallen.dtype == bool
            assert run.pose.shape == run.velocity.shape == (len(run.time), len(run.names), 3)
            return run
        except OSError as error:
            raise InputError(str(path), f"cannot be read ({error.strerror or error}), expected a recorded trajectory") from None
        except Exception:  # whatever a damaged archive makes its reader raise
            raise InputError(str(path), "is damaged, expected a recorded trajectory with time, pose, velocity and names") from None

    def write(self, path: Path) -> None:
        """Write it to ``path``, as :meth:`load` reads it."""
        more: dict[str, Any] = {"object_pose": self.object_pose} if self.object_pose.size else {}
        more |= {} if self.fallen is None else {"fallen": self.fallen}
        write_arrays(path, {"time": self.time, "pose": self.pose, "velocity": self.velocity, "names": np.array(self.names, str), **more})


class TrajectoryRecorder:
    """Records the true state of every tick; once these are more than ``limit`` rows, or :data:`INSTANTS`, of every second, fourth, … .

    Ticks are ``period`` (s) apart; ``ticks_expected`` says for how many of them there is to be room at once. With ``taken`` the memory
    for them is taken now, so that a run in real time does not grow while it lasts, nor run out of it after hours. ``falls``: robots may
    fall, and it is recorded who has.
    """

    def __init__(
        self, names: Sequence[str], ticks_expected: int, period: float, limit: int = LIMIT, *, taken: bool = False, objects: int = 0,
        falls: bool = False,
    ) -> None:  # fmt: skip
        self._names, self._objects, self._falls = tuple(names), objects, falls
        self._most = max(min(limit // max(len(self._names) + objects, 1), INSTANTS), 2)
        self._period = period
        self._stride = 1
        self._ticks = 0
        self._kept = 0
        self._grow(min(ticks_expected, self._most))
        if taken:
            for values in self._kinds():
                values.fill(0.0)

    @property
    def period(self) -> float:
        """Time (s) from one recorded instant to the next."""
        return self._period * self._stride

    def add(self, state: SwarmState, object_pose: Array | None = None) -> None:
        """Record the state of the next tick, and where the objects are (K, 3)."""
        due = self._ticks % self._stride == 0
        if due and self._kept == self._most:
            self._thin()
            due = self._ticks % self._stride == 0
        self._ticks += 1
        if not due:
            return
        if self._kept == len(self._time):
            self._grow(min(max(2 * self._kept, 64), self._most))
        self._time[self._kept], self._pose[self._kept], self._velocity[self._kept] = state.time, state.pose, state.velocity
        if object_pose is not None and self._objects:
            self._object_pose[self._kept] = object_pose
        if self._falls:
            self._fallen[self._kept] = False if state.fallen is None else state.fallen
        self._kept += 1

    def trajectory(self) -> Trajectory:
        """What has been recorded so far; views that the next tick may change."""
        k, fallen = self._kept, self._fallen[: self._kept] if self._falls else None
        return Trajectory(self._time[:k], self._pose[:k], self._velocity[:k], self._names, self._object_pose[:k], fallen)

    def _kinds(self) -> tuple[Any, ...]:
        """Everything that is kept of each instant."""
        return self._time, self._pose, self._velocity, self._object_pose, self._fallen

    def _grow(self, room: int) -> None:
        """Make room for this many instants; memory is used only as they are written."""
        old = self._kinds() if self._kept else None
        n = len(self._names)
        self._time, self._pose, self._velocity = np.empty(room), np.empty((room, n, 3)), np.empty((room, n, 3))
        self._object_pose = np.empty((room, self._objects, 3))
        self._fallen: BoolArray = np.empty((room, n if self._falls else 0), bool)
        if old is not None:
            for now, before in zip(self._kinds(), old):
                now[: self._kept] = before[: self._kept]

    def _thin(self) -> None:
        """Keep every second instant of those recorded, and record half as often from now on."""
        kept = (self._kept + 1) // 2
        for values in self._kinds():
            for begin in range(0, kept, BLOCK):
                end = min(begin + BLOCK, kept)
                values[begin:end] = values[2 * begin : 2 * end : 2]
        self._kept = kept
        self._stride *= 2
