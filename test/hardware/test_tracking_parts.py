"""What a tracker's image search is made of: who is who, where to look, edges and spots to a fraction of a pixel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("cv2")

from swarm_control.core.geometry import rotate
from swarm_control.hardware.tracking.aruco import SQUARE, ArucoFinder, _first, refine
from swarm_control.hardware.tracking.floor import FloorProjection
from swarm_control.hardware.tracking.sighting import Candidates, identify, windows
from swarm_control.hardware.tracking.spots import HUES, SpotFinder, _centre
from swarm_control.scenario.hardware import FloorCalibration, Tracker
from swarm_control.sim.hardware.render import BODY, RenderedFloor

NONE = np.full((3, 3), np.nan)


def candidates(kind, place, misfit=None, parts=None):
    n = len(kind)
    pose = np.column_stack((np.reshape(place, (n, 2)), np.arange(n)))
    parts = np.repeat(np.arange(n)[:, None], 2, axis=1) if parts is None else np.array(parts)
    return Candidates(np.array(kind), pose, parts, np.zeros(n) if misfit is None else np.array(misfit))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_everybody_within_reach_is_who_he_was(seed):
    rng = np.random.default_rng(seed)
    predicted = np.column_stack((3.0 * np.arange(5), rng.uniform(-1.0, 1.0, 5), np.zeros(5)))
    order, off = rng.permutation(5), rng.uniform(-0.7, 0.7, (5, 2))
    seen = identify(candidates(np.ones(5), (predicted[:, :2] + off)[order]), np.ones(5), predicted, 1.0)
    assert seen.pose[:, :2] == pytest.approx(predicted[:, :2] + off) and not seen.duplicates.any()
    assert seen.pose[:, 2] == pytest.approx(np.argsort(order))


def test_the_nearest_pair_goes_first_and_fit_counts_as_way():
    kinds, predicted = np.array([4, 4]), np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    seen = identify(candidates([4, 4], [[0.4, 0.0], [-0.5, 0.0]]), kinds, predicted, 0.9)
    assert seen.pose[:, 0] == pytest.approx([0.4, np.nan], nan_ok=True) or seen.pose[:, 0] == pytest.approx([0.4, -0.5])
    ill = identify(candidates([4, 4], [[0.2, 0.0], [0.3, 0.0]], misfit=[0.2, 0.0]), kinds[:1], predicted[:1], 0.9)
    assert ill.pose[0, 0] == 0.3, "0.3 m and a good fit before 0.2 m and an ill one"
    assert ill.duplicates.tolist() == [True]


def test_one_that_is_left_is_the_one_that_is_missing_and_of_two_nobody_knows():
    kinds = np.array([1, 1, 2])
    predicted = np.array([[0.0, 0.0, 0.0], [np.nan] * 3, [np.nan] * 3])
    seen = identify(candidates([1, 1, 2], [[0.1, 0.0], [5.0, 5.0], [7.0, 0.0]]), kinds, predicted, 0.5)
    assert seen.pose[:, 0].tolist() == [0.1, 5.0, 7.0] and not seen.duplicates.any()
    two = identify(candidates([1, 1], [[3.0, 0.0], [5.0, 5.0]]), kinds[:2], NONE[:2], 0.5)
    assert np.isnan(two.pose).all() and not two.duplicates.any(), "as many as there are, but who is who?"
    many = identify(candidates([2, 2], [[3.0, 0.0], [5.0, 5.0]]), kinds, NONE, 0.5)
    assert np.isnan(many.pose).all() and many.duplicates.tolist() == [False, False, True]


def test_what_belongs_to_one_robot_belongs_to_no_other():
    found = candidates([1, 2, 2], [[0.0, 0.0], [0.1, 0.0], [3.0, 0.0]], misfit=[0.0, 0.01, 0.02], parts=[[0, 1], [1, 2], [3, 4]])
    seen = identify(found, np.array([1, 2]), np.zeros((2, 3)), 0.5)
    assert seen.pose[:, 0].tolist() == [0.0, 3.0] and not seen.duplicates.any()


def floor(size=(640, 480)):
    """Seen askew from above: a pixel is some 5 mm."""
    corners = (100.0, 80.0, 560.0, 60.0, 600.0, 420.0, 40.0, 400.0)
    return FloorProjection.of(FloorCalibration(image_points=corners, floor_points=(-1.3, 1, 1.2, 1, 1.1, -0.9, -1.2, -1), image_size=size))


@pytest.mark.parametrize("place", [(0.0, 0.0), (-0.9, 0.4), (0.8, -0.6)])
def test_windows_hold_what_is_near_and_little_more(place):
    seen, radius = floor(), 0.2
    (window,) = windows(seen, np.array([[*place, 0.0]]), 0.0, radius)
    angle = np.linspace(0.0, 2.0 * np.pi, 60)
    pixels = seen.to_image(np.array(place) + 0.9 * radius * np.column_stack((np.cos(angle), np.sin(angle))))
    rows, columns = window
    assert rows.start <= pixels[:, 1].min() and pixels[:, 1].max() < rows.stop
    assert columns.start <= pixels[:, 0].min() and pixels[:, 0].max() < columns.stop
    side = 2.0 * (radius / seen.scale(seen.to_image(np.array([place])))[0] + 4.0)
    assert rows.stop - rows.start <= side + 2 and columns.stop - columns.start <= side + 2


def test_windows_end_at_the_border_and_there_is_none_outside():
    seen = floor()
    corner = seen.to_floor(np.array([[2.0, 478.0]]))
    (window,) = windows(seen, np.column_stack((corner, [0.0])), 0.0, 0.1)
    assert window[0].stop == 480 and window[1].start == 0 and window[0].start > 440 and window[1].stop < 40
    far = seen.to_floor(np.array([[-200.0, 100.0]]))
    assert windows(seen, np.column_stack((far, [0.0])), 0.0, 0.1) == [] and windows(seen, np.empty((0, 3)), 0.0, 0.1) == []


def disc(x, y, radius, size=(40, 50), parts=8):
    """Share of each pixel that a disc covers; pixels' middles are at whole numbers."""
    fine = (np.arange(size[0] * parts) + 0.5) / parts - 0.5, (np.arange(size[1] * parts) + 0.5) / parts - 0.5
    inside = np.hypot(fine[1][None] - x, fine[0][:, None] - y) < radius
    return inside.reshape(size[0], parts, size[1], parts).mean(axis=(1, 3))


