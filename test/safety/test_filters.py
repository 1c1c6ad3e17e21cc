"""The two filters in a row: what is left out because it cannot matter does not."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.core.fields import make_map
from swarm_control.core.geometry import norm
from swarm_control.core.grid import Grid, sure_room
from swarm_control.core.perception import look, look_around
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.safety import filters
from swarm_control.safety.filters import stoppable, stopping_known
from swarm_control.safety.outlook import outlook
from swarm_control.safety.separation_filter import SeparationFilter, keep_apart

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
def test_robots_that_look_only_so_far_as_matters_do_as_those_who_see_everybody(models, seed, n, room, open_space, params):
    fleet, state, wish = swarm(seed, n, models, room)
    map, time = None if open_space else walls(seed, room), np.full(n, PERIOD)
    aside = wish * np.random.default_rng(seed).choice([0.3, 1.0, 1.4], (n, 1))
    assert stopping_known(fleet).all()
    quick, hurried = stoppable(state, wish, aside, fleet, map, params, time)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filters, "outlook", lambda robots, *_: np.full(len(robots), 30.0))
        made, changed = stoppable(state, wish, aside, fleet, map, params, time)
    assert np.array_equal(quick, made, equal_nan=True) and np.array_equal(hurried, changed)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 60), st.floats(0.3, 3.0), st.floats(0.1, 1.0))
def test_who_is_farther_than_the_filters_radius_does_not_count(seed, n, room, radius):
    fleet, state, _ = swarm(seed, n, ("omni",), room)
    params, wish = SeparationFilter(enabled=True, radius=radius), np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 2))
    near, far, time = look(state, radius), look(state, 3.0), np.full(n, PERIOD)
    made, other = (
        keep_apart(wish, state.velocity, state.pose, seen, fleet.radius, fleet.max_acceleration, None, params, time, state.valid)
        for seen in (near, far)
    )
    assert np.array_equal(made[0], other[0]) and np.array_equal(made[1], other[1])


def test_nobody_looks_twice_in_a_state():
    _, state, _ = swarm(5, 20, ("omni",), 2.0)
    seen = look(state, 1.0)
    assert seen.within == 1.0 and look(state, 1.0) is seen and look_around(state, 0.7) is seen
    assert look_around(state, 1.2).within == 1.2 and look_around(state, 0.7) is seen
    part = look(state, 2.0, 200.0), look(state, 2.0, asked=state.valid), seen.keep(seen.distance < 0.5)
    assert not any(some.within for some in part) and not any(some is one for some in part for one in state.seen)
    assert replace(state, valid=~state.valid).seen == [], "another state"


def test_robots_far_from_everything_are_sure_and_others_are_not():
    n = 5
    place = np.array([[0.0, 0.0], [0.45, 0.0], [5.0, 5.0], [9.0, 9.0], [-7.0, -7.0]])
    velocity = np.zeros((n, 3))
    state = SwarmState.of(0.0, np.column_stack((place, np.zeros(n))), velocity)
    wish = np.array([[0.3, 0.0, 0.0], [0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [np.nan, 0.0, 0.0], [900.0, 0.0, 0.0]])
    body, hardest, params = np.full(n, 0.2), np.full(n, 4.0), SeparationFilter(enabled=True)
    near = look(state, params.radius)
    limits = body, hardest, np.full(n, 0.5)
    found = outlook(np.arange(n), wish, wish, state, near, *limits, None, params, np.full(n, PERIOD)) == 0.0
    assert found.tolist() == [False, True, True, False, False]
    grid = Grid(np.zeros((40, 40), bool), (4.0, 4.0), 0.05)
    grid.occupied[20, 25] = True  # 0.25 m from the third
    assert outlook(np.arange(n), wish, wish, state, near, *limits, make_map(grid), params, np.full(n, PERIOD))[2] > 0.0


@pytest.mark.parametrize("seed", range(4))
def test_how_far_one_looks_leaves_its_share_of_the_slack_for_its_way(seed):
    """From the fastest that it can be at the end of its period; those whom nothing is near look at nobody."""
    fleet, state, wish = swarm(seed, 30, ("omni",), 6.0)
    params, reaction = SeparationFilter(enabled=True, margin=0.03, latency=0.07, braking=0.4, radius=6.0), np.full(30, 0.11)
    aside = wish * np.random.default_rng(seed).choice([0.3, 1.4], (30, 1))
    speed, wanted, hardest = norm(state.velocity[:, :2]), np.maximum(norm(wish[:, :2]), norm(aside[:, :2])), fleet.max_acceleration
    braking, body = 0.4 * hardest, fleet.radius + 0.02
    stopping = body + speed * (0.07 + speed / (2.0 * braking))
    map, seen = walls(seed, 8.0), look(state, 6.0)
    found = outlook(np.arange(30), wish, aside, state, seen, body, hardest, fleet.max_speed, map, params, reaction)
    top, fastest = np.maximum(speed, wanted), speed + hardest * 0.11
    way = top * (0.18 + top / (2.0 * braking))
    fastest = np.where(top <= fleet.max_speed, np.minimum(fastest, fleet.max_speed), fastest)
    far = fastest / 0.3 * (0.18 + fastest / (2.0 * braking)) + stopping + 0.03 + stopping.max()
    for i in range(30):
        mine = slice(*seen.start[i : i + 2])
        alone = (seen.distance[mine] > way[i] / 0.3 + stopping[i] + 0.03 + stopping[seen.index[mine]]).all()
        open_floor = sure_room(map.clearance, *map.grid.origin, map.grid.resolution, *state.pose[i, :2]) >= body[i] + 0.03 + way[i]
        within = way[i] / 0.3 + stopping[i] + 0.03 + stopping.max() < 6.0
        assert found[i] == pytest.approx(0.0 if alone and open_floor and within else far[i], abs=1e-7)
    assert (found == 0.0).any() and (found > 0.0).any()


@pytest.mark.parametrize(("gap", "time"), [(2.5, 1.0), (2.3, 1.0), (2.1, 1.0), (1.0, 1.0), (3.9, 2.0), (4.1, 2.0), (6.2, 3.5), (6.5, 3.5)])
def test_who_brakes_badly_looks_as_far_as_it_would_go_until_it_has_stopped(gap, time):
    """Told for 1 s to go at 0.8 m/s, it gets there by 0.8 m/s² on 0.4 m and stops by half of that on 0.8 m: half the gap must hold both,
    and what it goes at 0.8 m/s when it is told so for longer.
    """
    one, params = np.ones(2), SeparationFilter(enabled=True)
    fleet = Fleet(("first", "parked"), ("omni", "omni"), 0.1 * one, 0.8 * one, 0.8 * one, 6.0 * one, 0.1 * one)
    state = SwarmState.of(0.0, np.array([[0.0, 0.0, 0.0], [gap + 0.2 + params.margin, 0.0, 0.0]]), np.zeros((2, 3)))
    wish = np.array([[0.8, 0.0, 0.0], [0.0, 0.0, 0.0]])
    _, changed = stoppable(state, wish, wish, fleet, None, params, time * one)
    assert changed.tolist() == [0.5 * gap < 0.4 + 0.8 * time, False]


@pytest.mark.parametrize("parallel_from", [0, 10**6])
def test_neighbours_of_those_asked_for_alone(parallel_from, monkeypatch):
    _, state, _ = swarm(3, 70, ("omni",), 2.0)
    asked, whole = np.random.default_rng(1).random(70) > 0.7, look(state, 0.8, 200.0)
    monkeypatch.setattr(sys.modules[look.__module__], "PARALLEL_FROM", parallel_from)
    part = look(state, 0.8, 200.0, asked=asked)
    kept = whole.keep(asked[whole.owner])
    assert len(kept.index) > 20
    for name in ("start", "index", "offset", "velocity", "distance"):
        assert np.array_equal(getattr(part, name), getattr(kept, name)), name


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
def test_robots_that_wish_what_is_no_number_near_walls_stop(model):
    fleet, _, _ = swarm(0, 2, (model,), 1.0)
    state = SwarmState.of(0.0, np.array([[0.0, 0.0, 0.0], [5.0, 5.0, 0.0]]), np.zeros((2, 3)))
    wish, time = np.array([[np.nan, 0.0, 0.0], [0.3, 0.0, np.nan]]), np.full(2, PERIOD)
    twist, changed = stoppable(state, wish, wish, fleet, walls(0, 6.0), SeparationFilter(enabled=True), time)
    assert changed.all() and not twist.any()


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
@pytest.mark.parametrize("bad", range(3))
def test_of_a_wish_that_is_no_number_nothing_reaches_the_robots(model, bad):
    """Not even where it would be turned aside by a command that is one, alone and beside others."""
    fleet, _, _ = swarm(0, 3, (model,), 1.0)
    state = SwarmState.of(0.0, np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [9.0, 9.0, 0.0]]), np.zeros((3, 3)))
    wish, aside, time = np.full((3, 3), 0.1), np.tile((0.2, 0.0, 0.1), (3, 1)), np.full(3, PERIOD)
    wish[:, bad] = np.nan
    twist, changed = stoppable(state, wish, aside, fleet, None, SeparationFilter(enabled=True), time)
    assert np.isfinite(twist).all() and changed.all()
