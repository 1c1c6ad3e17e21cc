"""What a robot from a file can do, found by commanding it: how fast in every direction, how soon, and within what it stops.

Several robots of the kind are driven at once, far from each other on level ground: for top speeds each is told another speed, for
answers all are told the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, rotate
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.errors import InputError
from swarm_control.robots.from_file.controller import JointDrive
from swarm_control.robots.from_file.machine import Machine
from swarm_control.robots.from_file.model import digest, drive_of, forget, register
from swarm_control.robots.from_file.parameters import Ability, Described
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_control.sim.mujoco.response import respond

NAME = "identified"
DT = 0.01
LEVELS, EACH = 12, 3
"""So many speeds are tried at once, each by so many robots."""
KEPT = 0.8
"""A speed is made when so much of it is."""
LAST = 8.0
"""How long a speed is kept to, s; the second half counts."""
WILD = 20.0
"""How long commands at random go on, s."""
APART = 50.0
"""Distance between robots, m."""
FASTEST_LEG, FASTEST_WHEEL = 1.0, 2.0
"""Speeds that are tried, in √(g·height) for legs; m/s for wheels."""
WAYS = {"forwards": (1.0, 0.0), "backwards": (-1.0, 0.0), "to the left": (0.0, 1.0)}
"""In which directions speeds are tried; the last for robots that do not roll."""


@dataclass(frozen=True)
class SpeedTrial:
    """Speeds ``told`` (L,), m/s or rad/s, what came of each (L,), and whether nobody fell (L,); or shares of both."""

    name: str
    told: Array
    made: Array
    stood: BoolArray

    @property
    def top(self) -> float:
        """The highest speed up to which all are made, as it is made; 0: none is."""
        good = self.stood & (self.made >= KEPT * self.told)
        count = int(np.argmin(good)) if not good.all() else len(good)
        return float(self.made[count - 1]) if count else 0.0

    @property
    def held(self) -> float:
        """The highest speed up to which nobody falls at any; 0: somebody falls at all."""
        count = len(self.stood) if self.stood.all() else int(np.argmin(self.stood))
        return float(self.told[count - 1]) if count else 0.0


def identify(
    described: Described, where: str, seed: int = 0, tell: Callable[[str], None] = lambda line: None
) -> tuple[Ability, list[SpeedTrial]]:
    """Find what robots of a description can do, and the trials that it was found in. ``tell`` is called with what is being done.

    ``InputError`` where they cannot even go slowly.
    """
    moves = register(NAME, described, where)
    try:
        return _identify(described, moves, where, seed, tell)
    finally:
        forget(NAME)


def _identify(
    described: Described, moves: RobotModel, where: str, seed: int, tell: Callable[[str], None]
) -> tuple[Ability, list[SpeedTrial]]:
    machine, drive = drive_of(described, 1, where)
    footprint = described.footprint or _extent(machine, drive)
    fastest = FASTEST_WHEEL if drive.track else FASTEST_LEG * float(np.sqrt(9.81 * drive.height))
    trials = []
    for name, (x, y) in list(WAYS.items())[: 2 if moves.rolls else 3]:
        tell(f"speeds {name}")
        trials.append(_try(name, np.array([x, y, 0.0]), fastest, footprint, drive.track, seed))
    tell("turn rates")
    turn = _try("turning", np.array([0.0, 0.0, 1.0]), 2.0 * fastest / footprint, footprint, drive.track, seed)
    speed = min(trial.top for trial in trials)
    if not speed or not turn.top:
        slow = next(trial for trial in (*trials, turn) if not trial.top)
        raise InputError(where, f"{slow.name}: {slow.made[0]:.2g} of {slow.told[0]:.2g} made; expected a robot that goes where it is told")
    tell("commands at random")
    wild = _wild(speed, turn.top, moves.rolls, footprint, drive.track, seed)
    if not wild.held:
        least = f"{wild.told[0] * speed:.2g} m/s and {wild.told[0] * turn.top:.2g} rad/s"
        raise InputError(where, f"it falls when its commands change, up to {least} already; expected a robot that stays on its feet")
    speed, rate = wild.held * speed, wild.held * turn.top
    found = Ability(
        footprint=_up(footprint), max_speed=_down(speed), max_turn_rate=_down(rate), track=_up(drive.track) if drive.track else 0.0
    )
    tell("answers to a step")
    start = respond(_engine(6, found.footprint, found.track, seed), "speed", 0.0, found.max_speed, 6.0, np.zeros(3), settle=1.0)
    stop = respond(_engine(6, found.footprint, found.track, seed), "speed", found.max_speed, 0.0, 6.0, np.zeros(3), settle=4.0)
    if not np.isfinite([start.delay, start.rise, stop.delay, stop.rise]).all():
        raise InputError(where, "its speed never settles at what it is told; expected a robot that goes as it is told")
    rise = max(start.rise / 0.8, 0.5 * (start.delay + start.rise), DT)  # two tenths are not in it; some are there at once
    found = replace(
        found, max_acceleration=_down(found.max_speed / rise), reaction=_up(max(start.delay, stop.delay)),
        braking=_down(0.8 * found.max_speed / max(stop.rise, DT)), found_for=digest(described),
    )  # fmt: skip
    return found, [*trials, turn, wild]


def _try(name: str, way: Array, fastest: float, footprint: float, track: float, seed: int) -> SpeedTrial:
    """Tell robots all speeds up to the ``fastest`` along the twist ``way`` (3,), and look how fast each is."""
    told = np.repeat(fastest * np.arange(1.0, LEVELS + 1) / LEVELS, EACH)
    engine = _engine(len(told), footprint, track, seed)
    twist, steps = told[:, None] * way, round(LAST / DT)
    total = np.zeros(len(told))
    for step in range(steps):
        engine.step(Commands(twist))
        if step >= steps // 2:
            truth = engine.truth()
            own = np.column_stack((rotate(truth.velocity[:, :2], -truth.pose[:, 2]), truth.velocity[:, 2]))
            total += own @ way / (steps - steps // 2)
    shape = (LEVELS, EACH)
    stood = np.asarray(~engine.fallen.reshape(shape).any(axis=1))
    return SpeedTrial(name, told.reshape(shape)[:, 0], total.reshape(shape).mean(axis=1), stood)


def _wild(speed: float, rate: float, rolls: bool, footprint: float, track: float, seed: int) -> SpeedTrial:
    """Tell robots twists at random, new ones twice a second, up to shares of ``speed`` and ``rate``: the shares, and who still stands."""
    share = np.repeat(np.arange(1.0, LEVELS + 1) / LEVELS, EACH)
    engine, rng, n = _engine(len(share), footprint, track, seed), np.random.default_rng(seed), len(share)
    for _ in range(round(2.0 * WILD)):
        course = np.pi * (rng.integers(0, 2, n) if rolls else rng.uniform(-1.0, 1.0, n))
        fast = speed * np.sqrt(rng.uniform(0.0, 1.0, n))
        twist = share[:, None] * np.column_stack((fast * np.cos(course), fast * np.sin(course), rate * rng.uniform(-1.0, 1.0, n)))
        for _ in range(round(0.5 / DT)):
            engine.step(Commands(twist))
    stood = np.asarray(~engine.fallen.reshape(LEVELS, EACH).any(axis=1))
    return SpeedTrial("at random", share[::EACH], np.where(stood, share[::EACH], 0.0), stood)


def _engine(n: int, footprint: float, track: float, seed: int) -> HerdEngine:
    """``n`` of the robots in a row on level ground."""
    column = {"radius": footprint, "max_speed": 100.0, "max_acceleration": 1e3, "max_turn_rate": 100.0, "wheel_base": track or 0.06}
    fleet = Fleet(tuple(f"robot_{k}" for k in range(n)), (NAME,) * n, *(np.full(n, column[name]) for name in column))
    pose = np.column_stack((np.zeros(n), APART * np.arange(n), np.zeros(n)))
    return HerdEngine(fleet, SwarmState.of(0.0, pose, np.zeros((n, 3))), None, DT, Bodies(), seed)


def _extent(machine: Machine, drive: JointDrive) -> float:
    """Radius (m) of the disc around its place that holds all that collides, as the robot stands."""
    import mujoco

    model, data = machine.model, mujoco.MjData(machine.model)
    free = int(np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)[0])
    data.qpos[:] = model.qpos0
    data.qpos[machine.angles] = drive.posture
    mujoco.mj_kinematics(model, data)
    body = int(model.jnt_bodyid[free])
    base = data.xpos[body] + data.xmat[body].reshape(3, 3) @ [*drive.middle, 0.0]
    reach = [
        np.hypot(*(data.geom_xpos[k] - base)[:2]) + min(float(model.geom_rbound[k]), _flat(model, data, k))
        for one in range(1, model.nbody) for k in machine.shapes(one)
    ]  # fmt: skip
    return float(max(reach))


def _flat(model: Any, data: Any, geom: int) -> float:
    """Radius (m) of the vertical cylinder around a shape's middle that holds its bounding box."""
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    corners = centre + half * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    turn = data.geom_xmat[geom].reshape(3, 3)
    return float(np.hypot(*(corners @ turn.T)[:, :2].T).max())


def _down(value: float) -> float:
    """Two digits, rather less: what is promised is kept."""
    scale = 10.0 ** (np.floor(np.log10(value)) - 1.0)
    return float(f"{np.floor(value / scale) * scale:.6g}")


def _up(value: float) -> float:
    """Two digits, rather more."""
    scale = 10.0 ** (np.floor(np.log10(max(value, 1e-3))) - 1.0)
    return float(f"{np.ceil(value / scale - 1e-9) * scale:.6g}")

