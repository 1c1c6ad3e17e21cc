"""Human-like: straight to the goal where the way is free, to the right past what is in it, slower where there is no way round."""

import numpy as np
import pytest
from swarms import around, fleet, mapped, room, see, swarm

from swarm_control.behaviours.human_like import HumanLike, _turns, human_like

ON = HumanLike(weight=10.0)


def wish(state, goal, map=None, params=ON):
    """The velocities that robots want, (N, 2) m/s."""
    return human_like(state, see(state, radius=9.0), around(fleet(len(state)), goal, map), params) + state.velocity[:, :2]


def test_alone_it_goes_straight_at_top_speed_and_comes_to_rest():
    assert wish(swarm([(0, 0)], [(0.3, 0.2)]), (3.0, 4.0))[0] == pytest.approx([0.6, 0.8])
    assert wish(swarm([(0, 0)]), (0.02, 0.0))[0] == pytest.approx([0.1, 0.0])
    assert not wish(swarm([(1, 1)], [(0.5, 0)]), (1.0, 1.0)).any()
    assert wish(swarm([(0, 0)], [(0.5, 0)]), np.nan)[0] == pytest.approx([0.5, 0.0])


@pytest.mark.parametrize("slowing", [0.1, 0.2, 2.0])
def test_it_slows_down_so_long_before_the_goal_however_much_time_it_leaves_before_others(slowing):
    place, params = swarm([(0, 0)]), HumanLike(weight=100.0, slowing_time=slowing)
    assert wish(place, (0.02, 0.0), params=params)[0] == pytest.approx([0.02 / slowing, 0.0])


@pytest.mark.parametrize("weight", [0.5, 2.0, 8.0])
def test_who_takes_up_a_velocity_slowly_slows_down_sooner(weight):
    assert wish(swarm([(0, 0)]), (0.02, 0.0), params=HumanLike(weight=weight))[0] == pytest.approx([0.02 / (2.0 / weight), 0.0])


@pytest.mark.parametrize("away", [0.05, 0.1, 0.2])
def test_it_can_stop_at_its_goal_with_half_of_its_braking(away):
    place, params = swarm([(0, 0)]), HumanLike(weight=100.0, slowing_time=0.05)
    assert wish(place, (away, 0.0), params=params)[0] == pytest.approx([np.sqrt(2.0 * 0.5 * 4.0 * away), 0.0])


def test_a_robot_in_the_way_is_passed_on_the_right():
    course = wish(swarm([(0, 0), (1, 0)]), [(4.0, 0.0), (1.0, 0.0)])[0]
    assert course[0] > 0.5 and course[1] < -0.05


def test_one_that_goes_ahead_as_fast_is_not_in_the_way():
    pair = swarm([(0, 0), (0.5, 0)], [(1, 0), (1, 0)])
    assert wish(pair, [(9.0, 0.0), (9.0, 0.0)])[0] == pytest.approx([1.0, 0.0])


def test_two_that_meet_both_keep_right():
    pair = swarm([(-1, 0), (1, 0)], [(1, 0), (-1, 0)])
    left, right = wish(pair, [(9.0, 0.0), (-9.0, 0.0)])
    assert left[1] < -0.05 and right == pytest.approx(-left)


@pytest.mark.parametrize("turn", [0.7, 2.0, -1.3])
def test_it_turns_with_the_world(turn):
    rng = np.random.default_rng(3)
    x, v, g = rng.uniform(-2, 2, (3, 12, 2))
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s], [s, c]])
    assert wish(swarm(x @ rotation.T, v @ rotation.T), g @ rotation.T) == pytest.approx(wish(swarm(x, v), g) @ rotation.T, abs=1e-6)


def test_a_wall_is_gone_round_and_not_run_into():
    map = mapped(room((0.5, 0.7, -1.0, 1.0)))
    course = wish(swarm([(-1.0, 0.8)]), (3.0, 0.8), map)[0]
    assert course[1] > 0.1, "the near end of the wall is at its left"
    close = wish(swarm([(0.38, 0.0)]), (3.0, 0.0), map)[0]
    assert close[0] < 0.2


def test_where_no_way_is_left_it_waits():
    ring = 0.16 * np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0, 2 * np.pi, 9)[:-1]])
    state = swarm(np.vstack(([0, 0], ring)))
    assert np.hypot(*wish(state, [(4.0, 0.0)] + [tuple(p) for p in ring])[0]) < 0.1


def test_headings_are_tried_from_ahead_to_the_back_right_before_left():
    cosine, sine = _turns(60.0)
    assert np.allclose(np.rad2deg(np.arctan2(sine, cosine))[:6], [0.0, -60.0, 60.0, -120.0, 120.0, -180.0]) and len(sine) == 7
