import re

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist

from swarm_control.core.grid import Grid
from swarm_control.core.walldistance import WallDistance
from swarm_control.errors import InputError
from swarm_control.scenario import free_floor
from swarm_control.scenario.placement import check_free, place
from swarm_control.scenario.schema import RobotGroup, Start

NOBODY = np.empty((0, 3))


def put(count, grid=None, taken=NOBODY, radius=0.05, seed=0, **start):
    group = RobotGroup(count=count, radius=radius, start=Start(**start))
    return place(group, taken, grid, np.random.default_rng(seed), "here")[0]


def halves() -> Grid:
    """A room of 4 m × 4 m, cut in two by a wall at x = 0."""
    occupied = np.zeros((80, 80), bool)
    occupied[[0, -1], :] = occupied[:, [0, -1]] = occupied[:, 39:41] = True
    return Grid(occupied, (-2.0, -2.0), 0.05)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 40), st.sampled_from(("scatter", "grid")), st.floats(0.0, 0.25))
def test_everybody_gets_a_free_place_apart_from_others_and_on_the_same_side(seed, count, pattern, spacing):
    grid, taken = halves(), np.array([(-1.0, 0.0, 0.2), (-0.8, 0.8, 0.1)])
    pose = put(count, grid, taken, pattern=pattern, spacing=spacing, center=(-1.0, 0.0), seed=seed)
    assert pose.shape == (count, 3)
    gap = max(spacing, 0.105)
    assert count == 1 or pdist(pose[:, :2]).min() >= gap * (1 - 1e-6)
    assert WallDistance(grid).distance(pose[:, :2]).min() >= 0.05 + 0.02 - 1e-9
    assert (pose[:, 0] < 0.0).all()
    for x, y, body in taken:
        assert np.hypot(pose[:, 0] - x, pose[:, 1] - y).min() >= max(gap, body + 0.05)
    check_free(pose, np.full(count, 0.05), tuple(map(str, range(count))), grid, "here")


def test_where_there_is_no_room_the_error_says_how_much_there_is():
    with pytest.raises(InputError, match=r"here\.start: room for \d+ robots found .* expected 5000"):
        put(5000, halves(), center=(1.0, 0.0))
    with pytest.raises(InputError, match="expected 500"):
        put(500, halves(), radius=0.1, spacing=0.5, pattern="grid", center=(1.0, 0.0))


def test_a_disc_to_scatter_in_is_kept():
    disc = RobotGroup(count=12, start=Start(center=(3.0, 4.0), spacing=0.2, radius=1.0))
    pose, told = place(disc, NOBODY, None, np.random.default_rng(0), "here")
    assert np.hypot(*(pose[:, :2] - (3.0, 4.0)).T).max() <= 1.0 and not told
    with pytest.raises(InputError, match=r"here\.start: room for \d+ robots found .* expected 300"):
        place(RobotGroup(count=300, start=Start(spacing=0.2, radius=0.5)), NOBODY, None, np.random.default_rng(0), "here")


@pytest.mark.parametrize("pattern", ["scatter", "grid"])
@pytest.mark.parametrize("radius", [0.0, 0.9])
def test_robots_that_have_no_room_start_nearer_to_each_other_and_it_is_said(pattern, radius):
    few = Start(pattern=pattern, center=(-1.0, 0.0), spacing=0.5, radius=radius)
    pose, told = place(RobotGroup(count=60, radius=0.05, start=few), NOBODY, halves(), np.random.default_rng(0), "here")
    assert 0.105 <= pdist(pose[:, :2]).min() + 1e-9 < 0.5 and (pose[:, 0] < 0.0).all()
    assert pattern == "grid" or not radius or np.hypot(*(pose[:, :2] - (-1.0, 0.0)).T).max() <= radius
    assert re.fullmatch(r"here\.start: no room for 60 robots 0\.5 m apart; they start 0\.\d+ m apart", told)


def test_patterns_in_closed_form():
    ring = put(6, pattern="ring", radius=0.05, center=(1.0, 1.0), heading=90.0, spacing=0.5)
    assert np.hypot(*(ring[:, :2] - 1.0).T) == pytest.approx(np.full(6, 0.5)), "a hexagon"
    for count in (2, 3, 7):
        places = put(count, pattern="ring", radius=0.05, spacing=0.5)[:, :2]
        assert np.hypot(*(places - np.roll(places, 1, axis=0)).T) == pytest.approx(np.full(count, 0.5))
    assert ring[:, 2] == pytest.approx(np.full(6, 0.5 * np.pi))
    line = put(3, pattern="line", spacing=0.5, heading=0.0, center=(0.0, 2.0))
    assert line == pytest.approx(np.array([(0.0, 1.5, 0.0), (0.0, 2.0, 0.0), (0.0, 2.5, 0.0)]))
    poses = put(2, pattern="poses", poses=((1.0, 2.0, 90.0), (3.0, 4.0, -45.0)))
    assert poses == pytest.approx(np.array([(1.0, 2.0, 0.5 * np.pi), (3.0, 4.0, -0.25 * np.pi)]))


def test_headings_are_spread_about_theirs():
    heading = np.rad2deg(put(400, heading=30.0, heading_spread=60.0, spacing=0.0)[:, 2])
    assert heading.min() >= 0.0 and heading.max() <= 60.0 and abs(heading.mean() - 30.0) < 4 * 60 / np.sqrt(12 * 400)


def test_the_seed_decides_where():
    assert np.array_equal(put(20, seed=3), put(20, seed=3)) and not np.array_equal(put(20, seed=3), put(20, seed=4))


