"""Fleets and starts for the tests of the engine."""

import numpy as np

from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.robots import ROBOTS
from swarm_control.sim.planar import PlanarEngine

PLANAR = sorted(name for name, model in ROBOTS.items() if model.actuate)


def fleet(model="omni", radius=0.1, max_speed=1.0, max_acceleration=4.0, max_turn_rate=6.0, wheel_base=0.1, n=1) -> Fleet:
    models = (model,) * n if isinstance(model, str) else tuple(model)

    def column(value):
        return np.broadcast_to(np.asarray(value, float), len(models)).copy()

    names = tuple(f"robot_{k}" for k in range(len(models)))
    return Fleet(
        names, models, column(radius), column(max_speed), column(max_acceleration), column(max_turn_rate), column(wheel_base)
    )  # fmt: skip


def at(*pose, velocity=None) -> SwarmState:
    poses = np.array(pose, float).reshape(-1, 3)
    return SwarmState.of(0.0, poses, np.zeros_like(poses) if velocity is None else np.array(velocity, float).reshape(-1, 3))


def drive(engine: PlanarEngine, twist, steps: int = 1) -> SwarmState:
    commands = Commands(np.array(twist, float).reshape(-1, 3))
    for _ in range(steps):
        engine.step(commands)
    return engine.truth()


def random_swarm(seed: int, walls: bool) -> tuple[Fleet, SwarmState, Grid | None, np.random.Generator]:
    """Robots of all kinds and sizes, crowded but apart, at any speed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    models = rng.choice(PLANAR, n)
    team = fleet(models, rng.uniform(0.02, 0.2, n), rng.uniform(0.2, 5.0, n), rng.uniform(0.5, 100.0, n))
    grid = Grid(rng.random((20, 20)) < 0.06, (-1.0, -1.0), float(rng.uniform(0.05, 0.15))) if walls else None
    room = None if grid is None else WallDistance(grid)
    kept: list[np.ndarray] = []
    while len(kept) < n:
        place = rng.uniform(-1.0, 1.0 + 0.02 * len(kept), 2)
        radius = team.radius[len(kept)]
        apart = all(np.hypot(*(place - other)) > radius + team.radius[k] for k, other in enumerate(kept))
        if apart and (room is None or room.distance(place[None])[0] > radius):
            kept.append(place)
        elif rng.random() < 0.01:
            kept.append(place + 10.0 * (1 + len(kept)))
    speed = rng.uniform(0.0, team.max_speed)
    yaw, course = rng.uniform(-np.pi, np.pi, (2, n))
    velocity = np.column_stack((speed * np.cos(course), speed * np.sin(course), np.zeros(n)))
    return team, SwarmState.of(0.0, np.column_stack((kept, yaw)), velocity), grid, rng


def random_twist(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(0.0, 1.0, (n, 3)) * rng.choice([0.1, 1.0, 10.0], (n, 1))
