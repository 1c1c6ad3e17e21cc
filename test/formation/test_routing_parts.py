"""What routes are made of, against formulas of their own: curves, limits along them, levels, levels along a curve, files."""

import heapq
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import fleet, mapped, room

from swarm_control.core.geometry import norm
from swarm_control.core.walldistance import WallDistance
from swarm_control.formation.drive import Drive
from swarm_control.formation.forming.lattice import FloorLattice, neighbour
from swarm_control.formation.routing.along import GRID, _averaged, _cheapest, _straightened, _Try
from swarm_control.formation.routing.arrangement import Arrangements, chain, opened
from swarm_control.formation.routing.bending import FOLD, Curve, Fits, apart
from swarm_control.formation.routing.level_sequence import CHANGE, LATE, STAND, sequence
from swarm_control.formation.routing.path_search import Search, exact_map, nearest, search, way, widest
from swarm_control.formation.routing.path_smoothing import headings, pulled, resampled, smoothed
from swarm_control.formation.routing.single_file import _filed, _in_order, _ramp, _starts
from swarm_control.formation.routing.task import RouteTask
from swarm_control.formation.routing.timing import SAMPLE, _over, _profile, cubic, derivatives, progress_limits, timed
from swarm_control.formation.structure import place

RADIUS = 2.0


def arc(step, length=3.0, radius=RADIUS):
    """Points on a circle round (0, ``radius``), from the origin to the left."""
    angle = np.arange(round(length / step) + 1) * step / radius
    return radius * np.column_stack((np.sin(angle), 1.0 - np.cos(angle)))


def test_on_a_circle_what_lies_ahead_is_turned_and_what_lies_left_is_nearer_the_centre():
    curve, points = Curve.of(arc(0.01)), np.array([[[0.0, 0.0], [0.3, 0.5], [-0.4, -0.7]]])
    assert curve.length == pytest.approx(3.0, rel=1e-5)
    (places,) = curve.place(np.array([1.3]), points)
    angle, off = (1.3 + points[0, :, 0]) / RADIUS, RADIUS - points[0, :, 1]
    assert places == pytest.approx(np.column_stack((off * np.sin(angle), RADIUS - off * np.cos(angle))), abs=1e-4)


@pytest.mark.parametrize(("s", "x"), [(0.2, -0.9), (2.5, 1.1)])
def test_before_and_beyond_a_curve_it_goes_straight_on(s, x):
    curve = Curve.of(arc(0.01))
    end = curve.point[0] if s + x < 0.0 else curve.point[-1]
    angle = 0.0 if s + x < 0.0 else 3.0 / RADIUS
    beyond, left = s + x - (0.0 if s + x < 0.0 else 3.0), 0.4
    expected = end + beyond * np.array([np.cos(angle), np.sin(angle)]) + left * np.array([-np.sin(angle), np.cos(angle)])
    assert curve.place(np.array([s]), np.array([[[x, left]]]))[0, 0] == pytest.approx(expected, abs=5e-3)


def test_headings_go_on_beyond_half_a_turn():
    assert headings(arc(0.02, 12.0))[1:-1] == pytest.approx(np.arange(1, 600) * 0.02 / RADIUS, abs=1e-3)
    assert headings(np.array([[0.0, 0.0], [0.0, 3.0]])) == pytest.approx([np.pi / 2, np.pi / 2])


def test_cubic_pieces_are_exact_for_parabolas_and_lines():
    k = np.arange(6.0)
    between = np.array([1.25, 2.5, 3.9])
    assert cubic(k**2 - 3.0 * k, between) == pytest.approx(between**2 - 3.0 * between)
    assert cubic(np.array([[1.0, 5.0], [3.0, 4.0]]), np.array([0.0, 0.25, 1.0])) == pytest.approx(np.array([[1, 5], [1.5, 4.75], [3, 4]]))


@pytest.mark.parametrize("step", [0.02, 0.05])
def test_on_a_circle_derivatives_are_known(step):
    ways = np.stack((arc(step), 2.0 * arc(step)), axis=1)  # the other goes twice as far, round twice the radius
    speed, bend, curvature = (values[1:-1] for values in derivatives(ways, step))
    assert speed == pytest.approx(np.tile((1.0, 2.0), (len(speed), 1)), rel=1e-3)
    assert bend == pytest.approx(np.tile((1.0 / RADIUS, 2.0 / RADIUS), (len(speed), 1)), rel=1e-3)
    assert curvature == pytest.approx(np.tile((1.0 / RADIUS, 0.5 / RADIUS), (len(speed), 1)), rel=1e-3)
    still = derivatives(0.01 * ways, step)[2]
    assert not still[1:-1].any(), "who hardly moves has no curvature"


