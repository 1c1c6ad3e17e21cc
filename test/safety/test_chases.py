"""Robots of all planar models, each with its own speed and strength, chase one another and turn on who follows them: nobody touches."""

import numpy as np
import pytest

from swarm_control.core.motion import Motion
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.robots import ROBOTS
from swarm_control.safety.command import restrain
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.sim.planar import PlanarEngine

RADIUS, FLOOR = 0.1, 1.2
TURNED = 82, 208, 262, 417, 449
MIXTURES = [("point_mass",), ("omni",), ("differential",), ("car",), ("differential", "point_mass")]


def chase(models, seed, haste=1.0, enabled=True):
    """Contacts in 20 s of 8 to 19 robots that each want to be at, or away from, somebody who changes every few ticks.

    ``haste``: how many times as fast as they can they want to get there.
    """
    rng = np.random.default_rng(seed)
    n, period = int(rng.integers(8, 20)), float(rng.choice([0.05, 0.1, 0.2, 0.3, 0.5]))
    kinds = tuple(models[k % len(models)] for k in range(n))
    top, strength, rate = (rng.uniform(low, high, n) for low, high in ((0.3, 4.0), (0.3, 8.0), (1.0, 8.0)))
    robots = Fleet(tuple(f"robot_{k}" for k in range(n)), kinds, np.full(n, RADIUS), top, strength, rate, np.full(n, 1.6 * RADIUS))
    spots = [(0.35 * (k % 5) - 0.7, 0.35 * (k // 5) - 0.5) for k in range(n)]
    start = SwarmState.of(0.0, np.column_stack((spots, rng.uniform(-np.pi, np.pi, n))), np.zeros((n, 3)))
    steps = round(period / 0.01)
    engine, prey, sign = PlanarEngine(robots, start, None, period / steps), np.arange(n), np.ones(n)
    for _ in range(round(20.0 / period)):
        state, anew = engine.truth(), rng.random(n) < 0.2
        prey[anew], sign[anew] = rng.integers(0, n, anew.sum()), rng.choice([-1.0, 1.0], anew.sum())
        to = sign[:, None] * (state.position[prey] - state.position) + rng.normal(0.0, 0.3, (n, 2))
        to = np.where((np.hypot(*state.position.T) > FLOOR)[:, None], -state.position, to)
        bearing = (np.arctan2(to[:, 1], to[:, 0]) - state.pose[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
        wish = haste * np.column_stack((top * np.cos(bearing), top * np.sin(bearing), 4.0 * bearing))
        made, _ = restrain(state, wish, robots, None, Motion(), SeparationFilter(enabled=enabled), period)
        for _ in range(steps):
            engine.step(Commands(made.twist))
    return int(engine.collisions.sum())


@pytest.mark.parametrize("models", MIXTURES, ids="+".join)
def test_nobody_touches_who_is_chased_or_turns_back(models):
    assert set(models) <= set(ROBOTS)
    assert not [seed for seed in range(6) if chase(models, seed, haste=1.0 + seed % 2)]


def test_who_turns_back_is_not_touched_by_who_went_on_beside():
    """With half-planes of two kinds one that followed went on beside one that turned back."""
    assert [chase(("omni",), seed) for seed in TURNED] == [0] * len(TURNED)


def test_without_the_filter_they_touch():
    assert chase(("differential",), 0, enabled=False) > 20
