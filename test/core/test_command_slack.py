"""Robots that obey each command now at once, now a tick late, are within what is in doubt."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.core.command_slack import CommandSlack
from swarm_control.core.estimation import Estimation
from swarm_control.core.geometry import norm, wrap
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.core.state_estimator import STEP, StateEstimator
from swarm_control.sim.command_timing import CommandTiming
from swarm_control.sim.planar import PlanarEngine

N, PERIOD = 6, 0.1


def errors(model, strength, turn, seed, spread):
    """Errors of place, velocity and heading at each tick, and what was in doubt of them (ticks, N, 3) each."""
    rng, ones = np.random.default_rng(seed), np.ones(N)
    robots = Fleet(tuple(f"robot_{k}" for k in range(N)), (model,) * N, 0.05 * ones, ones, strength * ones, 3.0 * ones, 0.1 * ones)
    start = SwarmState.of(0.0, np.column_stack((50.0 * np.arange(N), np.zeros((N, 2)))), np.zeros((N, 3)))
    engine, timing, estimator = PlanarEngine(robots, start, None, STEP), CommandTiming(N, spread, rng), StateEstimator(robots, PERIOD)
    states, late, off, doubt = [start], int(rng.integers(1, 7)), [], []
    told = rng.uniform(-1.0, 1.0, (N, 3)) * [1.0, 1.0, turn]
    for k in range(40):
        now, then = engine.truth(), states[max(k - late, 0)]
        found = estimator(SwarmState.of(now.time, then.pose, then.velocity), np.full(N, then.time), Estimation())
        doubt.append(estimator.doubt(PERIOD))
        turned = np.abs(wrap(found.pose[:, 2] - now.pose[:, 2]))
        off.append(np.column_stack((norm(found.position - now.position), norm(found.velocity[:, :2] - now.velocity[:, :2]), turned)))
        if k % 2 == 0:
            told = rng.uniform(-1.0, 1.0, (N, 3)) * [1.0, 1.0, turn]
        estimator.note_commands(now.time, told)
        obeyed = timing.obeyed(Commands(told))
        for _ in range(round(PERIOD / STEP)):
            engine.step(obeyed)
        states.append(engine.truth())
    return np.array(off)[late + 2 :], np.array(doubt)[late + 2 :]  # until its first turn a robot stands


@pytest.mark.parametrize(("model", "turn"), [("omni", 0.5), ("differential", 3.0), ("car", 3.0), ("point_mass", 0.0)])
@settings(max_examples=12)
@given(st.sampled_from([0.5, 3.0, 20.0]), st.integers(0, 10**6), st.floats(0.1, 0.9))
def test_who_obeys_late_now_and_then_is_within_what_is_in_doubt(model, turn, strength, seed, spread):
    off, doubt = errors(model, strength, turn, seed, spread)
    assert off[:, :, 0].max() > 1e-3, "nobody was late: the test shows nothing"
    assert (off <= doubt + 1e-6).all()


def test_who_is_told_something_else_may_do_what_he_was_told_before_for_the_latency():
    """At once: for 0.1 s at the old speed, 1 m/s slower, then turning as before, 2 rad/s slower, at 1 m/s."""
    ones, still = np.ones(1), np.zeros((1, 3))
    slack = CommandSlack(Fleet(("robot",), ("omni",), 0.1 * ones, ones, 100.0 * ones, 3.0 * ones, 0.1 * ones), 0.1)
    pose, moving, turning = np.array([[0.1, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 2.0]])
    slack.note(0.1 * ones, moving, still, (still, still), (pose, moving))
    assert (slack.position, slack.velocity, slack.heading) == (pytest.approx(0.1), pytest.approx(1.0), 0.0)
    slack.note(0.1 * ones, turning, moving, (pose, moving), (2.0 * pose, turning))
    assert slack.heading == pytest.approx(0.2), "and it may only now have its speed"
    assert slack.position == pytest.approx(0.1 + 0.1 * 1.0 + 0.2 * 0.1) and slack.velocity == pytest.approx(0.2 * 1.0)