@pytest.mark.parametrize(("model", "wheels", "rolls"), [("differential", 0.05, 1.0), ("car", 0.0, 1.0), ("omni", 0.0, 0.0)])
def test_limits_of_progress_on_a_circle(model, wheels, rolls):
    robots, drive, step = fleet(1, model, speed=0.8, acceleration=0.9, turn=0.3), Drive(speed_share=0.5, acceleration_share=0.4), 0.01
    ways = arc(step)[:, None]
    limits, gain = progress_limits(ways, 0.1 * step * np.arange(len(ways)), step, robots, drive)
    brake = 0.4 * 0.9 / np.sqrt(2.0)
    top = min(0.4 / (1.0 + rolls * wheels / RADIUS), np.sqrt(brake * RADIUS), 0.9 * 0.3 * RADIUS if rolls else np.inf, 100.0 / 0.1)
    assert limits[2:-2] == pytest.approx(np.full(len(ways) - 4, top), rel=1e-3)
    assert gain[2:-2] == pytest.approx(np.full(len(ways) - 4, brake), rel=1e-3)
    turning, _ = progress_limits(ways, 2.0 * step * np.arange(len(ways)), step, robots, Drive(max_turn_rate=0.1))
    assert turning[2:-2] == pytest.approx(np.full(len(ways) - 4, 0.05), rel=1e-3)


def test_the_pace_rises_and_falls_as_the_gain_allows():
    """w² = 2·g·q from rest, and the same to the end, capped."""
    q = 0.01 * np.arange(301)
    pace = _profile(np.full(301, 0.7), np.full(301, 0.25), 0.01)
    assert pace[1:-1] == pytest.approx(np.minimum(0.7, np.sqrt(0.5 * np.minimum(q, q[::-1])))[1:-1], rel=1e-6)


def test_the_pace_is_the_greatest_that_rises_and_falls_no_faster_than_it_may():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        count, step = int(rng.integers(3, 12)), 0.1
        fastest, gain = rng.uniform(0.2, 1.0, count), rng.uniform(0.2, 2.0, count)
        square = np.concatenate(([1e-18], fastest[1:-1] ** 2, [1e-18]))
        rise = 2.0 * step * np.minimum(gain[1:], gain[:-1])
        for _ in range(count):
            square[1:] = np.minimum(square[1:], square[:-1] + rise)
            square[:-1] = np.minimum(square[:-1], square[1:] + rise)
        assert _profile(fastest, gain, step) == pytest.approx(np.sqrt(square), rel=1e-6)


def test_a_schedule_takes_the_time_of_its_trapezium_and_no_robot_more_than_its_share():
    robots, drive = fleet(2, "omni", speed=2.0, acceleration=1.25), Drive(speed_share=0.25, acceleration_share=0.4)
    ways = np.stack([np.column_stack((np.linspace(0.0, 4.0, 401), np.full(401, y))) for y in (0.0, 1.0)], axis=1)
    found = timed(ways, np.zeros(401), 0.01, robots, drive)
    gain = 0.5 / np.sqrt(2.0)
    assert found.time[-1] == pytest.approx(4.0 / 0.5 + 0.5 / gain, rel=0.01)
    assert np.diff(found.time).max() <= SAMPLE + 1e-9 and found.place[[0, -1]] == pytest.approx(ways[[0, -1]], abs=1e-3)
    speed = norm(np.diff(found.place, axis=0)) / np.diff(found.time)[:, None]
    assert speed.max() <= 0.5 + 1e-9 and speed.max() > 0.49


def test_a_way_of_two_points_is_gone_at_a_robots_pace_too():
    robots, drive = fleet(2, "omni", speed=2.0, acceleration=1.25), Drive(speed_share=0.25, acceleration_share=0.4)
    ways = np.stack([np.array([[0.0, y], [0.05, y]]) for y in (0.0, 1.0)], axis=1)
    found = timed(ways, np.zeros(2), 0.05, robots, drive)
    assert 2.0 * np.sqrt(0.05 / 0.5) < found.time[-1] < 2.0
    assert found.place[[0, -1]] == pytest.approx(ways, abs=1e-3)


