"""Ways until robots have stopped, against fine integration of the same motion, and distances to polygons against shapely."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Point, Polygon

from swarm_control.safety.polygon_distance import least_distance, sides_apart, signed_distance, to_side
from swarm_control.safety.stopping_ways import FINE as FINER
from swarm_control.safety.stopping_ways import MORE, PARTS, WAY, _within, free_way, glide, lean, roll, turns

FINE, CLOSE = 2000, 0.01
"""Steps of the integration, and how far (m) a way may be from it at speeds of up to 4 m/s and periods of up to 0.5 s."""

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, curvature, axle):
    """What stopping_ways takes for a robot that rolls or glides: its heading, speed, velocity, braking, step and so on."""
    rng = np.random.default_rng(seed)
    period, top, hardest, rate = rng.uniform(0.02, 0.5), rng.uniform(0.05, 4.0), rng.uniform(0.3, 8.0), rng.uniform(1.0, 8.0)
    heading, course, speed = *rng.uniform(-np.pi, np.pi, 2), top * rng.uniform(-1.0, 1.0)
    if np.isfinite(curvature) or axle:
        course = heading
    velocity = speed * np.cos(course), speed * np.sin(course)
    return rng, (heading, speed, *velocity, 0.5 * hardest, hardest * period, period, 0.1, curvature, top, rate, 0.2, axle)


def rolled(v, w, own):
    """The path (FINE + 1, 2) m in a period and the end of the stopping way, in small steps: the speed changes as fast as it may until it
    is there, and wheels turn the robot with what the speed leaves of theirs.
    """
    heading, speed, _, _, braking, step, period, latency, curvature, top, _, _, axle = own
    path, dt = [np.zeros(2)], period / FINE
    for _ in range(FINE):
        change = np.clip(v - speed, -step / FINE, step / FINE)
        mean = speed + 0.5 * change
        tightest = curvature * abs(mean) if np.isfinite(curvature) else abs(w)
        if axle:
            tightest = min(tightest, max(top - abs(mean), 0.0) / axle)
        turn = np.clip(w, -tightest, tightest) * dt
        path.append(path[-1] + mean * dt * np.array([np.cos(heading + 0.5 * turn), np.sin(heading + 0.5 * turn)]))
        heading, speed = heading + turn, speed + change
    rest = speed * (latency + abs(speed) / (2.0 * braking))
    return np.array(path), path[-1] + rest * np.array([np.cos(heading), np.sin(heading)])


def glided(wish, w, own):
    """The same of a robot that glides, told to go at ``wish`` (2,) m/s, world frame: its velocity follows the turning command."""
    _, _, *velocity, braking, step, period, latency, _, _, _, _, _ = own
    velocity, path, dt = np.array(velocity), [np.zeros(2)], period / FINE
    for k in range(FINE):
        angle = w * (k + 0.5) * dt
        told = np.array([np.cos(angle) * wish[0] - np.sin(angle) * wish[1], np.sin(angle) * wish[0] + np.cos(angle) * wish[1]])
        change = told - velocity
        change *= min(1.0, step / FINE / max(np.hypot(*change), 1e-12))
        path.append(path[-1] + dt * (velocity + 0.5 * change))
        velocity = velocity + change
    return np.array(path), path[-1] + (latency + np.hypot(*velocity) / (2.0 * braking)) * velocity


def off(path, way):
    """How far (m) places of a path (K, 2) are from the chain of points of a ``way`` that begins at the origin, at most."""
    chain = LineString(np.vstack(([0.0, 0.0], way)))
    return max(chain.distance(Point(place)) for place in path[:: FINE // 100])


@pytest.mark.parametrize(("curvature", "axle"), [(np.inf, 0.0), (np.inf, 0.1), (np.inf, 0.5), (0.8, 0.0), (3.0, 0.0)])
@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_way_of_who_rolls_is_the_integral(curvature, axle, seed):
    """Found by random swarms: told to back off, or to turn by more than the wheels can beside the speed, robots were led elsewhere."""
    rng, own = drawn(seed, curvature, axle)
    v, w, way = own[9] * rng.uniform(-1.0, 1.0), own[10] * rng.uniform(-1.0, 1.0), np.zeros((WAY, 2))
    if axle:
        w = float(np.clip(w, -(own[9] - abs(v)) / axle, (own[9] - abs(v)) / axle))
    count, (path, end) = roll(v, w, own, way), rolled(v, w, own)
    assert off(path, way[: count - 1]) < CLOSE
    if count > 2:  # else it is taken to go a little farther, the same way
        assert way[[count - 2, count - 1]] == pytest.approx(np.array([path[-1], end]), abs=4.0 * CLOSE)


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_the_way_of_who_glides_is_the_integral(seed):
    """Found by a random swarm: one that turned by half a circle in a period was led two centimetres aside, to a wall."""
    rng, own = drawn(seed, np.inf, 0.0)
    speed, course, w = own[9] * rng.uniform(0.0, 1.0), rng.uniform(-np.pi, np.pi), own[10] * rng.uniform(-1.0, 1.0)
    wish, way = (speed * np.cos(course), speed * np.sin(course)), np.zeros((WAY, 2))
    count, (path, end) = glide(*wish, turns(w, own), own, way), glided(wish, w, own)
    assert off(path, way[: count - 1]) < CLOSE
    assert way[[count - 2, count - 1]] == pytest.approx(np.array([path[-1], end]), abs=4.0 * CLOSE)


@pytest.mark.parametrize("curvature", [np.inf, 2.0])
@pytest.mark.parametrize(("v", "w"), [(0.7, 1.5), (-0.7, -1.0), (0.7, 0.0)])
def test_a_short_periods_way_at_an_even_speed_is_an_arc(v, w, curvature):
    way, own = np.zeros((WAY, 2)), (0.4, v, 0.0, 0.0, 1.1, 0.1, 0.1, 0.15, curvature, 1.0, 2.0, 0.1, 0.0)
    count, (path, end) = roll(v, w, own, way), rolled(v, w, own)
    assert count <= 3 and way[count - 2 : count] == pytest.approx(np.array([path[-1], end]), abs=1e-6)


def test_who_slows_down_is_taken_to_go_half_as_fast_as_both_together_and_who_speeds_up_as_in_the_end():
    way = np.zeros((WAY, 2))
    for v, speed, mean in ((0.2, 0.8, 0.6), (0.8, 0.2, 0.6), (0.0, -0.3, -0.15)):
        roll(v, 0.0, (0.0, speed, 0.0, 0.0, 1.0, 0.4, 0.1, 0.0, np.inf, 1.0, 2.0, 0.1, 0.0), way)
        gone = speed + np.clip(v - speed, -0.4, 0.4)
        assert way[0] == pytest.approx([0.1 * mean, 0.0])
        assert way[1, 0] - way[0, 0] == pytest.approx(gone * abs(gone) / 2.0)


def test_who_turns_back_goes_on_first():
    """From 1 m/s to −1 with 8 m/s² in a quarter of a second: 6 cm ahead, and back to where it was."""
    way = np.zeros((WAY, 2))
    count = roll(-1.0, 0.0, (0.0, 1.0, 1.0, 0.0, 1.0, 2.0, 0.25, 0.0, np.inf, 1.0, 2.0, 0.1, 0.0), way)
    assert way[:count, 0].max() == pytest.approx(0.0625, abs=2e-3) and way[count - 2, 0] == pytest.approx(0.0, abs=1e-9)


def test_a_way_is_within_a_half_plane_wherever_it_comes_nearer_again():
    way, toward = np.array([[0.5, 0.0], [1.0, 1.0], [9.0, 9.0]]), np.array([0.6, 0.8])
    for bound, expected in ((1.39, False), (1.41, True)):
        assert _within(way, 2, toward, bound, 0.0, 0.0) is expected
    assert not _within(way, 3, toward, 1.5, 0.0, 0.0)
    back = np.array([[-0.5, 0.0], [-1.0, 0.0], [-0.9, 0.0]])
    assert _within(back, 2, np.array([1.0, 0.0]), -5.0, 0.0, 0.0), "it goes away"
    for bound, expected in ((-0.91, False), (-0.89, True)):
        assert _within(back, 3, np.array([1.0, 0.0]), bound, 0.0, 0.0) is expected


def test_a_heading_in_doubt_takes_room_for_what_is_not_covered_of_the_way():
    """0.1 rad of a way of 1 m, half of which is covered: 5 cm, but it gets no farther than its length.

    Told to turn by 2 rad/s more with a latency of 0.2 s: 0.4 rad.
    """
    way, nowhere = np.array([[1.0, 0.0]]), (np.zeros((1, 1), bool), np.full((1, 1), 1e12, np.float32), -1e9, -1e9, 1e9, 0.0, 0.0, 0.0, 0.0)
    aslant, along = (0.8, 0.6), (1.0, 0.0)
    for toward, bound, expected in ((aslant, 0.84, False), (aslant, 0.86, True), (along, 0.99, False), (along, 1.01, True)):
        plane = np.array([toward]), np.array([bound]), 1
        assert free_way(way, 1, 0.1, (0.0, 0.0, 0.5), nowhere, 0.2, *plane) is expected
    own = (0.0, 0.5, 0.5, 0.0, 1.0, 0.4, 0.1, 0.2, np.inf, 1.0, 2.5, 0.15, 0.0)
    assert lean(1.5, own, (0.1, -0.5, 0.0)) == pytest.approx(0.5)


POINTS = st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), min_size=1, max_size=4)


@settings(max_examples=400, deadline=None)
@given(POINTS, st.floats(0.0, 3.0), st.floats(0.0, 6.3), st.floats(-0.5, 1.0), st.floats(-1.0, 1.0))
def test_a_way_that_is_free_is_so_however_its_heading_is_off(points, off, direction, bound, share):
    """It keeps to the half-plane, or, beyond it, comes no nearer than its beginning."""
    way, open_floor = np.array(points), (np.zeros((1, 1), bool), np.full((1, 1), 1e12, np.float32), -1e9, -1e9, 1e9, 0.0, 0.0, 0.0, 0.0)
    normal = np.array([np.cos(direction), np.sin(direction)])
    if free_way(way, len(way), off, (0.0, 0.0, 0.0), open_floor, 0.2, normal[None], np.array([bound]), 1):
        c, s = np.cos(share * off), np.sin(share * off)
        assert (way @ np.array([[c, s], [-s, c]]) @ normal).max() <= max(bound, 0.0) + 1e-6


def test_a_way_that_seems_to_recede_is_not_free_where_it_may_lead_right_there():
    """Found by a random swarm: told to turn fast, it was late, and went where it had looked before."""
    way, nowhere = (
        np.array([[-0.04, 0.2]]),
        (np.zeros((1, 1), bool), np.full((1, 1), 1e12, np.float32), -1e9, -1e9, 1e9, 0.0, 0.0, 0.0, 0.0),
    )
    plane = np.array([[1.0, 0.0]]), np.array([0.05]), 1
    assert free_way(way, 1, 0.1, (0.0, 0.0, 0.0), nowhere, 0.2, *plane)
    assert not free_way(way, 1, 1.6, (0.0, 0.0, 0.0), nowhere, 0.2, *plane)


NUMBERS = st.lists(st.integers(-8, 8).map(float), min_size=8, max_size=8)


@settings(max_examples=100, deadline=None)
@given(NUMBERS)
def test_segments_are_as_far_apart_as_shapely_says(values):
    a, b, c, d = np.array(values).reshape(4, 2) + np.array([[0.1, 0.0], [0.0, 0.07], [0.03, 0.02], [-0.05, 0.11]])
    assert sides_apart(*a, *b, *c, *d) == pytest.approx(LineString([a, b]).distance(LineString([c, d])), abs=1e-9)
    assert to_side(*a, *b, *c) == pytest.approx(Point(a).distance(LineString([b, c])), abs=1e-9)
    assert to_side(*a, *b, *b) == pytest.approx(np.hypot(*(a - b)))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_segments_least_distance_within_a_polygon(seed):
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, 7))
    corners = (rng.uniform(0.5, 2.0, 7) * np.stack((np.cos(angle), np.sin(angle)))).T
    polygon, (a, b) = Polygon(corners), rng.uniform(-1.2, 1.2, (2, 2))
    if not polygon.is_valid:
        return
    ends = [polygon.exterior.distance(Point(p)) * (1.0 if polygon.contains(Point(p)) else -1.0) for p in (a, b)]
    assert [signed_distance(corners, *p) for p in (a, b)] == pytest.approx(ends, abs=1e-9)
    low, last = least_distance(corners, *a, *b)
    assert last == pytest.approx(ends[1], abs=1e-9)
    if min(ends) <= 0.0:
        assert low == pytest.approx(min(ends), abs=1e-9)
    elif LineString([a, b]).crosses(polygon.exterior):
        assert low == -np.inf
    else:
        assert low == pytest.approx(LineString([a, b]).distance(polygon.exterior), abs=1e-9)


@pytest.mark.parametrize(
    ("w", "period", "top", "parts"), [(0.4, 1.0, 3.0, 13), (6.0, 0.5, 4.0, MORE), (0.0, 0.2, 4.0, PARTS), (4.9, 0.1, 0.3, PARTS)]
)
def test_whoever_turns_far_or_goes_on_for_long_is_looked_at_in_more_parts(w, period, top, parts):
    """A way that bows by 0.15 m over its length does so by a millimetre over a thirteenth of it."""
    count, steps, c, s = turns(w, (0.0, 0.0, 0.0, 0.0, 1.0, 0.1, period, 0.0, np.inf, top, 8.0, 0.1, 0.0))
    assert count == parts and steps == (FINER if parts > PARTS else 1)
    assert np.arctan2(s, c) == pytest.approx(0.5 * w * period / (count * steps))
