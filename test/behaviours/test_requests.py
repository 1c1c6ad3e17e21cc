from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from swarms import around, fleet, mapped, random_swarm, room, see, swarm

from swarm_control.behaviours import BEHAVIOURS, active
from swarm_control.behaviours.alignment import Alignment, alignment
from swarm_control.behaviours.arrival import Arrival, arrival, ramp
from swarm_control.behaviours.cohesion import Cohesion, cohesion
from swarm_control.behaviours.cruise import Cruise, cruise
from swarm_control.behaviours.guidance import Guidance, guidance
from swarm_control.behaviours.potential_field import PotentialField, potential_field
from swarm_control.behaviours.seek import Seek, seek
from swarm_control.behaviours.separation import Separation, separation
from swarm_control.behaviours.steer_to_avoid import SteerToAvoid
from swarm_control.core.accumulation import Accumulation
from swarm_control.core.pipeline import request
from swarm_control.core.state import ALONE, LED
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.scenario.schema import Control

TRIANGLE = swarm([(0, 0), (1, 0), (0, 2)], velocity=[(1, 0), (0, 1), (-1, 0)])


def ask(behaviour, state, params, surroundings=None, radius=5.0):
    return behaviour(state, see(state, radius=radius), surroundings or around(fleet(len(state))), params)


def test_cohesion_points_to_the_neighbours_centroid():
    assert ask(cohesion, TRIANGLE, Cohesion()) == pytest.approx(np.array([(0.5, 1.0), (-1.0, 1.0), (0.5, -2.0)]))


def test_alignment_is_the_mean_difference_of_velocities():
    assert ask(alignment, TRIANGLE, Alignment()) == pytest.approx(np.array([(-1.5, 0.5), (0.0, -1.0), (1.5, 0.5)]))


def test_a_lone_robot_has_no_wish_of_company():
    lone = swarm([(0, 0), (9, 9)], velocity=[(1, 0), (0, 0)])
    for behaviour, params in ((cohesion, Cohesion()), (alignment, Alignment()), (separation, Separation(distance=3.0))):
        assert not ask(behaviour, lone, params).any()


@pytest.mark.parametrize(("law", "strength"), [("unit", 1.0), ("linear", 0.75), ("inverse", 3.0)])
def test_separation_laws_at_a_quarter_of_the_distance(law, strength):
    pair = swarm([(0, 0), (0.06, 0.08)])
    push = ask(separation, pair, Separation(distance=0.4, law=law))
    assert push == pytest.approx(strength * np.array([(-0.6, -0.8), (0.6, 0.8)]))


@pytest.mark.parametrize(("law", "strength"), [("unit", 1.0), ("linear", 0.0), ("inverse", 0.0)])
def test_separation_ends_at_its_distance_and_averages_over_who_is_near(law, strength):
    trio = swarm([(0, 0), (0.5, 0), (0, 0.50001)])
    assert ask(separation, trio, Separation(distance=0.5, law=law))[0] == pytest.approx([-strength, 0.0])
    near = swarm([(0, 0), (0.25, 0), (0, -0.25), (3, 0)])
    g = {"unit": 1.0, "linear": 0.5, "inverse": 1.0}[law]
    assert ask(separation, near, Separation(distance=0.5, law=law))[0] == pytest.approx([-g / 2, g / 2])


@pytest.mark.parametrize("law", ["unit", "linear", "inverse"])
def test_coincident_robots_part_along_x_with_bounded_strength(law):
    push = ask(separation, swarm([(1, 1), (1, 1)]), Separation(distance=0.4, law=law))
    assert push[0, 0] == -push[1, 0] and 1.0 <= abs(push[0, 0]) <= 9.0 and not push[:, 1].any()


