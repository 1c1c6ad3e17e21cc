"""Distances of segments to a polygon's border, against shapely."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.safety.crossing import crossing_sides
from swarm_control.safety.polygon_distance import least_distance


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 9))
def test_the_least_signed_distance_on_a_segment_is_that_of_shapely(seed, count):
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * (np.arange(count) + rng.uniform(-0.4, 0.4, count)) / count
    corners = (rng.uniform(0.4, 2.5, count) * np.stack((np.cos(angle), np.sin(angle)))).T
    floor, (a, b) = shapely.Polygon(corners), rng.uniform(-2.0, 2.0, (2, 2))
    signed = [shapely.distance(floor.exterior, end) * (1.0 if shapely.contains(floor, end) else -1.0) for end in shapely.points([a, b])]
    lowest, last = least_distance(corners, *a, *b)
    way = shapely.LineString([a, b])
    assert last == pytest.approx(signed[1], abs=1e-9)
    if min(signed) <= 0.0:
        assert lowest == pytest.approx(min(signed), abs=1e-9)
    elif shapely.intersects(floor.exterior, way):
        assert lowest == -np.inf
    else:
        assert lowest == pytest.approx(shapely.distance(floor.exterior, way), abs=1e-9)


def test_a_way_that_leads_out_and_in_again_is_as_far_outside_as_can_be():
    notched = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, -0.5], [-1.0, 1.0]])
    assert least_distance(notched, -0.8, 0.3, 0.8, 0.3)[0] == -np.inf


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=7, unique=True))
def test_sides_that_touch_or_fold_back_are_those_of_polygons_that_are_not_simple(corners):
    """On a grid corners lie on sides, and sides on each other, as often as not; corners between two sides in one line are allowed."""
    points = np.array(corners, float)
    assert (crossing_sides(points) is None) == shapely.Polygon(points).is_valid


@pytest.mark.parametrize("angle", [0.0, 0.5 * np.pi, np.arctan2(3.0, 4.0)])
def test_sides_that_fold_back_are_named(angle):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]).round(12)
    spike = 5.0 * np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 2.0]]) @ turn.T
    assert crossing_sides(spike) == (0, 1) and crossing_sides(spike[[0, 1, 3]]) is None
