"""The floor's walls, its sizes, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from test_r3 import drive, fleet, world

from swarm_control.core.grid import Grid
from swarm_control.errors import InputError
from swarm_control.scenario.hardware import Wheels
from swarm_control.sim.floor.r3 import R3
from swarm_control.sim.floor.world import r3_of, rectangles


@settings(deadline=None, max_examples=60)
@given(arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 8))))
def test_rectangles_cover_walls_exactly_once(occupied):
    covered = np.zeros(occupied.shape, int)
    for i0, i1, j0, j1 in rectangles(occupied):
        covered[i0:i1, j0:j1] += 1
    assert np.array_equal(covered, occupied.astype(int))


def test_a_straight_wall_is_one_rectangle():
    occupied = np.zeros((40, 30), bool)
    occupied[3:37, 10:12] = True
    assert rectangles(occupied) == [(3, 37, 10, 12)]


def test_a_wall_stops_a_robot_and_is_met_once():
    occupied = np.zeros((20, 20), bool)
    occupied[:, 15] = True
    w = world(R3(), grid=Grid(occupied, (-1.0, -1.0), 0.1))
    x = drive(w, 0.2, 0.2, 3.0)[:, 0, 0]
    assert 0.298 < x[-1] < 0.305, "the hull of 0.2 m touches the wall that begins at 0.5 m"
    assert np.ptp(x[-100:]) < 1e-3
    assert w.collisions.tolist() == [1]


def test_robots_of_a_fleet_are_r3s_of_its_size():
    half = fleet(2)
    half = replace(half, radius=0.5 * half.radius, wheel_base=0.5 * half.wheel_base)
    r3 = r3_of(half, Wheels(wheel_radius=0.03, ticks_per_turn=500))
    assert (r3.radius, r3.wheel_base, r3.wheel_radius, r3.ticks) == (0.1, 0.125, 0.03, 500)
    assert r3.caster < r3.radius and r3.mass == pytest.approx(0.25 * R3().mass)


@pytest.mark.parametrize("change, text", [
    ({"model": ("omni", "differential")}, "omni"), ({"radius": np.array([0.2, 0.3])}, "alike"), ({"wheel_base": np.full(2, 0.5)}, "0.5 m"),
])  # fmt: skip
def test_what_is_no_r3_is_refused(change, text):
    with pytest.raises(InputError, match=text):
        r3_of(replace(fleet(2), **change), Wheels())
