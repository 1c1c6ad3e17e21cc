import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import random_swarm, see, swarm

from swarm_control.core.state import SwarmState

QUICK = settings(deadline=None, max_examples=80)


def brute_force(state: SwarmState, radius: float, view: float) -> list[set[int]]:
    """Whom everybody sees, by the definition; a robot at the same place has no bearing and is seen."""
    found: list[set[int]] = []
    for a, (x, y, yaw) in enumerate(state.pose):
        near = set()
        for b, (p, q, _) in enumerate(state.pose):
            dx, dy = p - x, q - y
            bearing = abs((np.arctan2(dy, dx) - yaw + np.pi) % (2 * np.pi) - np.pi)
            seen = np.sqrt(dx * dx + dy * dy) <= radius and (view >= 360 or (dx == 0 and dy == 0) or bearing <= np.deg2rad(view) / 2 + 1e-9)
            if a != b and state.valid[a] and state.valid[b] and seen:
                near.add(b)
        found.append(near)
    return found


def rows(seen, values=None):
    values = seen.index if values is None else values
    return [values[seen.start[i] : seen.start[i + 1]] for i in range(len(seen.start) - 1)]


def arrangement(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    spread = float(rng.choice([0.1, 3.0, 300.0]))
    position = rng.uniform(-spread, spread, (n, 2))
    if kind == "coincident":
        position[:] = position[:1] if n else 0.0
    elif kind == "line":
        position = np.outer(np.arange(n) * 0.5, [1.0, 0.0])
    elif kind == "slanted line":
        position = np.outer(rng.uniform(-50, 50, n), [0.6, 0.8])
    elif kind == "lattice":
        position = np.stack((np.arange(n) % 5, np.arange(n) // 5), axis=-1) * 1.0
    elif kind == "far" and n:
        position[0] = (1e9, -1e9)
    return position


@QUICK
@given(
    st.integers(0, 2**32), st.sampled_from((0, 1, 2, 3, 17, 60)),
    st.sampled_from(("random", "coincident", "line", "slanted line", "lattice", "far")), st.sampled_from((1.0, 90.0, 180.0, 270.0, 360.0)),
)  # fmt: skip
def test_agrees_with_the_definition(seed, n, kind, view):
    rng = np.random.default_rng(seed)
    heading = rng.choice([0.0, 0.25 * np.pi, rng.uniform(-np.pi, np.pi)], n)
    state = swarm(arrangement(kind, rng, n), rng.normal(size=(n, 2)), heading, rng.random(n) < 0.9)
    radius = float(rng.choice([0.5, 1.0, 1.5, 20.0]))
    seen = see(state, radius=radius, field_of_view=view)
    assert [set(row) for row in rows(seen)] == brute_force(state, radius, view)
    assert len(set(zip(seen.owner, seen.index))) == len(seen.index)
    assert np.array_equal(seen.offset, state.position[seen.index] - state.position[seen.owner])
    assert np.array_equal(seen.velocity, state.velocity[seen.index, :2] - state.velocity[seen.owner, :2])
    assert np.allclose(seen.distance, np.hypot(*seen.offset.T), rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("heading", np.linspace(-np.pi, np.pi, 9))
@pytest.mark.parametrize("view", [60.0, 90.0, 180.0, 300.0])
def test_the_edge_of_the_view_is_seen_and_what_lies_beyond_is_not(heading, view):
    half = np.deg2rad(view) / 2
    for side in (-1.0, 1.0):
        for beyond, expected in ((0.0, 1), (1e-5, 0), (-1e-5, 1)):
            bearing = heading + side * (half + beyond)
            seen = see(swarm([(0, 0), (np.cos(bearing), np.sin(bearing))], heading=heading), radius=2.0, field_of_view=view)
            assert seen.count[0] == expected


def test_the_edge_of_the_radius_is_seen():
    state = swarm([(0.0, 0.0), (1.5, 0.0), (-1.5000001, 0.0), (0.9, -1.2)])
    assert set(rows(see(state, radius=1.5))[0]) == {1, 3}


@QUICK
@given(st.integers(0, 2**32), st.integers(1, 12))
def test_the_nearest_few_are_the_nearest(seed, count):
    state = random_swarm(np.random.default_rng(seed), 40, 4.0)
    everybody, few = see(state, radius=1.5), see(state, radius=1.5, count=count)
    for all_distances, all_index, index in zip(rows(everybody, everybody.distance), rows(everybody), rows(few)):
        assert set(index) == set(all_index[np.argsort(all_distances)][:count])
    assert np.array_equal(few.offset, state.position[few.index] - state.position[few.owner])


def test_ties_of_the_nearest_go_to_the_lower_index():
    state = swarm([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)])
    assert set(rows(see(state, radius=1.2, count=2))[0]) == {1, 2}


def test_loss_drops_its_share_and_nothing_else():
    state = random_swarm(np.random.default_rng(1), 400, 6.0)
    everybody, some = see(state, radius=1.5), see(state, radius=1.5, loss=0.3)
    kept = len(some.index) / len(everybody.index)
    assert abs(kept - 0.7) < 4 * np.sqrt(0.21 / len(everybody.index))
    assert set(zip(some.owner, some.index)) < set(zip(everybody.owner, everybody.index))
    assert len(see(state, radius=1.5, loss=1.0).index) == 0


def test_noise_has_its_deviation_and_repeats_with_the_seed():
    state = random_swarm(np.random.default_rng(2), 300, 5.0)
    exact, noisy = see(state, radius=1.5), see(state, 7, radius=1.5, noise_position=0.1, noise_velocity=0.2)
    assert np.array_equal(exact.index, noisy.index)
    pairs = 2 * len(exact.index)
    for error, deviation in ((noisy.offset - exact.offset, 0.1), (noisy.velocity - exact.velocity, 0.2)):
        assert abs(error.std() / deviation - 1.0) < 5 / np.sqrt(2 * pairs)
        assert abs(error.mean()) < 5 * deviation / np.sqrt(pairs)
    assert np.array_equal(noisy.distance, np.hypot(*noisy.offset.T))
    assert np.array_equal(noisy.offset, see(state, 7, radius=1.5, noise_position=0.1, noise_velocity=0.2).offset)


def test_a_robot_that_is_not_valid_neither_sees_nor_is_seen():
    state = swarm([(0, 0), (np.nan, 0), (0.1, 0), (0.2, np.inf)])
    seen = see(state, radius=10.0)
    assert seen.count.tolist() == [1, 0, 1, 0]
    assert seen.index.tolist() == [2, 0]


def test_mean_over_neighbours_is_zero_for_who_sees_nobody():
    seen = see(swarm([(0, 0), (1, 0), (0, 1), (50, 50)]), radius=1.1)
    assert seen.mean(seen.offset).tolist() == [[0.5, 0.5], [-1.0, 0.0], [0.0, -1.0], [0.0, 0.0]]