def test_what_is_over_the_limits():
    place = np.cumsum(np.array([0.0, 0.1, 0.3, 0.2, 0.0]))[:, None, None] * np.array([0.6, 0.8])
    found = _over(place, 0.5, np.array([0.5]), np.array([0.8]))
    change, speed = np.abs([0.1, 0.2, 0.1, 0.2]) / 0.25 / 0.8, np.array([0.1, 0.3, 0.2, 0.0]) / 0.5 / 0.5
    assert found == pytest.approx(np.maximum(change, speed**2))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_arrangements_fit_where_each_robot_has_its_room(seed):
    rng = np.random.default_rng(seed)
    walls = WallDistance(room((0.5, 0.9, -0.6, -0.2), (1.5, 1.9, 1.0, 3.0)))
    curve = Curve.of(arc(0.05))
    levels = Arrangements(rng.uniform(-0.8, 0.8, (4, 3, 2)), np.linspace(0.0, 1.0, 4), np.array([0, 0, 1, 2]))
    s, need, pair = rng.uniform(0.0, curve.length, 12), rng.uniform(0.05, 0.4, 3), np.full((3, 3), rng.uniform(0.05, 0.4))
    found = Fits.of(curve, s, levels, need, pair, walls).all()
    for k, level in np.ndindex(found.shape):
        points = levels.points[level]
        at = curve.place(s[k : k + 1], points[None])[0]
        gap = min(norm(at[i] - at[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        u = s[k] + points[:, 0]
        inner = (u > 0.0) & (u < curve.length) & (1.0 - points[:, 1] / RADIUS < FOLD)
        spare = min((walls.distance(at) - need).min(), gap - pair[0, 1])
        if abs(spare) > 2e-3 and not (np.abs(1.0 - points[:, 1] / RADIUS - FOLD) < 0.02).any():
            assert found[k, level] == (spare > 0.0 and not inner.any())


def nothing_to_ask(tree):
    """What is known already is not asked for."""
    curve = Curve.of(arc(0.05))
    return Fits.of(curve, np.zeros(1), tree, np.zeros(1), np.zeros((1, 1)), WallDistance(room())).terms


def cheapest(fits, tree, ds, latest, stand):
    """Least costs (K, L) to come from any start to a sample and level, by Dijkstra's search; infinite: there is no way."""
    samples, levels, share = *fits.shape, tree.share
    queue = [(LATE * ds * k, k, level) for k in range(latest + 1) for level in range(levels) if fits[k, level]]
    known = np.full(fits.shape, np.inf)
    heapq.heapify(queue)
    while queue:
        cost, k, level = heapq.heappop(queue)
        if known[k, level] < np.inf:
            continue
        known[k, level] = cost
        for other in {level, int(tree.toward[level]), *(some for some in range(1, levels) if tree.toward[some] == level)}:
            for to, price in ((k + 1, ds * share[level]), (k, None)):
                if to < samples and fits[to, other] and (price is not None or (stand and other != level)):
                    more = abs(share[other] - share[level])
                    heapq.heappush(queue, (cost + (STAND * more if price is None else price + CHANGE * more), to, other))
    return known


@pytest.mark.parametrize("stand", [True, False])
def test_the_cheapest_sequence_of_levels(stand):
    """In one draw of fifty it stands to take a level more."""
    for seed in range(300):
        rng, latest, ds, reach = np.random.default_rng(seed), 3, 0.3, seed % 3
        fits, share = rng.random((10, 6)) < (0.6, 0.8, 0.9)[reach], np.sort(rng.uniform(0.0, 1.0, 6))
        tree = Arrangements(np.zeros((6, 1, 2)), share, np.array([0, *(rng.integers(max(k - 2, 0), k) for k in range(1, 6))]))
        fits[-1, 0] = True
        along = Fits(tree, fits.astype(np.int8), nothing_to_ask(tree))
        steps, cost = sequence(along, ds, reach, latest, stand)
        sound = np.array([fits[max(k - reach, 0) : k + reach + 1].all(axis=0) if k < 9 else fits[9] for k in range(10)])
        least = cheapest(sound, tree, ds, latest, stand)[-1, 0]
        assert (steps is None) == (least == np.inf) == (cost == np.inf)
        if steps is not None:
            assert cost == pytest.approx(least) and all(sound[k, level] for k, level in steps) and tuple(steps[-1]) == (9, 0)
            assert all((b - a)[0] in (0, 1) for a, b in pairwise(steps))
            assert all(a[1] == b[1] or a[1] == tree.toward[b[1]] or b[1] == tree.toward[a[1]] for a, b in pairwise(steps))
        most = rng.uniform(0.0, 4.0)
        again, at_least = sequence(along, ds, reach, latest, stand, most)
        if again is None and at_least < np.inf:
            assert most <= at_least <= cost
        else:
            assert np.array_equal(again, steps) and at_least == cost


def test_of_several_tries_the_cheapest_comes_first_as_if_all_had_been_searched_to_the_end():
    orders = set()
    for seed in range(200):
        rng, tries, expected = np.random.default_rng(seed), [], []
        for k in range(5):
            fits, share = rng.random((14, 4)) < 0.7, np.sort(rng.uniform(0.0, 2.0, 4))
            fits[-1, 0] = True
            tree = Arrangements(np.zeros((4, 1, 2)), share, np.array([0, 0, 1, 2]))
            along, curve, s = Fits(tree, fits.astype(np.int8), nothing_to_ask(tree)), Curve.of(arc(0.05)), np.arange(14.0)
            tries.append(_Try(curve, s, along, 13, k % 2, False, float(rng.uniform(0.0, 2.0))))
            steps, cost = sequence(along, GRID, k % 2, 13, False)
            expected += [(tries[-1].least + cost, k, steps)] if steps is not None else []
        found = [(next(k for k in range(5) if tries[k] is one), steps) for one, steps in _cheapest(tries)]
        by_least = sorted((k for k, _ in found), key=lambda k: tries[k].least)
        orders.add(by_least == [k for k, _ in found])
        assert [k for k, _ in found] == [k for _, k, _ in sorted(expected, key=lambda one: one[:2])]
        assert all(np.array_equal(steps, {k: some for _, k, some in expected}[k]) for k, steps in found)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.floats(0.05, 3.0))
def test_a_formation_opens_without_bringing_robots_nearer(seed, count, wide):
    points = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 2))
    column = chain(points, np.full((count, count), 0.05), np.full((count, count), 0.1), 0.06)
    tree = opened(column, wide, 0.06)
    assert (tree.toward[1:] < np.arange(1, len(tree.toward))).all() and (tree.points[: len(column.points)] == column.points).all()
    neighbours = tree.points[1:] - tree.points[tree.toward[1:]]
    assert norm(neighbours).max() <= 0.06 + 1e-9 and (tree.share[1:] > tree.share[tree.toward[1:]]).all()
    for level in range(len(column.points), len(tree.points)):
        assert (norm(tree.points[level][:, None] - tree.points[level]) >= norm(points[:, None] - points) - 1e-9).all()
        assert np.ptp(tree.points[level] - points, axis=0)[0] == 0.0, "robots move across the path only"
    assert max(np.ptp(one[:, 1] - points[:, 1]) for one in tree.points[len(column.points) :]) >= wide - 1e-9


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_whether_all_robots_keep_apart(seed, count):
    rng = np.random.default_rng(seed)
    at, radius = rng.uniform(-3.0, 3.0, (count, 2)), rng.uniform(0.02, 0.3, count) * 6.0 / count
    pair = radius[:, None] + radius
    far = (norm(at[:, None] - at) >= pair) | np.eye(count, dtype=bool)
    assert apart(at, pair) == far.all()