@settings(deadline=None)
@given(st.floats(0.05, 0.5), st.floats(0.01, 0.6), st.floats(0.0, 6.3), st.sampled_from(("unit", "linear", "inverse")))
def test_wide_robots_push_as_narrow_ones_that_are_as_far_from_edge_to_edge(radius, gap, bearing, law):
    assume(abs(gap - 0.3) > 1e-9)  # just where the push ends, rounding decides
    params, way = Separation(distance=0.4, law=law, body_width=0.1), np.array([np.cos(bearing), np.sin(bearing)])
    wide, narrow = (swarm([(0, 0), (2.0 * r + gap) * way]) for r in (radius, 0.05))
    pushed = ask(separation, wide, params, around(fleet(2, radius=radius)))
    assert pushed == pytest.approx(ask(separation, narrow, params), rel=1e-6, abs=1e-6)
    raw = Separation(distance=0.4, law=law, body_width=200.0)
    assert ask(separation, wide, raw, around(fleet(2, radius=radius))) == pytest.approx(ask(separation, wide, raw)), "the paper's law"


def test_the_room_that_a_flock_keeps_counts_its_footprints():
    wide = Separation(distance=0.4, body_width=0.1)
    assert wide.spacing(np.inf, 10, 0.05) == 0.4 and wide.spacing(np.inf, 10, 0.2) == pytest.approx(0.4 + 2 * 0.15)
    crowd = Separation(distance=0.4, body_width=0.1, area_share=0.5)
    packed = np.sqrt(0.5 * 10.0 / (np.sqrt(0.75) * 20))
    assert crowd.spacing(10.0, 20, 0.1) == pytest.approx(min(0.5, packed))
    assert crowd.reach(10.0, 20, 0.4) == pytest.approx(0.25 * packed), "there is no less than a push"


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(("unit", "linear", "inverse")))
def test_the_pushes_of_a_pair_are_opposite(seed, law):
    pair = random_swarm(np.random.default_rng(seed), 2, 0.5)
    push = ask(separation, pair, Separation(distance=1.0, law=law))
    assert push[0] == pytest.approx(-push[1])


def test_seek_asks_for_full_speed_towards_the_goal():
    state = swarm([(0, 0), (3, 4)], velocity=[(0.5, 0), (0, 0)])
    assert ask(seek, state, Seek(), around(fleet(2, speed=2.0), (6, 8))) == pytest.approx(np.array([(0.7, 1.6), (1.2, 1.6)]))


def test_without_a_goal_neither_seek_nor_arrival_wants_anything():
    state = swarm([(0, 0), (1, 0)], velocity=[(1, 0), (0, 1)])
    goals = around(fleet(2), np.array([(np.nan, np.nan), (5.0, 0.0)]))
    for behaviour, params in ((seek, Seek()), (arrival, Arrival())):
        wish = ask(behaviour, state, params, goals)
        assert wish[0].tolist() == [0.0, 0.0]
        assert wish[1] == pytest.approx([1.0, -1.0])


def test_arrival_ramps_down_smoothly_to_rest():
    assert ramp(np.array([0.0, 2.0, 7.0]), 2.0).tolist() == [0.0, 1.0, 1.0]
    d = np.linspace(0.0, 2.0, 41)
    speeds = ramp(d, 2.0)
    assert np.allclose(speeds, np.tanh(d) / np.tanh(2.0))
    assert (np.diff(speeds) > 0).all() and np.diff(speeds).max() < 0.055
    state = swarm([(0, 0), (1, 0), (-1, 0), (-9, 0)], velocity=[(0.3, 0.4), (0, 0), (0, 0), (0, 0)])
    wish = ask(arrival, state, Arrival(slowing_distance=2.0), around(fleet(4, speed=1.5), (0, 0)))
    slow = 1.5 * np.tanh(1.0) / np.tanh(2.0)
    assert wish == pytest.approx(np.array([(-0.3, -0.4), (-slow, 0.0), (slow, 0.0), (1.5, 0.0)]))


