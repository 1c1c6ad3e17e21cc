"""Watching insects walk: a herd of hexapods alone, told how to move, with a record of what legs do. For calibration and experiments."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.gait.oscillators import NONE
from swarm_control.gait.reflexes import Thresholds, calibrate
from swarm_control.robots.hexapod.mujoco import Hexapods
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine

APART = 0.08
"""Distance (m) between insects side by side."""
TICK = 0.002
"""Time (s) between rows of a record."""
SPEEDS = (0.01, 0.02, 0.035, 0.055)
"""Of the walk by which reflexes are calibrated, m/s."""


SERIES = ("time", "pose", "velocity", "height", "upright", "stepping", "foot", "load", "felt", "stretched", "frequency", "energy")
"""Fields of a walk that have a row for every instant."""


@dataclass(frozen=True)
class Walk:
    """What R insects of L legs did, at T instants.

    ``time`` (T,) s; ``pose`` (T, R, 3) m, m, rad and ``velocity`` (T, R, 3) m/s, rad/s, world frame; ``height`` (T, R) cm and ``upright``
    (T, R), height of the tip of the body's unit vertical; ``stepping`` (T, R, L); ``foot`` (T, R, L, 3) cm, world frame, zero for lost
    legs; ``load`` (T, R, L) dyn, and as ``felt`` (T, R, L) by the feet; ``stretched`` (T, R, L) rad; ``frequency`` (T, R) Hz;
    ``energy`` (T, R) J: work of the muscles so far; ``fired`` (R, 3): how often the step, load and elevator reflex acted; ``fallen`` (R,).
    """

    time: Array
    pose: Array
    velocity: Array
    height: Array
    upright: Array
    stepping: BoolArray
    foot: Array
    load: Array
    felt: Array
    stretched: Array
    frequency: Array
    energy: Array
    fired: Array
    fallen: BoolArray

    def after(self, seconds: float) -> "Walk":
        """The record from ``seconds`` after its beginning."""
        rows = self.time >= self.time[0] + seconds - 1e-9
        return replace(self, **{name: getattr(self, name)[rows] for name in SERIES})

    @property
    def speed(self) -> Array:
        """Distance from beginning to end per time (R,), m/s."""
        way = self.pose[-1, :, :2] - self.pose[0, :, :2]
        return np.asarray(np.hypot(way[:, 0], way[:, 1]) / (self.time[-1] - self.time[0]))

    @property
    def turn_rate(self) -> Array:
        """Mean turn rate (R,), rad/s."""
        yaw = np.unwrap(self.pose[:, :, 2], axis=0)
        return np.asarray((yaw[-1] - yaw[0]) / (self.time[-1] - self.time[0]))


class Insects:
    """``count`` hexapods side by side on the ground of ``bodies``, and nothing else; ``kind`` are they, ``engine`` moves them.

    ``model`` and ``data`` are MuJoCo's, in which they are.
    """

    def __init__(self, bodies: Bodies, count: int = 1, seed: int = 0, heading: float = 0.0, tick: float = TICK) -> None:
        ones = np.ones(count)
        names = tuple(f"insect_{k}" for k in range(count))
        fleet = Fleet(names, ("hexapod",) * count, 0.02 * ones, 0.1 * ones, ones, 10.0 * ones, 0.024 * ones)
        across = APART * (np.arange(count) - 0.5 * (count - 1))
        pose = np.column_stack((-np.sin(heading) * across, np.cos(heading) * across, np.full(count, heading)))
        self.engine = HerdEngine(fleet, SwarmState.of(0.0, pose, np.zeros((count, 3))), None, tick, bodies, seed, pieces=1)
        shard = self.engine.shards[0]
        self.model, self.data, self.kind = shard.model, shard.data, cast(Hexapods, shard.kind)

    def walk(self, twist: Any, duration: float, course: float = 0.0) -> Walk:
        """Let ``duration`` s pass under the command ``twist`` (3,) or (R, 3): m/s, m/s, rad/s.

        With ``course`` (1/s) the robots are told to keep to the heading 0 as well, by so much turn rate per angle.
        """
        told = np.broadcast_to(np.asarray(twist, float), (len(self.kind.names), 3))
        rows = []
        for _ in range(max(round(duration / self.engine.dt), 1)):
            off = self.kind.pose(self.data)[:, 2:] * (0.0, 0.0, course)
            self.engine.step(Commands(told - off))
            rows.append(self._row())
        series = dict(zip(SERIES, (np.array(column) for column in zip(*rows))))
        return Walk(**series, fired=self.kind.memory.fired.copy(), fallen=self.engine.fallen)

    def _row(self) -> tuple[Any, ...]:
        kind, data, memory = self.kind, self.data, self.kind.memory
        truth = self.engine.truth()
        foot = np.zeros_like(kind.felt.place)
        foot[:, kind.alive] = data.site_xpos[kind.tips]
        turned = data.qpos[kind.roots[:, None] + np.arange(3, 7)]
        return (
            truth.time, truth.pose, truth.velocity, data.qpos[kind.roots + 2].copy(), 1.0 - 2.0 * (turned[:, 1] ** 2 + turned[:, 2] ** 2),
            memory.step != NONE, foot, kind.loads(data), kind.felt.load.copy(), memory.stretched.copy(), memory.frequency.copy(),
            self.engine.energy,
        )  # fmt: skip


def with_hexapod(bodies: Bodies, **changes: Any) -> Bodies:
    """The bodies with changes to the hexapod's parameters, as in ``gait__frequency=8.0``."""
    made = bodies.hexapod
    for path, value in changes.items():
        group, _, name = path.partition("__")
        made = replace(made, **{group: replace(getattr(made, group), **{name: value}) if name else value})
    return replace(bodies, **{"hexapod": made})


def watch(bodies: Bodies, speeds: tuple[float, ...] = SPEEDS, seed: int = 0, duration: float = 3.0, margin: float = 0.5) -> Thresholds:
    """Calibrate reflexes by watching undisturbed walks on the ground of ``bodies``, one at each of ``speeds`` (m/s), reflexes off."""
    insects = Insects(with_hexapod(bodies, reflexes__enabled=False), len(speeds), seed)
    seen = insects.walk(np.array([[speed, 0.0, 0.0] for speed in speeds]), duration).after(1.0)
    legs = seen.load.shape[2]
    stepping = np.swapaxes(seen.stepping, 0, 1).reshape(-1, legs)
    stretched, load = (np.swapaxes(values, 0, 1).reshape(-1, legs) for values in (seen.stretched, seen.felt))
    return calibrate(stretched, load, stepping, margin)