@pytest.mark.parametrize(("x", "y"), [(20.3, 15.8), (7.5, 30.1), (6.1, 6.4)])
def test_a_spots_centre_is_known_to_a_tenth_of_a_pixel(x, y):
    share = disc(x, y, 5.0)
    image = (128 + np.stack((100 * share, -60 * share, -60 * share), axis=-1)).round().astype(np.uint8)
    mask = share > 0.6
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, left = rows[0], columns[0]
    found = _centre(image, mask[top : rows[-1] + 1, left : columns[-1] + 1], top, left)
    assert found[:2] == pytest.approx((x, y), abs=0.1) and found[2] == mask.sum()


def test_colours_are_those_nearest_in_hue():
    finder = SpotFinder(Tracker(source="camera", markers="spots", spots=("red-blue",)), 1, floor())
    names = [*HUES]
    for hue in range(180):
        away = {name: min(abs(2 * hue - at), 360 - abs(2 * hue - at)) for name, at in HUES.items()}
        name = min(away, key=away.get)
        assert finder._colour[hue] == (names.index(name) + 1 if away[name] <= 25 else 0)
    assert not finder._colour[180:].any()


def test_spots_of_another_size_are_none():
    seen, at = floor(), np.array([[1, 320.0, 240.0]])
    finder = SpotFinder(Tracker(source="camera", markers="spots", spots=("red-blue",), spot_diameter=0.05), 1, seen)
    area = np.pi / 4 * 0.05**2 / seen.scale(at[:, 1:])[0] ** 2
    kept = [len(finder._whole(np.column_stack((at, [share * area])))) for share in (0.35, 0.45, 1.0, 1.5, 1.7)]
    assert kept == [0, 1, 1, 1, 0]


