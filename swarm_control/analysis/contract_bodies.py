"""What robots that MuJoCo moves must keep to: they stand or ride, obey a velocity roughly, and are held by the fence."""

import numpy as np

from swarm_control.analysis.contract_engine import polygon_around, wild
from swarm_control.core.geometry import Array, norm
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.safety.fence import clearance, keep_inside
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.herd import HerdEngine

DT, PERIOD, HORIZON = 0.01, 0.05, 0.2
SETTLE, RUN = 1.0, 2.0
SHARE = 0.6
"""The speed that is tried, of the top speed."""


def check_body(model: RobotModel, fleet: Fleet, seed: int) -> None:
    """A robot of the ``fleet`` starts, stands if it can, and goes about as fast as it is told; it does not fall.

    A command that is not finite does not spoil the simulation.
    """
    few = fleet.take(np.arange(min(len(fleet), 1)))
    speed = SHARE * float(few.max_speed.min())
    engine, _ = start(few, 0.0 if model.stops else speed, seed)
    told = np.tile((0.0 if model.stops else speed, 0.0, 0.0), (len(few), 1))
    _go(engine, told, SETTLE)
    _go(engine, np.full_like(told, np.nan), PERIOD)
    told[:, 0] = speed
    _go(engine, told, SETTLE)
    before = engine.truth().position
    _go(engine, told, RUN)
    way = norm(engine.truth().position - before)
    assert not engine.fallen.any(), f"{model.name}: robots fall in {2 * SETTLE + RUN:g} s on level ground, expected none to"
    found = f"{way.min():.3g} to {way.max():.3g} m found"
    well = (way > 0.5 * speed * RUN).all() and (way < 1.5 * speed * RUN).all()
    assert well, f"{model.name}: told to go {speed * RUN:.3g} m in {RUN:g} s; {found}, expected half to one and a half of it"


def check_fenced_body(model: RobotModel, fleet: Fleet, seed: int, duration: float = 10.0, margin: float = 0.05) -> Array:
    """Robots that drive anyhow, far from each other, each within the same polygon about its start, do not leave it.

    Some commands are the last for as long as they are obeyed. Returns the least room (N,) m between footprint and polygon.
    """
    rng, n = np.random.default_rng(seed), len(fleet)
    engine, home = start(fleet, 0.0, seed)
    corners = polygon_around(rng, float((6.0 * fleet.radius + 0.5 * fleet.max_speed).max()))
    room, wish = np.full(n, np.inf), wild(rng, fleet)
    while engine.time < duration:
        truth = engine.truth()
        pose = np.column_stack((truth.position - home, truth.pose[:, 2]))
        change = rng.random(n) < 0.03
        wish[change] = wild(rng, fleet)[change]
        twist, _ = keep_inside(wish, pose, truth.velocity, fleet, corners, margin, HORIZON)
        for _ in range(round((HORIZON if rng.random() < 0.05 else PERIOD) / DT)):
            engine.step(Commands(twist))
            room = np.minimum(room, clearance(corners, engine.truth().position - home) - fleet.radius)
    assert (room >= 0.0).all(), f"{model.name}: a footprint leaves the fence by {-room.min():.3g} m, expected none to"
    return room


def start(fleet: Fleet, speed: float, seed: int) -> tuple[HerdEngine, Array]:
    """Robots of a fleet in MuJoCo, far from each other; where (N, 2) m each begins."""
    n, space = len(fleet), 40.0 * float((fleet.radius + fleet.max_speed).max())
    home = space * np.column_stack((np.arange(float(n)), np.zeros(n)))
    heading = np.random.default_rng(seed).uniform(-np.pi, np.pi, n)
    velocity = np.column_stack((speed * np.cos(heading), speed * np.sin(heading), np.zeros(n)))
    begin = SwarmState.of(0.0, np.column_stack((home, heading)), velocity)
    return HerdEngine(fleet, begin, None, DT, Bodies(), seed), home


def _go(engine: HerdEngine, twist: Array, duration: float) -> None:
    for _ in range(round(duration / DT)):
        engine.step(Commands(twist))
