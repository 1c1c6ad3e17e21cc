"""Nothing changes unnoticed where robots are estimated to be: drawn streams of odometry are estimated as they were.

Odometry is late by a time of each robot's own, lost, noisy or silent for a while; some robots are held, or their commands unknown.
``drawn_estimates.json`` keeps what estimates come to; where a change is meant,
``PYTHONPATH=test/support python test/core/test_drawn_estimates.py`` writes it anew.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from kept_numbers import short, write

import swarm_control.robots  # noqa: F401 - registers the models
from swarm_control.core.estimation import EXACT, Estimation, Noise
from swarm_control.core.geometry import rotate
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.core.state_estimator import StateEstimator
from swarm_control.sim.planar import PlanarEngine

FILE = Path(__file__).with_name("drawn_estimates.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
DRAWS, N, TICKS, PERIOD = 40, 6, 60, 0.05
NUDGE, MAGNIFIED = 1e-13, 1e-9
AWAY = 20.0 * np.arange(N)
"""Where robots start (m): nobody meets."""


def true_states(rng, fleet):
    """How robots far from one another move that are told something new now and then, and what they are told; one is held for a while."""
    pose = np.column_stack((AWAY, rng.normal(0.0, 1.0, N), rng.uniform(-np.pi, np.pi, N)))
    engine = PlanarEngine(fleet, SwarmState.of(0.0, pose, np.zeros((N, 3))), None, PERIOD)
    states, told, twist = [engine.truth()], [], np.zeros((N, 3))
    held, begin = rng.integers(N), rng.integers(TICKS)
    for tick in range(TICKS):
        twist = np.where(rng.random((N, 1)) < 0.15, rng.uniform(-1.0, 1.0, (N, 3)), twist)
        told.append(twist.copy())
        obeyed = twist.copy()
        if begin <= tick < begin + 15:
            obeyed[held] = 0.0
        engine.step(Commands(obeyed))
        states.append(engine.truth())
    return states, told


def estimated(draw, nudge=0.0):
    """Sums of estimates, of what is presumed, doubted and left of the noise, in which each robot has another weight."""
    rng = np.random.default_rng([41, draw])
    models = tuple(rng.choice(("omni", "differential", "car"), N))
    low, high = np.array([[0.05, 0.3, 0.5, 1.0, 0.1], [0.1, 1.5, 3.0, 4.0, 0.2]])
    fleet = Fleet(tuple(f"robot_{k}" for k in range(N)), models, *rng.uniform(low, high, (N, 5)).T)
    states, told = true_states(rng, fleet)
    noise = Noise(rng.uniform(0.002, 0.05), rng.uniform(0.0, 0.05), rng.uniform(0.0, 0.05)) if rng.random() < 0.6 else EXACT
    delay = rng.choice((-1.0, 0.0, rng.uniform(0.02, 0.2)))
    params = Estimation(True, rng.choice((1.0, rng.uniform(0.1, 0.9))), delay, rng.uniform(0.02, 0.2), rng.uniform(3.0, 20.0))
    estimator, weight, sums = StateEstimator(fleet, PERIOD), np.cos(np.arange(N)), []
    late, lost = rng.integers(0, 7, N) * rng.integers(0, 2, N) * (draw % 4 > 0), rng.choice((0.0, 0.3))
    silent, unknown = rng.integers(0, TICKS, N), rng.integers(0, 2 * TICKS, N)
    stamp, pose, velocity = np.zeros(N), states[0].pose, states[0].velocity
    if rng.random() < 0.3:
        estimator.deviation = rng.uniform(0.0, 0.03, (N, 2))
    small = nudge * np.random.default_rng(0).uniform(-1.0, 1.0, (N, 3))
    for tick, now in enumerate(states[:-1]):
        then = [states[max(tick - back, 0)] for back in late]
        comes = rng.random(N) >= lost
        scatter = rng.normal(size=(N, 3)) * [noise.position, noise.position, noise.heading]
        measured = np.array([state.pose[k] for k, state in enumerate(then)]) + scatter + small
        moving = np.array([[*rotate(state.velocity[k, :2], scatter[k, 2]), state.velocity[k, 2]] for k, state in enumerate(then)])
        pose, velocity = np.where(comes[:, None], measured, pose), np.where(comes[:, None], moving, velocity)
        stamp = np.where(comes, [state.time for state in then], stamp)
        valid = ~((silent <= tick) & (tick < silent + 8))
        found = estimator(SwarmState.of(now.time, pose, velocity, valid), stamp, params, noise)
        doubt = estimator.doubt(0.08, noise.velocity, noise.heading)
        twist = np.where(((unknown <= tick) & (tick < unknown + 10))[:, None], np.nan, told[tick])
        estimator.note_commands(now.time, twist)
        if tick % 10 == 9:
            left = np.zeros(N) if estimator.left is None else estimator.left
            poses = [state.pose - np.column_stack((AWAY, np.zeros((N, 2)))) for state in (found, estimator.presumed)]
            sums += list(weight @ np.column_stack((*poses, found.velocity, doubt, left)))
    return sums


@pytest.mark.parametrize("draw", KNOWN)
def test_robots_are_estimated_to_be_where_they_were(draw):
    assert estimated(int(draw)) == pytest.approx(KNOWN[draw], rel=1e-7, abs=1e-8)


def steady(draw):
    """Whether a tiny change of what is measured is not magnified."""
    return estimated(draw, NUDGE) == pytest.approx(estimated(draw), rel=MAGNIFIED, abs=MAGNIFIED)


if __name__ == "__main__":
    write(FILE, {str(draw): short(map(float, estimated(draw))) for draw in range(DRAWS) if steady(draw)})
