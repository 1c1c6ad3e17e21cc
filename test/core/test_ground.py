"""Free ground: how wide a flock spreads, and where its leaders go, in the open and beside walls."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.core.fields import make_map
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround, free_area, places_around

OPEN = FreeGround(None)


def walled(side=60, resolution=0.1):
    """A square around the origin; its right half is wall."""
    occupied = np.zeros((side, side), bool)
    occupied[:, side // 2 :] = True
    return Grid(occupied, (-0.5 * side * resolution, -0.5 * side * resolution), resolution)


def test_in_the_open_a_disc_has_the_area():
    assert OPEN.radius(np.zeros(2), math.pi) == pytest.approx(1.0) and OPEN.area == math.inf


def test_beside_a_wall_the_disc_is_wider():
    """A goal on the wall's edge has half of each disc: √2 times the radius."""
    ground = FreeGround(walled())
    assert ground.radius(np.zeros(2), math.pi) == pytest.approx(math.sqrt(2.0), rel=0.05)
    assert ground.area == pytest.approx(18.0) and free_area(make_map(walled())) == ground.area


def test_there_is_no_more_than_all():
    ground = FreeGround(walled())
    assert 4.0 < ground.radius(np.zeros(2), 1e6) <= max(math.sqrt(1e6 / math.pi), 4.3)


@given(st.integers(1, 60), st.floats(0.1, 2.0), st.floats(0.05, 1.0))
def test_places_are_apart_and_as_near_as_there_is_room(count, radius, spacing):
    places = places_around(np.array([3.0, -1.0]), radius, count, spacing, OPEN, 0.0)
    assert len(places) == count
    away = np.hypot(*(places - (3.0, -1.0)).T)
    rings = np.unique(away.round(6))
    assert rings == pytest.approx(radius + spacing * np.arange(len(rings)), abs=2e-6)
    for ring in rings:
        on = places[np.isclose(away, ring)]
        chords = np.hypot(*(on[:, None] - on[None]).transpose(2, 0, 1)) + 9.0 * np.eye(len(on))
        assert len(on) == 1 or chords.min() >= min(spacing, 2.0 * ring) * 2.0 / math.pi - 1e-9  # a chord against its arc


def test_places_keep_off_walls():
    ground = FreeGround(walled())
    places = places_around(np.array([-0.3, 0.0]), 0.4, 30, 0.3, ground, 0.1)
    assert len(places) == 30 and (places[:, 0] < -0.05).all() and (np.abs(places) <= 3.0).all()


def test_where_there_is_no_place_the_centre_stands_for_them():
    full = FreeGround(Grid(np.ones((10, 10), bool), (0.0, 0.0), 0.1))
    np.testing.assert_array_equal(places_around(np.array([0.5, 0.5]), 0.1, 3, 0.1, full, 0.0), np.full((3, 2), 0.5))


def test_rooms_are_near_that_have_a_cell_within_reach():
    some = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        ground = FreeGround(Grid(rng.random((40, 50)) < 0.2, (-2.0, -1.5), 0.1))
        place, within = rng.uniform(-1.5, 2.0, 2), rng.uniform(0.1, 0.6)
        cells = np.array(ground.grid.origin) + 0.1 * (np.stack(np.meshgrid(np.arange(50), np.arange(40)), axis=-1).reshape(-1, 2) + 0.5)
        near = np.hypot(*(cells - place).T) <= within + 0.1
        rooms = set(ground.rooms_of(cells[near], 0.08).tolist()) - {0}
        assert ground.rooms_near(place, 0.08, within) == rooms
        some += len(rooms) > 0
    assert some > 3