@pytest.mark.parametrize("reach", [1, 3])
def test_a_running_mean_leaves_lines_and_both_ends(reach):
    values = np.random.default_rng(0).normal(size=(12, 2))
    found = _averaged(values, reach)
    for k in range(reach, 12 - reach):
        assert found[k] == pytest.approx(values[k - reach : k + reach + 1].mean(axis=0))
    assert found[[0, -1]] == pytest.approx(values[[0, -1]])
    assert _averaged(np.arange(9.0), reach) == pytest.approx(np.arange(9.0))
    assert (_averaged(values, 0) == values).all() and (_averaged(values[:1], 2) == values[:1]).all()


def test_ways_are_brought_gently_to_their_ends():
    ways = np.zeros((200, 1, 2))
    found = _straightened(ways, np.array([[0.2, -0.1]]))
    count = int((0.3 + 5.0 * np.hypot(0.2, 0.1)) / 0.025)
    t = np.linspace(0.0, 1.0, count)
    assert found[-count:, 0, 0] == pytest.approx(0.2 * t * t * (3.0 - 2.0 * t)) and not found[:-count].any()


def test_resampling_is_even_and_keeps_the_ends():
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.7]])
    found = resampled(path, 0.25)
    assert len(found) == 8 and found[[0, -1]] == pytest.approx(path[[0, -1]])
    assert found[1] == pytest.approx([1.7 / 7, 0.0]) and found[5] == pytest.approx([1.0, 5 * 1.7 / 7 - 1.0])


