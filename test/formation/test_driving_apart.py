"""Cars that stand too close to turn drive apart along their headings, on several legs; robots that can go anywhere make room."""

from itertools import pairwise

import numpy as np
import pytest
from parked_robots import KEEP, parked

from swarm_control.formation.forming.driving_apart import driven_apart
from swarm_control.formation.forming.legs import free


def apart(place, wider):
    """The gap (N, N) m between robots beyond what each two are to keep; infinite of one to itself."""
    gap = np.linalg.norm(place[:, None] - place, axis=-1) - wider[:, None] - wider
    return np.where(np.eye(len(place), dtype=bool), np.inf, gap)


def check_legs(knots, start, keep, wider, cars):
    """Nobody comes nearer than is to be kept, cars without room to turn keep their headings, and all are apart in the end."""
    assert (knots[0] == start[:, :2]).all() and free(knots, keep)
    facing = np.column_stack((np.cos(start[:, 2]), np.sin(start[:, 2])))
    for begin, end in pairwise(knots):
        gone = end - begin
        cramped = cars & (apart(begin, wider).min(axis=1) < -1e-6)
        aside = facing[:, 0] * gone[:, 1] - facing[:, 1] * gone[:, 0]
        assert np.abs(aside[cramped]).max(initial=0.0) < 1e-9, "who cannot turn goes along its heading"
        length = np.linalg.norm(gone, axis=1, keepdims=True)
        facing = np.where(length > 1e-6, gone / np.maximum(length, 1e-9), facing)
    assert apart(knots[-1], wider).min() > -1e-6


@pytest.mark.parametrize("n", [2, 4, 6])
def test_crowded_cars_get_apart_along_their_headings(n):
    found = 0
    for seed in range(20):
        start, cars = parked(seed, n)
        keep, wider = np.full(n, KEEP), np.where(cars, 1.5, 1.0) * KEEP
        ways = driven_apart(start, keep, wider, cars)
        for knots in ways:
            check_legs(knots, start, keep, wider, cars)
        found += len(ways) > 0
    assert found >= 18, f"{found} of 20 get out"


def test_a_hundred_cars_that_face_anywhere_get_out_of_a_crowd_the_outer_ones_first():
    keep, wider, cars = np.full(100, KEEP), np.full(100, 1.6 * KEEP), np.ones(100, bool)
    grid = np.stack(np.meshgrid(np.arange(10.0), np.arange(10.0)), axis=-1).reshape(-1, 2)
    out = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        start = np.column_stack((2.7 * KEEP * grid + rng.uniform(-0.02, 0.02, (100, 2)), rng.uniform(-np.pi, np.pi, 100)))
        assert (apart(start[:, :2], wider).min(axis=1) < 0.0).all(), "none of them has room to turn"
        ways = driven_apart(start, keep, wider, cars)
        for knots in ways:
            check_legs(knots, start, keep, wider, cars)
            assert len(knots) > 3, "in one leg or two they cannot"
            assert np.abs(knots[-1] - start[:, :2].mean(axis=0)).max() < 4.0 * 16.0 * KEEP + 8.0 * KEEP, "and do not go far away"
        out += len(ways) > 0
    assert out >= 4, f"{out} of 6 get out"


def test_who_has_room_stays_and_of_two_that_face_the_same_way_one_goes_ahead_and_one_back():
    keep, cars = np.full(2, KEEP), np.ones(2, bool)
    apart_enough = np.array([[0.0, 0.0, 0.3], [3.0 * KEEP, 0.0, 2.0]])
    assert [len(knots) for knots in driven_apart(apart_enough, keep, 1.5 * keep, cars)] == [1, 1, 1]
    row = np.array([[0.0, 0.0, 0.0], [2.0 * KEEP, 0.0, 0.0]])
    for knots in driven_apart(row, keep, 1.5 * keep, cars):
        assert knots[-1, 0, 0] < 0.0 and knots[-1, 1, 0] > 2.0 * KEEP and (knots[:, :, 1] == 0.0).all()