def test_a_point_mass_that_obeys_arrival_comes_to_rest_at_the_goal():
    x, v = np.array([[4.0, -3.0]]), np.array([[0.0, 1.0]])
    surroundings = around(fleet(1), (0, 0))
    for _ in range(1500):
        v = v + 0.05 * 2.0 * ask(arrival, swarm(x, v), Arrival(), surroundings)
        x = x + 0.05 * v
    assert np.abs(x).max() < 1e-3 and np.abs(v).max() < 1e-3


def test_cruise_keeps_the_speed_on_the_course_and_starts_along_the_heading():
    state = swarm([(0, 0), (1, 0), (2, 0)], velocity=[(0.6, 0.8), (0, 0.2), (0, 0)], heading=[0.0, 0.0, 0.5 * np.pi])
    assert ask(cruise, state, Cruise(speed=0.5)) == pytest.approx(np.array([(-0.3, -0.4), (0.0, 0.3), (0.0, 0.5)]))


def test_potential_field_pushes_off_the_wall_within_its_radius():
    map = mapped(room((1.0, 1.5, -5.0, 5.0)))
    state = swarm([(0.9, 0.0), (0.7, 1.0), (0.45, 0.0), (1.6, 0.0), (-4.85, -2.0)])
    push = ask(potential_field, state, PotentialField(), around(fleet(5), map=map))
    distance = np.array([0.1, 0.3, np.inf, 0.1, 0.1])
    expected = np.clip(1.0 - distance / 0.5, 0.0, 1.0) * np.array([-1, -1, -1, 1, 1])
    assert push[:, 0] == pytest.approx(expected, abs=0.05), "known to half a cell of 0.05 m, in 0.5 m"
    assert push[2].tolist() == [0.0, 0.0] and np.abs(push[:, 1]).max() < 1e-6


def test_map_behaviours_want_nothing_in_open_space():
    state = swarm([(0, 0)], velocity=[(1, 0)])
    for name in ("potential_field", "steer_to_avoid", "guidance"):
        assert not ask(BEHAVIOURS[name].request, state, BEHAVIOURS[name].params()).any()


def test_guidance_asks_for_full_speed_on_the_free_way_and_rest_at_the_goal():
    map = mapped(room((-0.2, 0.2, -5.0, 2.0)))
    surroundings = around(fleet(3), map=map, target=(3.0, 0.0))
    state = swarm([(2, 0), (-2, 0), (3, 0)], velocity=[(0, 0), (0, 0), (0.5, 0)])
    wish = ask(guidance, state, Guidance(slowing_distance=0.5), surroundings)
    assert np.hypot(*wish[:2].T) == pytest.approx([1.0, 1.0])
    assert wish[0, 0] > 0.98
    assert wish[1, 1] > 0.3
    assert wish[2] == pytest.approx([-0.5, 0.0], abs=1e-12)


def test_guidance_takes_stragglers_straight_to_where_they_are_led():
    state, led = swarm([(0, 0), (0, 0), (0, 0)]), np.array([(0.0, 0.3), (0.0, 0.3), (0.0, 0.3)])
    surroundings = replace(around(fleet(3), led, mapped(room()), (2.0, 0.0)), lag=np.array([0, LED, ALONE]))
    wish = ask(guidance, state, Guidance(), surroundings)
    assert wish[0, 0] > 0.5 and wish[1:] == pytest.approx(np.array([(0.0, 1.0), (0.0, 1.0)]))


def test_those_who_go_alone_come_to_where_they_are_led_no_faster_than_half_their_braking_power_stops_them():
    state, near, robots = swarm([(0, 0), (0, 0), (0, 0)]), np.array([(0.0, 0.02)] * 3), fleet(3)
    surroundings = replace(around(robots, near, mapped(room()), (2.0, 0.0)), lag=np.array([0, LED, ALONE]))
    wish = ask(guidance, state, Guidance(), surroundings)
    assert wish[1:] == pytest.approx(np.array([(0.0, 1.0), (0.0, np.sqrt(2.0 * 0.5 * robots.max_acceleration[2] * 0.02))]))


