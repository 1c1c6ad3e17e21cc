"""Distance transforms, against those of scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from swarm_control.core.compiled import PARALLEL_FROM
from swarm_control.core.distance_transform import FARTHEST, _along, room_around, steps_away


def walls(seed):
    rng = np.random.default_rng(seed)
    occupied = rng.random(rng.integers(1, 40, 2)) < rng.choice([0.005, 0.05, 0.3, 0.9])
    occupied[rng.integers(len(occupied)), rng.integers(occupied.shape[1])] = True
    return occupied


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32), st.sampled_from([0.05, 0.1, 0.037]))
def test_room_is_the_distance_between_centres_less_half_a_diagonal_to_the_bit(seed, resolution):
    occupied = walls(seed)
    distance = ndimage.distance_transform_edt(~occupied) * resolution
    expected = np.maximum(distance - resolution * np.sqrt(0.5), 0.0).astype(np.float32)
    assert np.array_equal(room_around(occupied, resolution), expected)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32))
def test_steps_are_those_of_a_king(seed):
    occupied = walls(seed)
    assert np.array_equal(steps_away(occupied), ndimage.distance_transform_cdt(~occupied, "chessboard"))


def test_steps_end_at_the_most_that_are_told_apart():
    occupied = np.zeros((3, 700), bool)
    occupied[1, 0] = True
    assert steps_away(occupied)[1].tolist() == np.minimum(np.arange(700), FARTHEST).tolist()
    assert steps_away(np.zeros((2, 3), bool)).tolist() == [[FARTHEST] * 3] * 2


@pytest.mark.parametrize("size", [1, PARALLEL_FROM])
def test_rows_are_independent_in_either_form(size):
    rng = np.random.default_rng(2)
    columns = rng.integers(0, 30, (50, 60)).astype(np.float32)
    whole, single = columns.copy(), columns.copy()
    _along(size, whole, 0.1)
    for k in range(len(single)):
        _along(1, single[k : k + 1], 0.1)
    assert np.array_equal(whole, single)
    each = np.abs(np.arange(60)[:, None] - np.arange(60)) ** 2 + columns[:, None] ** 2.0
    assert np.allclose(whole, np.maximum(0.1 * np.sqrt(each.min(axis=2)) - 0.1 * np.sqrt(0.5), 0.0), atol=1e-6)
