"""One-legged robots on rough and slippery ground, and with weak motors: what Brogan & Hodgins leave open (§7)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.robots.hopper.body_parameters import Hopper
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine

from . import PAGE

ROBOTS, APART, DT = 6, 3.0, 0.01
"""Robots of a run, side by side so far apart (m); time step of the commands (s)."""
SPEED, FASTER = 1.5, 2.0
"""Speeds wished on bad ground and with weak motors, m/s."""
PUSH = 1.0
"""Velocity that a push gives, m/s."""
ROUGHNESS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)
FRICTION = (0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
TORQUE = (2.0, 4.0, 6.0, 8.0, 12.0, 20.0, 0.0)
"""Bounds of the hip's motors, N·m; 0: none."""
THRUST = (50.0, 75.0, 100.0, 150.0, 200.0, 0.0)
"""Bounds of the leg's motor, N; 0: none."""


@dataclass(frozen=True)
class Ride:
    """A run of :data:`ROBOTS` robots: bodies, wished ``speed`` (m/s), ``duration`` (s), ``seed``, a sideways ``push`` (m/s) half-way."""

    bodies: Bodies
    speed: float
    duration: float
    seed: Seed
    push: float = 0.0


@dataclass(frozen=True)
class Ridden:
    """How many of a run's robots stayed on their leg, and their mean speed (m/s) in the second half; NaN when all fell."""

    stood: int
    speed: float


@experiment("herd_ground", "one-legged robots on rough and slippery ground", PAGE)
def ground(lab: Lab) -> Finding:
    """Ride over all kinds of ground."""
    seeds, rough, duration = lab.seeds(quick=1), ROUGHNESS[::3] if lab.quick else ROUGHNESS, 10.0 if lab.quick else 20.0
    places = [(height, friction) for height in rough for friction in FRICTION]
    stood, speed = _summary(lab.map(ride, [Ride(_ground(*place), SPEED, duration, seed) for place in places for seed in seeds]), seeds)
    grid = stood.reshape(len(rough), len(FRICTION))
    firm = np.array([height <= 0.1 and friction >= 0.3 for height, friction in places])
    return Finding(
        "One-legged robots on rough and slippery ground",
        "The ground is level and does not slip; the paper names the rest as open.",
        ("still on their leg (%), mean speed (m/s)", *(f"friction {friction:g}" for friction in FRICTION)),
        tuple(
            (f"roughness {height:g} m", *(_cell(stood[k], speed[k]) for k in range(row * len(FRICTION), (row + 1) * len(FRICTION))))
            for row, height in enumerate(rough)
        ),
        {
            f"up to a roughness of 0.1 m, from a friction of 0.3 on, nobody falls in {duration:g} s": bool((stood[firm] == 1.0).all()),
            "their speed there is within 5 % of the wished": bool((np.abs(speed[firm] / SPEED - 1.0) < 0.05).all()),
            "on ice (0.1) all fall": bool((grid[:, 0] == 0.0).all()),
        },
        (Curves("level, rough, slippery", "friction", "still on their leg (%)", {
            f"roughness {height:g} m": (np.array(FRICTION), 100.0 * line, None) for height, line in zip(rough, grid)}),),
        {f"stood_{height:g}_{friction:g}": float(share) for (height, friction), share in zip(places, stood)},
        f"{ROBOTS} robots, {len(seeds)} seeds each, at {SPEED:g} m/s on the same gains everywhere. Roughness: from the lowest valley to "
        "the highest hill of smooth noise whose hills are a metre apart. The control knows the friction only where the foot turns on it.",
    )  # fmt: skip