def test_those_who_go_alone_are_kept_off_walls_by_the_separation_filter_if_it_is_on():
    """Steering aside would turn them back before the bend that they are led round."""
    state = swarm([(1.6, 0), (1.6, 0.5), (1.6, -0.5)], velocity=[(1, 0)] * 3)
    surroundings = replace(around(fleet(3), map=mapped(room((2.0, 3.0, -5.0, 5.0)))), lag=np.array([0, LED, ALONE]))
    steered = Control(steer_to_avoid=SteerToAvoid(weight=1.0), potential_field=PotentialField(weight=1.0))
    for on, felt in ((False, [True, True, True]), (True, [True, True, False])):
        made = request(state, see(state), surroundings, replace(steered, separation_filter=SeparationFilter(enabled=on)))
        assert made.names == ("steer_to_avoid", "potential_field")
        assert made.acceleration.any(axis=2).tolist() == [felt, felt]


def test_those_who_go_alone_mind_nobody_of_their_group_and_nobody_minds_them():
    state = swarm([(0, 0), (1, 0), (0, 1)])
    surroundings = replace(around(fleet(3)), lag=np.array([0, LED, ALONE]))
    made = request(state, see(state), surroundings, Control(cohesion=Cohesion(weight=1.0), separation=Separation(weight=1.0, distance=3.0)))
    cohesion, separation = (made.acceleration[made.names.index(name)] for name in ("cohesion", "separation"))
    assert cohesion.any(axis=1).tolist() == [True, True, False] and separation.any(axis=1).all()
    assert cohesion[0, 0] > 0.0 and cohesion[0, 1] == 0.0, "drawn to who is led, not to who goes alone"


@pytest.mark.parametrize("target", [(9.0, 9.0), (np.nan, np.nan)])
@pytest.mark.parametrize(("weight", "gain"), [(0.1, 5.0), (0.25, 4.0), (1.0, 2.0), (3.0, 1.0), (0.1, 0.0)])
def test_those_who_go_alone_take_up_the_velocity_to_their_flocks_goal_at_two_per_second_or_more(weight, gain, target):
    state, goals = swarm([(0, 0), (1, 0), (0, 1)]), np.full((3, 2), 9.0)
    control = Control(arrival=Arrival(weight=weight), separation=Separation(weight=1.0, distance=3.0), accumulation=Accumulation(gain=gain))
    slow, brisk = (
        request(state, see(state), replace(around(fleet(3), goals, target=target), lag=np.array(lag)), control)
        for lag in ([0, LED, LED], [0, LED, ALONE])
    )
    for name, factor in (("arrival", max(1.0, 2.0 / (weight * gain)) if gain and target[0] == 9.0 else 1.0), ("separation", 1.0)):
        before, after = (made.acceleration[made.names.index(name)] for made in (slow, brisk))
        assert after == pytest.approx(before * np.array([[1.0], [1.0], [factor]])) and before.any()


def test_every_behaviour_has_one_line_of_help_and_is_off_by_default():
    for name, behaviour in BEHAVIOURS.items():
        assert behaviour.help.strip() and behaviour.params().weight == 0.0, name
    assert active(Control()) == ()
    assert active(Control(seek=Seek(weight=0.5), cohesion=Cohesion(weight=0.1))) == ("seek", "cohesion"), "in the order of their priorities"


def test_the_distance_shrinks_where_a_packed_flock_would_take_too_much_of_the_floor():
    """Hexagons of side D: n of them take n·D²·√3/2."""
    params = Separation(distance=0.4, area_share=0.5)
    assert params.reach(10.0, 0, 0.0) == 0.4 and params.reach(1e9, 50, 0.0) == 0.4
    for robots in (1, 50):
        free = 0.01 * robots
        assert robots * params.reach(free, robots, 0.0) ** 2 * np.sqrt(0.75) == pytest.approx(0.5 * free)