def test_starts_in_walls_and_overlaps_are_refused_by_name():
    names, radius = ("a", "b"), np.full(2, 0.05)
    with pytest.raises(InputError, match=r"here: b at \(0\.00, 0\.50\) starts in a wall"):
        check_free(np.array([(-1.0, 0, 0), (0.0, 0.5, 0)]), radius, names, halves(), "here")
    with pytest.raises(InputError, match="a and b overlap"):
        check_free(np.array([(-1.0, 0, 0), (-1.0, 0.09, 0)]), radius, names, halves(), "here")
    check_free(np.array([(-1.0, 0, 0), (-1.0, 0.11, 0)]), radius, names, halves(), "here")


def test_a_hundred_thousand_find_room():
    pose = put(100_000, spacing=0.3, pattern="scatter")
    assert len(np.unique(pose[:, :2], axis=0)) == 100_000


@given(st.integers(1, 300), st.integers(0, 20), st.floats(0.2, 3.0), st.floats(-180.0, 180.0))
def test_a_hexagonal_start_has_its_spacing_and_its_rows_across_the_heading(count, rows, spacing, heading):
    pose = put(count, pattern="hexagonal", spacing=spacing, rows=rows, heading=heading)
    assert pose.shape == (count, 3) and (count == 1 or pdist(pose[:, :2]).min() >= spacing * (1.0 - 1e-9))
    ahead = np.array([np.cos(np.deg2rad(heading)), np.sin(np.deg2rad(heading))])
    row = np.round(pose[:, :2] @ ahead / (np.sqrt(0.75) * spacing) * 2.0).astype(int)
    assert np.allclose(pose[:, :2] @ ahead, 0.5 * row * np.sqrt(0.75) * spacing) and (rows == 0 or len(np.unique(row)) <= rows)


def test_a_hundred_and_five_robots_fill_ten_rows_of_eleven_and_ten():
    pose = put(105, pattern="hexagonal", spacing=1.5, rows=10)
    assert np.bincount(np.unique(pose[:, 0], return_inverse=True)[1]).tolist() == [11, 10] * 5
    assert np.ptp(pose[:, 1]) == 15.0 and np.allclose(pose[:, :2].mean(axis=0), [0.0, 0.0], atol=0.1)


L_SHAPE = (-2.0, -2.0, 2.0, -2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 2.0, -2.0, 2.0)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 150), st.floats(0.01, 0.08), st.floats(-20.0, 20.0), st.booleans())
def test_a_filled_outline_has_all_within_it_and_evenly_apart(count, radius, shift, back):
    outline = np.array(L_SHAPE).reshape(-1, 2)[:: -1 if back else 1] + shift
    position = put(count, pattern="fill", radius=radius, outline=tuple(outline.ravel()))[:, :2]
    inside = shapely.Polygon(outline).buffer(-radius * (1.0 - 1e-6))
    assert position.shape == (count, 2) and shapely.contains_xy(inside, position).all()
    if count >= 20:
        apart = cKDTree(position).query(position, k=2)[0][:, 1]
        even = np.sqrt(2.0 * 12.0 / (np.sqrt(3.0) * count))
        assert 0.7 * even <= apart.min() and np.median(apart) <= 1.25 * even
        for quarter in (position < shift).all(axis=1), (position[:, 0] > shift) & (position[:, 1] < shift):
            assert abs(quarter.mean() - 1.0 / 3.0) < 0.12


def test_a_filled_outline_keeps_off_walls_and_robots_that_are_there():
    grid, taken = halves(), np.array([(-1.0, 0.0, 0.2)])
    pose = put(60, grid, taken, pattern="fill", outline=(-1.9, -1.9, 1.9, -1.9, 1.9, 1.9, -1.9, 1.9))
    check_free(pose, np.full(60, 0.05), tuple(map(str, range(60))), grid, "here")
    assert np.hypot(pose[:, 0] + 1.0, pose[:, 1]).min() >= 0.25 and (pose[:, 0] < 0.0).any() and (pose[:, 0] > 0.0).any()


@pytest.mark.parametrize(
    "outline,told",
    [((), "no corners found"), ((0.0, 0.0, 1.0), "3 numbers found"), ((0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0), "expected a polygon"),
     ((0.0, 0.0, 0.05, 0.0, 0.05, 0.05), "room for 0 robots"), ((0.0, 0.0, 0.5, 0.0, 0.5, 0.5, 0.0, 0.5), "expected 40")],
)  # fmt: skip
def test_outlines_that_cannot_be_filled_are_told_of(outline, told):
    with pytest.raises(InputError, match=r"here\.start\.outline: ") as error:
        put(40, pattern="fill", outline=outline)
    assert told in str(error.value)


def test_places_that_are_looked_for_a_part_at_a_time_are_as_even_and_as_far_apart(monkeypatch):
    """Of very many robots; here 3,000 stand for them. Each half of the disc has as many robots, and nobody is too near."""
    monkeypatch.setattr(free_floor, "AT_ONCE", 60_000)
    pose = put(3000, seed=4, pattern="scatter", spacing=0.4)
    assert len(pose) == 3000 and cKDTree(pose[:, :2]).query(pose[:, :2], k=2)[0][:, 1].min() >= 0.4 * (1.0 - 1e-9)
    for angle in np.arange(4) * np.pi / 4.0:
        share = np.mean(pose[:, :2] @ np.array([np.cos(angle), np.sin(angle)]) > 0.0)
        assert abs(share - 0.5) < 0.03
