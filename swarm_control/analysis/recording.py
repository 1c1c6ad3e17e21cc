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
from swarm_control.sim.engine import BodyReadings

LIMIT, INSTANTS = 4_000_000, 50_000
"""Rows (instants times robots), 48 bytes each, and instants that a recorder keeps at most."""

BLOCK = 4096
"""Instants that are moved at once when a recording is thinned."""


@dataclass(frozen=True)
class Trajectory:
    """Where N robots were at T instants, evenly spaced.

    ``time`` (T,) s; ``pose`` (T, N, 3): x, y (m), yaw (rad); ``velocity`` (T, N, 3): vx, vy (m/s), ω (rad/s); both in the world frame.
    ``object_pose`` (T, K, 3): x, y (m), yaw (rad) of passive objects; K is zero where there are none. ``fallen`` (T, N): who lay on the
    ground, ``touching`` (T, N): whose body touched another's or a wall; None for robots that cannot fall. ``joint`` (T, N, J): angles
    (rad) and lengths (m, of insects cm) of the robots' joints, named ``joint_names`` (N, J); no number and no name where a robot has
    fewer, J is zero where nobody asked for them.
    """

    time: Array
    pose: Array
    velocity: Array
    names: tuple[str, ...]
    object_pose: Array = field(default_factory=lambda: np.empty((0, 0, 3)))
    fallen: BoolArray | None = None
    touching: BoolArray | None = None
    joint: Array = field(default_factory=lambda: np.empty((0, 0, 0)))
    joint_names: tuple[tuple[str, ...], ...] = ()

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
                for name in ("fallen", "touching"):
                    if name in data:
                        assert data[name].shape == run.pose.shape[:2] and data[name].dtype == bool
                        run = replace(run, **{name: data[name]})
                if "joint" in data:
                    run = replace(run, joint=data["joint"], joint_names=tuple(tuple(map(str, row)) for row in data["joint_names"]))
                    assert run.joint.shape == (*run.pose.shape[:2], len(run.joint_names[0])) and len(run.joint_names) == len(run.names)
            assert run.pose.shape == run.velocity.shape == (len(run.time), len(run.names), 3)
            return run
        except OSError as error:
            raise InputError(str(path), f"cannot be read ({error.strerror or error}), expected a recorded trajectory") from None
        except Exception:  # whatever a damaged archive makes its reader raise
            raise InputError(str(path), "is damaged, expected a recorded trajectory with time, pose, velocity and names") from None

    def write(self, path: Path) -> None:
        """Write it to ``path``, as :meth:`load` reads it."""
        more: dict[str, Any] = {"object_pose": self.object_pose} if self.object_pose.size else {}
        more |= {name: value for name, value in (("fallen", self.fallen), ("touching", self.touching)) if value is not None}
        more |= {"joint": self.joint, "joint_names": np.array(self.joint_names, str)} if self.joint.size else {}
        write_arrays(path, {"time": self.time, "pose": self.pose, "velocity": self.velocity, "names": np.array(self.names, str), **more})


class TrajectoryRecorder:
    """Records the true state of every tick; once these are more than ``limit`` rows, or :data:`INSTANTS`, of every second, fourth, … .

    Ticks are ``period`` (s) apart; ``ticks_expected`` says for how many of them there is to be room at once. With ``taken`` the memory
    for them is taken now, so that a run in real time does not grow while it lasts, nor run out of it after hours. ``objects``: how many
    there are; ``falls``: robots may fall, and it is recorded who has; ``bodies``: whose touches are recorded and, with ``joints``, joints.
    """

    def __init__(
        self, names: Sequence[str], ticks_expected: int, period: float, limit: int = LIMIT, *, taken: bool = False, objects: int = 0,
        falls: bool = False, bodies: BodyReadings | None = None, joints: bool = False,
    ) -> None:  # fmt: skip
        self._names, self._bodies, n = tuple(names), bodies, len(names)
        self._joints = bodies.joint_names if bodies is not None and joints else ()
        each = len(self._joints[0]) if self._joints else 0
        self._shape: dict[str, tuple[tuple[int, ...], type]] = {
            "time": ((), float), "pose": ((n, 3), float), "velocity": ((n, 3), float), "object_pose": ((objects, 3), float),
            **({"fallen": ((n,), bool)} if falls else {}), **({"touching": ((n,), bool)} if bodies is not None else {}),
            **({"joint": ((n, each), float)} if each else {}),
        }  # fmt: skip
        self._most = max(min(limit // max(n + objects + n * each // 6, 1), INSTANTS), 2)
        self._period = period
        self._stride = 1
        self._ticks = 0
        self._kept = 0
        self._columns: dict[str, Any] = {}
        self._grow(min(ticks_expected, self._most))
        if taken:
            for values in self._columns.values():
                values.fill(0)

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
        if self._kept == len(self._columns["time"]):
            self._grow(min(max(2 * self._kept, 64), self._most))
        known = {
            "time": state.time, "pose": state.pose, "velocity": state.velocity, "fallen": state.fallen, "object_pose": object_pose,
            "touching": self._bodies and self._bodies.touching, "joint": self._bodies.joints if self._bodies and self._joints else None,
        }  # fmt: skip
        for name, values in self._columns.items():
            values[self._kept] = 0 if known[name] is None else known[name]
        self._kept += 1

    def trajectory(self) -> Trajectory:
        """What has been recorded so far; views that the next tick may change."""
        kept = {name: values[: self._kept] for name, values in self._columns.items()}
        return Trajectory(names=self._names, joint_names=self._joints, **kept)

    def _grow(self, room: int) -> None:
        """Make room for this many instants; memory is used only as they are written."""
        old, self._columns = self._columns, {name: np.empty((room, *shape), kind) for name, (shape, kind) in self._shape.items()}
        for name, values in old.items():
            self._columns[name][: self._kept] = values[: self._kept]

    def _thin(self) -> None:
        """Keep every second instant of those recorded, and record half as often from now on."""
        kept = (self._kept + 1) // 2
        for values in self._columns.values():
            for begin in range(0, kept, BLOCK):
                end = min(begin + BLOCK, kept)
                values[begin:end] = values[2 * begin : 2 * end : 2]
        self._kept = kept
        self._stride *= 2
