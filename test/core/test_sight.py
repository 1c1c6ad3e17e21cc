"""What hides robots from each other, and how the past is seen."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import random_swarm, swarm

from swarm_control.core.grid import Grid
from swarm_control.core.perception import DelayBuffer, Perception, perceive
from swarm_control.core.perception.sight import crosses
from swarm_control.core.state import SwarmState

QUICK = settings(deadline=None, max_examples=60)
SEEDS = st.integers(0, 2**32)


def see(state, radius=0.3, grid=None, past=None, **params):
    bodies = np.broadcast_to(np.asarray(radius, float), len(state)).copy()
    return perceive(state, Perception(**({"radius": 100.0} | params)), np.random.default_rng(0), bodies, past, grid)


def pairs(seen) -> set[tuple[int, int]]:
    return set(zip(seen.owner.tolist(), seen.index.tolist()))


def visible(state: SwarmState, radius: np.ndarray) -> set[tuple[int, int]]:
    """By the definition: the segment from centre to centre is clear of the discs of all that are nearer."""
    found = set()
    for a, p in enumerate(state.position):
        for b, q in enumerate(state.position):
            length = np.linalg.norm(q - p)
            others = [k for k in range(len(state)) if k not in (a, b) and np.linalg.norm(state.position[k] - p) < length]
            if a != b and all(off_segment(state.position[k], p, q) >= radius[k] for k in others):
                found.add((a, b))
    return found


def off_segment(point: np.ndarray, p: np.ndarray, q: np.ndarray) -> float:
    """Distance of a point from the line from p to q; infinite for one behind p."""
    along = (q - p) / np.linalg.norm(q - p)
    if (point - p) @ along <= 0.0:
        return np.inf
    return float(np.linalg.norm((point - p) - ((point - p) @ along) * along))


@QUICK
@given(SEEDS, st.integers(2, 25), st.floats(0.01, 1.5))
def test_hidden_is_who_is_behind_a_nearer_disc(seed, n, size):
    rng = np.random.default_rng(seed)
    state, radius = random_swarm(rng, n, 10.0), size * rng.uniform(0.5, 1.5, n)
    assert pairs(see(state, radius, occlusion=True)) == visible(state, radius)
    assert len(see(state, radius).index) == n * (n - 1)


@pytest.mark.parametrize("off, hidden", [(0.0, True), (0.149, True), (0.151, False), (-0.149, True), (-0.151, False)])
def test_the_edge_of_the_shadow(off, hidden):
    """A disc of 0.15 m in the middle of the way, ``off`` the line from centre to centre."""
    seen = pairs(see(swarm([(0, 0), (2, off), (4, 0)]), 0.15, occlusion=True))
    assert ((0, 2) not in seen) == ((2, 0) not in seen) == hidden
    assert {(0, 1), (1, 0), (1, 2), (2, 1)} <= seen


def test_the_nearest_few_are_chosen_among_the_visible():
    state = swarm([(0, 0), (1, 0), (2, 0), (0, 3), (3, 0)])
    assert pairs(see(state, 0.2, occlusion=True, count=2)) >= {(0, 1), (0, 3)}
    assert pairs(see(state, 0.2, count=2)) >= {(0, 1), (0, 2)}


@QUICK
@given(SEEDS)
def test_walls_hide_exactly_what_is_across_an_occupied_cell(seed):
    rng = np.random.default_rng(seed)
    occupied = rng.random((9, 12)) < 0.15
    u, v, du, dv = rng.uniform(-3, 15), rng.uniform(-3, 12), *rng.uniform(-12, 12, 2)
    du, dv = (du * rng.integers(0, 2), dv) if rng.random() < 0.3 else (du, dv)
    rows, columns = np.nonzero(occupied)
    with np.errstate(divide="ignore", invalid="ignore"):
        across = [np.sort([(low - start) / step, (low + 1 - start) / step], axis=0) if step else
                  np.where((low <= start) & (start <= low + 1), [[-np.inf], [np.inf]], [[np.inf], [-np.inf]])
                  for low, start, step in ((columns, u, du), (rows, v, dv))]  # fmt: skip
    entry, leave = np.maximum.reduce([across[0][0], across[1][0], 0 * rows]), np.minimum.reduce([across[0][1], across[1][1], 1 + 0 * rows])
    assert crosses(occupied, u, v, du, dv) == bool((leave - entry > 1e-12).any())


def test_robots_do_not_see_through_a_wall_and_those_beside_it_do():
    occupied = np.zeros((40, 40), bool)
    occupied[10:30, 20] = True
    grid = Grid(occupied, (-2.0, -2.0), 0.1)
    state = swarm([(-1, 0), (1, 0), (-1, 1.5), (1, 1.5), (-0.01, 0.3)])
    seen = pairs(see(state, 0.05, grid, occlusion=True))
    assert {(0, 1), (1, 0), (1, 4), (4, 1), (1, 2)} & seen == set()
    assert {(2, 3), (3, 2), (0, 4), (4, 0), (0, 2), (1, 3)} <= seen
    assert (0, 1) in pairs(see(state, 0.05, grid)), "without occlusion walls are seen through"


def test_the_past_is_remembered_for_as_long_as_it_is_asked_for():
    memory, states = DelayBuffer(), [swarm([(k, 0)]) for k in range(30)]
    states = [replace(state, time=0.1 * k) for k, state in enumerate(states)]
    recalled = [round(memory.recall(state, 0.45).time / 0.1) for state in states]
    assert recalled == [max(k - 5, 0) for k in range(30)], "whole ticks, at least the delay"
    assert memory.recall(replace(states[0], time=3.0), 0.2).time == pytest.approx(2.8)
    assert memory.recall(states[3], 0.2) is states[3], "a run that begins anew remembers nothing of the one before"
    assert memory.recall(states[4], 0.0) is states[4]


@QUICK
@given(SEEDS)
def test_others_are_seen_where_they_were_and_oneself_where_one_is(seed):
    rng = np.random.default_rng(seed)
    then = random_swarm(rng, 12, 6.0)
    now = replace(random_swarm(rng, 12, 6.0), time=1.0)
    late = see(now, past=then, delay=1.0, radius=2.0)
    assert pairs(late) == pairs(see(then, radius=2.0))
    assert np.allclose(late.offset, then.position[late.index] - now.position[late.owner])
    assert np.allclose(late.velocity, (then.velocity[late.index] - now.velocity[late.owner])[:, :2])
    assert np.allclose(late.distance, np.linalg.norm(late.offset, axis=1))
    few = see(now, past=then, delay=1.0, radius=2.0, count=2)
    assert pairs(few) <= pairs(late) and np.array_equal(few.count, np.minimum(late.count, 2))


def test_without_occlusion_and_delay_nothing_changes():
    state = random_swarm(np.random.default_rng(5), 30, 6.0)
    plain = perceive(state, Perception(), np.random.default_rng(0))
    given_ = perceive(state, Perception(), np.random.default_rng(0), np.full(30, 0.3), replace(state, time=-1.0), None)
    for name in ("start", "index", "offset", "velocity", "distance"):
        assert np.array_equal(getattr(plain, name), getattr(given_, name))


def test_what_perception_needs_and_is_not_given_is_an_error():
    state = swarm([(0, 0), (1, 0)])
    for params in (Perception(occlusion=True), Perception(delay=0.1)):
        with pytest.raises(ValueError, match="occlusion needs"):
            perceive(state, params, np.random.default_rng(0))


def test_the_fallen_neither_see_nor_are_seen_nor_hide():
    state = replace(swarm([(0, 0), (1, 0), (2, 0)]), fallen=np.array([False, True, False]))
    assert pairs(see(state, occlusion=True)) == {(0, 2), (2, 0)}


@QUICK
@given(SEEDS, st.integers(1, 40))
def test_the_nearest_of_many_with_many_ties_are_the_first_by_distance_and_index(seed, count):
    state = swarm(np.random.default_rng(seed).integers(0, 6, (60, 2)))
    seen = see(state, count=count)
    for a in range(60):
        others = sorted((float(np.hypot(*(state.position[b] - state.position[a]))), b) for b in range(60) if b != a)
        assert set(seen.index[seen.start[a] : seen.start[a + 1]]) == {b for _, b in others[:count]}
