"""Jams: who does not get on for a while is in one, who has arrived or crawls on is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swarm_control as sc
from swarm_control.runtime.jams import PATIENCE, Jams

STEP = 0.1


def watch(ways, underway=None, seconds=20.0, heard=None):
    """Jams of robots of 0.1 m whose places at a time are ``ways(time)`` (n, 2), all ``underway`` and ``heard`` if not said otherwise."""
    jams = Jams(0.1)
    for k in range(round(seconds / STEP)):
        place = np.asarray(ways(STEP * k), float)
        everybody = np.ones(len(place), bool)
        jams.update(
            STEP * k, place, everybody if underway is None else underway(STEP * k), everybody if heard is None else everybody & heard(k)
        )  # fmt: skip
    return jams


def test_a_robot_that_stands_on_its_way_is_in_a_jam_after_a_while():
    jams = watch(lambda t: [[0.0, 0.0], [t, 0.0]])
    assert jams.count == 1 and abs(jams.time - (20.0 - PATIENCE)) < 3 * STEP


def test_who_stands_is_in_one_jam_however_often_it_is_not_heard():
    """Every fifth look finds its odometry too old; one that falls silent is in no jam meanwhile."""
    jams = watch(lambda t: [[0.0, 0.0]], heard=lambda k: k % 5 != 4)
    assert jams.count == 1 and abs(jams.time - 0.8 * (20.0 - PATIENCE / 0.8)) < 5 * STEP
    silent = watch(lambda t: [[0.0, 0.0]], heard=lambda k: k < 80)
    assert silent.count == 1 and abs(silent.time - (8.0 - PATIENCE)) < 3 * STEP
    late = watch(lambda t: [[np.nan, np.nan] if t < 10.0 else [0.0, 0.0]], heard=lambda k: k >= 100, seconds=14.0)
    assert late.count == 0, "it has been heard for four seconds"


def test_who_trembles_is_in_a_jam_and_who_crawls_is_not():
    assert watch(lambda t: [[0.04 * np.sin(9.0 * t), 0.0]]).count == 1
    assert watch(lambda t: [[0.03 * t, 0.0]]).count == 0


@pytest.mark.parametrize("wide", [0.15, 0.3, 0.55])
def test_who_goes_round_and_round_is_in_one(wide):
    """Circles ``wide`` (m) across, at 0.3 m/s; none is counted in their first turn."""
    turn = np.pi * wide / 0.3

    def circle(t):
        angle = 2.0 * np.pi * t / turn
        return [[0.5 * wide * np.cos(angle), 0.5 * wide * np.sin(angle)]]

    assert watch(circle, seconds=0.98 * turn).count == 0
    assert watch(circle, seconds=4.0 * turn).count == 1


@given(st.integers(0, 10_000))
def test_who_gets_on_is_in_none_however_it_winds(seed):
    """Ways that turn at random, to either side, but lead on; odometry is wrong by up to 1 cm."""
    rng = np.random.default_rng(seed)
    wave, swing, phase = rng.uniform(0.3, 2.0), rng.uniform(0.0, 1.2), rng.uniform(0.0, 6.0)
    course = [swing * np.sin(phase + STEP * k / wave) for k in range(300)]
    way = 0.3 * STEP * np.cumsum(np.column_stack((np.cos(course), np.sin(course))), axis=0)
    assert watch(lambda t: [way[round(t / STEP)] + rng.uniform(-0.01, 0.01, 2)], seconds=29.0).count == 0


def test_who_goes_on_and_stands_again_is_in_two():
    assert watch(lambda t: [[0.0 if t < 8.0 else 1.0, 0.0]]).count == 2


def test_who_has_arrived_is_in_none():
    assert watch(lambda t: [[0.0, 0.0]], lambda t: np.array([t < 4.0])).count == 0


def test_a_run_tells_its_jams_and_one_without_goals_has_none():
    stuck = sc.Simulation("migrate_boxes", robots=3, duration=9.0, set={"accumulation.gain": 0.0, "leaders.count": 0}).run().metrics()
    assert stuck["jams"] == 3 and stuck["jam_time"] == 4.0
    assert sc.Simulation("migrate_boxes", robots=3).run(until="arrival").metrics()["jams"] == 0
    assert sc.Simulation("flock_frame", robots=3, duration=1.0).run().metrics()["jams"] is None