@pytest.mark.parametrize("angle", [0.0, 0.3, -0.7])
def test_a_markers_corners_are_found_to_a_fraction_of_a_pixel(angle):
    """A black square on white, anti-aliased, from corners that are some pixels off."""
    middle, side, parts = np.array([40.3, 35.6]), 36.0, 8
    fine = (np.arange(80 * parts) + 0.5) / parts - 0.5
    x, y = np.meshgrid(fine, fine)
    local = rotate(np.stack((x - middle[0], y - middle[1]), axis=-1).reshape(-1, 2), np.array(-angle))
    black = (np.abs(local) < 0.5 * side).all(axis=1).reshape(80, parts, 80, parts).mean(axis=(1, 3))
    grey = (220 - 200 * black).round().astype(np.uint8)
    # with the image's y downwards the corners go round as OpenCV has them
    corners = rotate(SQUARE * (1.0, -1.0) * side, np.array(angle)) + middle
    off = np.array([[0.8, -0.6], [-0.5, 0.7], [0.6, 0.4], [-0.7, -0.5]])
    found = refine(grey, np.array([corners + off, corners - off]), 6)
    assert found == pytest.approx(np.array([corners, corners]), abs=0.15)


def test_what_is_seen_for_the_second_time_is_left_out():
    pose = np.array([[0.0, 0.0, 0.0], [0.03, 0.0, 0.0], [0.03, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert _first(np.array([1, 1, 2, 1]), pose, 0.05).tolist() == [True, False, True, True]


@pytest.mark.parametrize(("apart", "twice"), [(0.02, False), (0.12, True)])
def test_one_marker_that_is_seen_in_two_places_is_a_duplicate_unless_they_are_the_same_place(apart, twice):
    floor = FloorProjection(np.eye(3), np.full(3, np.nan), np.eye(3), np.zeros(0), (640, 480))
    finder = ArucoFinder(Tracker(source="camera", marker_size=0.1), 1, floor)
    corners = np.array([1.0, 1.0]) + 0.1 * SQUARE + np.array([[[0.0, 0.0]], [[apart, 0.0]]])
    found = finder._identify(corners, np.array([0, 0]), np.array([[1.0, 1.0, 0.0]]))
    assert found.pose[0, :2] == pytest.approx([1.0, 1.0]) and found.duplicates.tolist() == [twice]


def test_a_rendered_robot_is_a_dark_disc_under_its_marker_and_hides_nothing_else():
    tracker = Tracker(source="camera", markers="spots", spots=("red-blue",), marker_size=0.1, spot_diameter=0.03)
    scene, pose, rng = RenderedFloor(tracker, 1, noise=0.0, light=0.0), np.array([[0.3, -0.2, 0.7]]), np.random.default_rng(0)
    with_it, without = (scene.draw(where, rng).astype(float) for where in (pose, np.array([[9.0, 9.0, 0.0]])))
    changed = np.argwhere(np.abs(with_it - without).max(axis=2) > 20.0)[:, ::-1].astype(float)
    seen = FloorProjection.of(scene.calibration())
    away = np.hypot(*(seen.to_floor(changed, tracker.marker_height) - pose[0, :2]).T)
    assert away.max() == pytest.approx(1.1 * 0.1, abs=0.012)
    area = len(changed) * np.median(seen.scale(changed)) ** 2
    assert area == pytest.approx(np.pi * 0.11**2, rel=0.15)
    across = pose[0, :2] + 0.08 * np.array([-np.sin(0.7), np.cos(0.7)])
    column, row = np.round(seen.to_image(across[None], tracker.marker_height)[0]).astype(int)
    assert with_it[row, column] == pytest.approx(np.full(3, BODY), abs=6.0)