def test_a_way_is_pulled_straight_as_far_as_walls_permit():
    walls = WallDistance(room((-0.5, 0.5, -5.0, 1.0)))
    path = resampled(np.array([[-3.0, 0.0], [-3.0, 2.5], [3.0, 2.5], [3.0, 0.0]]), 0.1)
    found = pulled(path, walls, 0.2, 0.4)
    length = norm(np.diff(found, axis=0)).sum()
    shortest = 2.0 * np.sqrt(2.5**2 + 1.0**2 - 0.4**2) + 1.0  # along the tangents to circles of 0.4 m round two corners
    assert found[[0, -1]] == pytest.approx(path[[0, -1]]) and shortest - 1e-6 < length < 1.12 * shortest
    for a, b in pairwise(found):
        assert walls.distance(a + np.linspace(0.0, 1.0, 20)[:, None] * (b - a)).min() >= 0.4 - 1e-6


def test_a_smoothed_way_is_the_same_seen_in_a_mirror_and_a_straight_one_stays():
    """The mirror changes x for y, in which the room and the box in it look the same."""
    corner, slant = np.array([[-2.0, -1.0], [1.1, -1.2], [1.1, 1.5]]), np.array([[-1.6, -1.9], [1.9, -0.9]])
    for map, path in ((mapped(room((-0.8, 0.8, -0.8, 0.8), side=6.0)), corner), (mapped(room(side=8.0)), slant)):
        found, seen = (smoothed(some, exact_map(map), (0.2, 0.3), 0.05, 0.3, 1) for some in (path, path[:, ::-1]))
        assert found == pytest.approx(seen[:, ::-1], abs=1e-6) and found[[0, -1]] == pytest.approx(path[[0, -1]])
    assert found == pytest.approx(resampled(slant, 0.05), abs=1e-4)


def test_a_ramp_is_round_and_then_straight():
    x = np.array([-0.5, -0.3, 0.0, 0.3, 0.5, 2.0])
    assert _ramp(x, 0.6) == pytest.approx([0.0, 0.0, 0.075, 0.3, 0.5, 2.0])


def test_in_a_file_robots_pass_the_gate_one_spacing_after_the_other():
    ways = [np.column_stack((np.linspace(-before, 2.0, 101), np.full(101, 0.0))) for before in (1.0, 1.5, 2.0)]
    before, order, spacing = np.array([1.0, 1.5, 2.0]), np.array([0, 1, 2]), 0.4
    places = _filed(ways, before, order, spacing)
    assert places[0, :, 0] == pytest.approx(-before, abs=0.01) and places[-1, :, 0] == pytest.approx([2.0, 2.0, 2.0], abs=0.01)
    passing = [float(np.interp(0.0, places[:, k, 0], np.arange(len(places)))) for k in range(3)]
    step = norm(np.diff(places[:, 0], axis=0)).max()
    assert np.diff(passing) * step == pytest.approx([spacing, spacing], rel=0.02)
    assert step == pytest.approx(0.025, rel=0.02)


def test_nobody_starts_much_farther_off_than_who_follows():
    assert _in_order(np.array([1.0, 2.0, 3.0]), 0.0) and _in_order(np.array([2.0, 1.5]), 0.5)
    assert not _in_order(np.array([2.0, 1.0]), 0.9) and not _in_order(np.array([3.0, 4.0, 1.0]), 2.9)


