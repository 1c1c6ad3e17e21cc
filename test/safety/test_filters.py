"""The two filters in a row: what is left out because it cannot matter does not."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.core.fields import make_map
from swarm_control.core.grid import Grid
from swarm_control.core.perception import look
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.safety.filters import stoppable, stopping_known
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.safety.stopping_filter import surely_stoppable

PERIOD = 0.05


def swarm(seed, n, models, room):
    """Robots of several kinds within ``room`` (m), as they go, and what they wish; some on the same spot, some unheard."""
    rng = np.random.default_rng(seed)
    names, kinds = tuple(f"robot_{k}" for k in range(n)), tuple(models[k % len(models)] for k in range(n))
    top = rng.uniform(0.2, 2.0, n)
    fleet = Fleet(names, kinds, rng.uniform(0.03, 0.2, n), top, rng.uniform(0.5, 8.0, n), rng.uniform(1.0, 8.0, n), np.full(n, 0.1))
    pose = np.column_stack((rng.uniform(-room, room, (n, 2)), rng.uniform(-np.pi, np.pi, n)))
    pose[1] = pose[0]
    speed = top * rng.uniform(0.0, 1.1, n) * rng.integers(0, 2, n)
    velocity = np.column_stack((speed * np.cos(pose[:, 2]), speed * np.sin(pose[:, 2]), rng.uniform(-2.0, 2.0, n)))
    wish = np.column_stack((top * rng.uniform(-1.0, 1.0, n), np.zeros(n), rng.uniform(-4.0, 4.0, n))) * rng.integers(0, 2, (n, 1))
    return fleet, SwarmState.of(0.0, pose, velocity, rng.random(n) > 0.1), wish


def walls(seed, room):
    occupied = np.random.default_rng(seed).random((40, 40)) > 0.97
    return make_map(Grid(occupied, (-room, -room), room / 20))


PARAMS = st.sampled_from([
    SeparationFilter(enabled=True), SeparationFilter(enabled=True, radius=0.3, margin=0.0), SeparationFilter(enabled=True, radius=3.0),
    SeparationFilter(enabled=True, latency=0.1, noise=0.01), SeparationFilter(enabled=True, noise_velocity=0.05, noise_heading=3.0),
])  # fmt: skip


@pytest.mark.parametrize("models", [("omni",), ("differential", "car"), ("omni", "differential", "point_mass")])
@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(2, 40), st.floats(0.5, 8.0), st.booleans(), PARAMS)
def test_who_is_surely_stoppable_may_do_as_it_wishes(models, seed, n, room, open_space, params):
    fleet, state, wish = swarm(seed, n, models, room)
    map, time, nobody = None if open_space else walls(seed, room), np.full(n, PERIOD), np.zeros(n, bool)
    assert stopping_known(fleet).all()
    near = look(state, params.radius)
    quick, hurried = stoppable(state, wish, nobody, near, fleet, map, params, time)
    made, changed = stoppable(state, wish, nobody, None, fleet, map, params, time)
    assert np.array_equal(quick, made, equal_nan=True) and np.array_equal(hurried, changed)


def test_robots_far_from_everything_are_sure_and_others_are_not():
    n = 5
    place = np.array([[0.0, 0.0], [0.45, 0.0], [5.0, 5.0], [9.0, 9.0], [-7.0, -7.0]])
    velocity = np.zeros((n, 3))
    state = SwarmState.of(0.0, np.column_stack((place, np.zeros(n))), velocity)
    wish = np.array([[0.3, 0.0, 0.0], [0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [np.nan, 0.0, 0.0], [900.0, 0.0, 0.0]])
    body, hardest, params = np.full(n, 0.2), np.full(n, 4.0), SeparationFilter(enabled=True)
    near = look(state, params.radius)
    found = surely_stoppable(np.arange(n), wish, state, near, body, hardest, None, params, np.full(n, PERIOD))
    assert found.tolist() == [False, True, True, False, False]
    grid = Grid(np.zeros((40, 40), bool), (4.0, 4.0), 0.05)
    grid.occupied[20, 25] = True  # 0.25 m from the third
    found = surely_stoppable(np.arange(n), wish, state, near, body, hardest, make_map(grid), params, np.full(n, PERIOD))
    assert not found[2]


@pytest.mark.parametrize("parallel_from", [0, 10**6])
def test_neighbours_of_those_asked_for_alone(parallel_from, monkeypatch):
    monkeypatch.setattr(sys.modules[look.__module__], "PARALLEL_FROM", parallel_from)
    _, state, _ = swarm(3, 70, ("omni",), 2.0)
    asked = np.random.default_rng(1).random(70) > 0.7
    whole, part = look(state, 0.8, 200.0), look(state, 0.8, 200.0, asked=asked)
    kept = whole.keep(asked[whole.owner])
    assert len(kept.index) > 20
    for name in ("start", "index", "offset", "velocity", "distance"):
        assert np.array_equal(getattr(part, name), getattr(kept, name)), name


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
def test_robots_that_wish_what_is_no_number_near_walls_stop(model):
    fleet, _, _ = swarm(0, 2, (model,), 1.0)
    state = SwarmState.of(0.0, np.array([[0.0, 0.0, 0.0], [5.0, 5.0, 0.0]]), np.zeros((2, 3)))
    wish, time = np.array([[np.nan, 0.0, 0.0], [0.3, 0.0, np.nan]]), np.full(2, PERIOD)
    twist, changed = stoppable(state, wish, np.zeros(2, bool), None, fleet, walls(0, 6.0), SeparationFilter(enabled=True), time)
    assert changed.all() and not twist.any()