@experiment("herd_motors", "one-legged robots whose motors are bounded", PAGE)
def motors(lab: Lab) -> Finding:
    """Ride with bounded motors, and be pushed."""
    seeds, duration = lab.seeds(quick=1), 10.0
    bounds = [("hip_torque", value) for value in TORQUE] + [("thrust_force", value) for value in THRUST]
    stood, speed = _summary(lab.map(ride, [Ride(_motor(*b), FASTER, duration, seed, PUSH) for b in bounds for seed in seeds]), seeds)
    enough = {"hip_torque": 12.0, "thrust_force": 150.0}
    words = {"hip_torque": ("each motor of the hip", "N·m"), "thrust_force": ("the leg's motor", "N")}
    return Finding(
        "One-legged robots with bounded motors",
        "The motors have no bounds; the paper names this as open.",
        ("bound", "still on their leg (%), mean speed (m/s)"),
        tuple(
            (f"{words[name][0]}: {f'{value:g} {words[name][1]}' if value else 'none'}", _cell(*found))
            for (name, value), found in zip(bounds, zip(stood, speed))
        ),
        {
            f"nobody falls with {limit:g} {words[motor][1]} and more of {words[motor][0]}": all(
                share == 1.0 for (name, value), share in zip(bounds, stood) if name == motor and (value >= limit or value == 0.0)
            )
            for motor, limit in enough.items()
        },
        tuple(
            Curves(words[motor][0], f"bound ({words[motor][1]})", "still on their leg (%)", {
                f"pushed at {FASTER:g} m/s": (np.array(values[:-1]), 100.0 * stood[[b[0] == motor and b[1] > 0.0 for b in bounds]], None)})
            for motor, values in (("hip_torque", TORQUE), ("thrust_force", THRUST))
        ),
        {f"stood_{name}_{value:g}": float(share) for (name, value), share in zip(bounds, stood)},
        f"{ROBOTS} robots, {len(seeds)} seeds each, {duration:g} s at {FASTER:g} m/s on level ground, with a push of {PUSH:g} m/s to the "
        "side half-way. The leg's motor adds to its spring.",
    )  # fmt: skip


def ride(job: Ride) -> Ridden:
    """Let the robots go along x."""
    k = np.arange(ROBOTS)
    fleet = Fleet(tuple(f"robot_{i}" for i in k), ("hopper",) * ROBOTS, *(np.full(ROBOTS, v) for v in (0.3, 2.5, 10.0, 2.0, 0.1)))
    pose = np.column_stack((np.zeros(ROBOTS), APART * (k - 0.5 * (ROBOTS - 1)), np.zeros(ROBOTS)))
    going = np.tile((job.speed, 0.0, 0.0), (ROBOTS, 1))
    engine = HerdEngine(fleet, SwarmState.of(0.0, pose, going), None, DT, job.bodies, job.seed)
    steps, late = round(job.duration / DT), []
    for step in range(steps):
        if step == steps // 2:
            engine.push(np.tile((0.0, job.push, 0.0), (ROBOTS, 1)))
        engine.step(Commands(going))
        if step >= steps // 2:
            late.append(engine.truth().velocity[:, 0])
    stood = ~engine.fallen
    return Ridden(int(stood.sum()), float(np.mean(np.array(late)[:, stood])) if stood.any() else float("nan"))


def _ground(roughness: float, friction: float) -> Bodies:
    bodies = Bodies()
    return replace(bodies, terrain=replace(bodies.terrain, roughness=roughness, friction=friction, extent=80.0))


def _motor(name: str, bound: float) -> Bodies:
    bodies = Bodies()
    return replace(bodies, **{"hopper": Hopper(**{name: bound})})  # type: ignore[arg-type]


def _summary(found: list[Ridden], seeds: Sequence[Seed]) -> tuple[Array, Array]:
    """Share of robots that stood and their mean speed (NaN: there are none), for each case."""
    stood = np.array([one.stood for one in found], float).reshape(-1, len(seeds))
    total = np.array([one.stood * one.speed if one.stood else 0.0 for one in found]).reshape(-1, len(seeds)).sum(axis=1)
    standing = stood.sum(axis=1)
    speed = np.where(standing > 0.0, total / np.maximum(standing, 1.0), np.nan)
    return stood.mean(axis=1) / ROBOTS, speed


def _cell(share: float, speed: float) -> str:
    return f"{100.0 * share:.0f}, {speed:.2f}" if share > 0.0 else "0"