@pytest.mark.parametrize(("length", "bend"), [(0.2, 0.0), (0.9, 0.0), (3.0, 0.0), (3.0, 0.5 * np.pi), (3.0, -0.5 * np.pi)])
def test_a_file_starts_as_the_formation_is_or_turned_back_by_what_its_way_turns(length, bend):
    """Ways straight to the right, perhaps with a bend half-way; the shortest has three points."""
    gone = np.linspace(0.0, length, round(length / 0.1) + 1)
    first, then = np.minimum(gone, 0.5 * length), np.maximum(gone - 0.5 * length, 0.0)
    trunk = np.column_stack((first + np.cos(bend) * then - 1.0, np.sin(bend) * then))
    points, map = np.array([[0.2, 0.0], [-0.2, 0.1]]), mapped(room())
    pose, goal = np.array([*trunk[0], 2.0]), np.array([*trunk[-1], bend + 0.3])
    task, found = RouteTask(points, pose, goal, fleet(2), map, 0.05, Drive()), search(map, trunk[len(trunk) // 2], 0.1, 0.1)
    as_it_is, turned = islice(_starts(task, found, np.arange(2), trunk, 0.1), 2)
    assert as_it_is == pytest.approx(place(points, pose)) and turned == pytest.approx(place(points, np.array([*trunk[0], 0.3])))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_nearest_cell_with_a_way(seed):
    rng = np.random.default_rng(seed)
    map = mapped(room(side=2.0, resolution=0.1))
    time = np.where(rng.random((20, 20)) < 0.1, 1.0, np.inf).astype(np.float32)
    place, within = rng.uniform(-0.99, 0.99, 2), 0.4
    found = nearest(Search(time, np.zeros(2), map), place, within)
    at = ((place + 1.0) // 0.1).astype(int)[::-1]
    far = np.hypot(*(np.argwhere(np.isfinite(time)) - at).T)
    if found is None:
        assert not (far <= 4).any()
    else:
        assert np.isfinite(time[found]) and np.hypot(*(np.array(found) - at)) == pytest.approx(far.min())


def test_a_way_descends_to_its_root_as_fast_as_the_field_says():
    map = mapped(room((-0.2, 0.2, -5.0, 1.0)))
    found = search(map, np.array([2.0, -1.0]), 0.15, 0.3)
    assert np.abs(found.root - (2.0, -1.0)).max() <= 0.5 * map.grid.resolution + 1e-9, "the middle of the place's own cell"
    path = way(found, np.array([-2.0, -1.0]), 0.1)
    assert path[0] == pytest.approx([-2.0, -1.0]) and path[-1] == pytest.approx([2.0, -1.0], abs=0.06)
    length = norm(np.diff(path, axis=0)).sum()
    assert 2.0 * np.hypot(1.65, 2.15) < length < 1.15 * (2.0 * np.hypot(1.65, 2.15) + 0.7)
    assert WallDistance(map.grid).distance(path).min() >= 0.15 - 1e-6
    assert way(found, np.array([0.0, -2.0]), 0.1) is None, "in the wall"


@pytest.mark.parametrize("gap", [0.3, 0.8])
def test_the_widest_way_is_as_wide_as_its_gap(gap):
    map = mapped(room((-0.2, 0.2, -5.0, 1.0), (-0.2, 0.2, 1.0 + gap, 5.0)))
    half, place = widest(map, np.array([-2.0, -1.0]), np.array([2.0, -1.0]))
    assert half == pytest.approx(0.5 * gap, abs=0.03) and place == pytest.approx([0.0, 1.0 + 0.5 * gap], abs=0.4)
    shut = mapped(room((-0.2, 0.2, -5.0, 5.0)))
    assert widest(shut, np.array([-2.0, -1.0]), np.array([2.0, -1.0])) == (0.0, None)


def test_a_lattice_is_over_the_map_and_goes_on_where_points_are_outside():
    map, pitch, cap = mapped(room(side=4.0)), 0.1, 0.3
    inside = FloorLattice.of(map, np.array([[1.0, 1.5]]), pitch, cap)
    outside = FloorLattice.of(map, np.array([[1.0, 1.5], [-5.0, 3.0]]), pitch, cap)
    for lattice, low, high in ((inside, (-2.0, -2.0), (2.0, 2.0)), (outside, (-8.0, -2.0), (4.0, 6.0))):
        assert lattice.places.min(axis=0) == pytest.approx(np.array(low), abs=0.5 * pitch + 1e-9)
        assert lattice.places.max(axis=0) == pytest.approx(np.array(high), abs=0.5 * pitch + 1e-9)
        step = np.diff(lattice.places[: lattice.columns], axis=0)
        assert step == pytest.approx(np.tile((pitch, 0.0), (len(step), 1))) and len(lattice.places) == lattice.rows * lattice.columns


def test_beyond_the_border_of_a_lattice_there_is_no_neighbour():
    rows, columns = 3, 4
    sides = np.ones((rows * columns, 4))
    for node in range(rows * columns):
        i, j = divmod(node, columns)
        around = {neighbour(node, k, sides, rows, columns, 0.5) for k in range(8)} - {-1}
        assert around == {a * columns + b for a in range(rows) for b in range(columns) if max(abs(a - i), abs(b - j)) == 1}
        assert all(neighbour(node, k, sides, rows, columns, 2.0) == -1 for k in range(8))
