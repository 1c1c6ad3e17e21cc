"""How robots answer steps: what is fitted, against answers with known delays, rises and limits."""

import numpy as np
import pytest

from swarm_control.core.state import SwarmState
from swarm_control.sim.mujoco.response import SETTLE, SPREAD, fit, reading, respond

TIME = 0.01 * np.arange(1200)


@pytest.mark.parametrize(("before", "after"), [(0.5, 2.0), (1.0, -0.4), (0.0, 0.3)])
@pytest.mark.parametrize(("delay", "tau"), [(0.0, 0.5), (0.7, 0.3), (0.4, 1.0)])
def test_a_lag_of_first_order_is_found(before, after, delay, tau):
    answer = before + (after - before) * (1.0 - np.exp(-np.maximum(TIME - delay, 0.0) / tau))
    found = fit(TIME, answer, before, after, falls=3)
    assert found.delay == pytest.approx(delay + tau * np.log(1.0 / 0.9), abs=0.011)
    assert found.rise == pytest.approx(tau * np.log(9.0), abs=0.021)
    assert found.final == pytest.approx(after, abs=1e-3) and found.overshoot == pytest.approx(0.0, abs=1e-3)
    rate = (answer[1:] - answer[:-1]) / 0.01
    half = int(0.1 * found.rise / 0.01) // 2
    assert found.steepest == pytest.approx(abs(rate).max(), rel=0.15) and half > 0
    assert (found.from_, found.to, found.falls) == (before, pytest.approx(after), 3)


def test_swinging_beyond_is_overshoot_and_counts_from_the_last_fall_below():
    answer = 1.0 - np.exp(-TIME) * np.cos(4.0 * TIME)
    found = fit(TIME, answer, 0.0, 1.0)
    assert found.overshoot == pytest.approx(answer.max() - 1.0, abs=1e-3)
    assert found.delay == pytest.approx(TIME[np.flatnonzero(answer < 0.1)[-1] + 1])
    assert found.delay + found.rise == pytest.approx(TIME[np.argmax(answer >= 0.9)], abs=0.011)


def test_no_answer_has_no_delay():
    found = fit(TIME, np.full(1200, 0.7), 0.7, 1.5)
    assert np.isnan(found.delay) and np.isnan(found.rise) and found.final == pytest.approx(0.7)
    assert found.steepest == pytest.approx(0.0, abs=1e-9)


def test_readings_are_along_the_course():
    truth = SwarmState.of(0.0, np.zeros((2, 3)), np.array([[1.0, 2.0, 0.3], [1.0, 2.0, -0.1]]))
    course = np.array([0.0, np.pi / 2])
    assert reading(truth, course, "speed") == pytest.approx([1.0, 2.0])
    assert reading(truth, course, "sideways") == pytest.approx([2.0, -1.0])
    assert reading(truth, course, "turn") == pytest.approx([0.3, -0.1])


class Perfect:
    """Robots that do at once what they are told ``late`` steps ago, and drift (rad/s) meanwhile; it keeps what they were told."""

    def __init__(self, n, late=0, drift=0.0, yaw=0.8):
        self.fleet, self.dt, self.late, self.drift, self.yaw = range(n), 0.02, late, drift, yaw

    def reset(self):
        self.pose = np.tile((0.0, 0.0, self.yaw), (len(self.fleet), 1))
        self.velocity, self.told = np.zeros_like(self.pose), []

    def truth(self):
        return SwarmState.of(self.dt * len(self.told), self.pose, self.velocity)

    def step(self, commands):
        self.told.append(commands.twist.copy())
        twist = self.told[max(len(self.told) - 1 - self.late, 0)] + (0.0, 0.0, self.drift)
        c, s = np.cos(self.pose[:, 2]), np.sin(self.pose[:, 2])
        self.velocity = np.column_stack((c * twist[:, 0] - s * twist[:, 1], s * twist[:, 0] + c * twist[:, 1], twist[:, 2]))
        self.pose = self.pose + self.dt * self.velocity


@pytest.mark.parametrize(("axis", "index"), [("speed", 0), ("sideways", 1), ("turn", 2)])
def test_every_robot_gets_the_step_at_its_time_and_their_answers_are_averaged(axis, index):
    engine, base = Perfect(5, late=25), np.array([0.3, 0.1, 0.0])
    found = respond(engine, axis, 0.2, 0.6, 3.0, base, settle=1.0)
    told = np.array(engine.told)
    assert len(told) == round((1.0 + SPREAD + 3.0) / 0.02) and len(found.time) == 150
    for i in range(5):
        change = int(np.argmax(told[:, i, index] > 0.4))
        assert change * 0.02 == pytest.approx(1.0 + SPREAD * i / 5, abs=0.021)
    others = [k for k in range(2) if k != index]
    assert told[..., others] == pytest.approx(np.broadcast_to(base[others], (*told.shape[:2], len(others))), abs=1e-9)
    assert found.delay == pytest.approx(0.5, abs=0.05) and found.final == pytest.approx(0.6) and found.falls == 0
    assert found.answer[:20] == pytest.approx(np.full(20, 0.2)) and found.from_ == pytest.approx(0.2)


def test_robots_that_drift_are_brought_back_to_their_course():
    engine = Perfect(2, drift=0.1)
    found = respond(engine, "speed", 0.5, 1.0, 4.0, np.zeros(3), settle=SETTLE)
    assert engine.pose[:, 2] == pytest.approx(np.full(2, 0.8 + 0.1), abs=1e-3), "off by as much as turns it back"
    assert found.final == pytest.approx(1.0, abs=1e-3), "along the course, not along the heading"
    assert engine.velocity[:, :2] == pytest.approx(np.tile((np.cos(0.8), np.sin(0.8)), (2, 1)), abs=5e-3)
