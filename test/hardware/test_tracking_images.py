"""Robots found in rendered images of a 3 m floor: how exactly, and what happens when something is not as it should be."""

import time
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("cv2")

import cv2

from swarm_control.core.geometry import rotate, wrap
from swarm_control.errors import InputError
from swarm_control.hardware.tracking.aruco import fit_square
from swarm_control.hardware.tracking.track import Tracking, finder, mounted, unmounted
from swarm_control.scenario.hardware import Tracker
from swarm_control.sim.hardware.render import RenderedFloor

NOBODY = np.full((10, 3), np.nan)
LAMPS = {
    "a bent lens": {"noise": 2.0, "light": 0.2, "distortion": (-0.05, 0.01, 0.0, 0.0)},
    "noise and uneven light": {"noise": 8.0, "light": 0.6},
}


def made(markers, robots=10, click=0.0, scene=None, **changes):
    """A scene, and a tracker calibrated for it."""
    bare = Tracker(source="camera", markers=markers, marker_height=0.1, **changes)
    drawn = RenderedFloor(bare, robots, **(scene or {}))
    return drawn, replace(bare, floor=drawn.calibration(click=click))


def scattered(rng, robots=10, apart=0.25, half=1.38):
    """Poses (N, 3) anywhere on a 3 m floor, footprints apart and in sight."""
    poses = []
    while len(poses) < robots:
        place = rng.uniform(-half, half, 2)
        if all(np.hypot(*(place - other[:2])) > apart for other in poses):
            poses.append([*place, rng.uniform(-np.pi, np.pi)])
    return np.array(poses)


def errors(found, truth):
    """Position in mm and heading in degrees."""
    return 1e3 * np.hypot(*(found - truth)[:, :2].T), np.degrees(np.abs(wrap(found[:, 2] - truth[:, 2])))


@pytest.mark.parametrize("light", LAMPS)
@pytest.mark.parametrize("markers", ["aruco", "spots"])
def test_within_3_mm_and_1_degree_on_a_3_m_floor_with_calibration_points_read_to_a_pixel(markers, light, capsys):
    scene, tracker = made(markers, click=1.0, scene=LAMPS[light])
    look, rng, found = finder(tracker, 10), np.random.default_rng(5), []
    for _ in range(2):
        truth = scattered(rng)
        image = scene.draw(truth, rng)
        found += [errors(look.find(image, guess).pose, truth) for guess in (NOBODY, truth + np.array([0.05, -0.03, 0.2]))]
    place, heading = (np.concatenate(one) for one in zip(*found))
    rms = np.sqrt(np.mean(place**2)), np.sqrt(np.mean(heading**2))
    with capsys.disabled():
        print(f"\n{markers}, {light}: position rms {rms[0]:.2f}, max {place.max():.2f} mm;", end=" ")
        print(f"heading rms {rms[1]:.3f}, max {heading.max():.3f} deg")
    assert place.max() <= 3.0 and heading.max() <= 1.0


@pytest.mark.parametrize("markers", ["aruco", "spots"])
def test_exactly_calibrated_only_noise_is_left(markers):
    scene, tracker = made(markers)
    rng = np.random.default_rng(6)
    truth = scattered(rng)
    place, heading = errors(finder(tracker, 10).find(scene.draw(truth, rng), NOBODY).pose, truth)
    assert place.max() <= 0.5 and heading.max() <= 0.5


@pytest.mark.parametrize("markers", ["aruco", "spots"])
def test_ten_robots_are_found_in_little_more_time_than_a_picture_is_filtered_in(markers):
    """Searching takes 3 to 6 times as long as a blur and a threshold, 6 ms on a slow core: more than twenty frames a second."""
    cv2.setNumThreads(1)
    scene, tracker = made(markers, scene=LAMPS["noise and uneven light"])
    look, rng, took = finder(tracker, 10), np.random.default_rng(7), {"filter": [], "everywhere": [], "where expected": []}
    truth = scattered(rng)
    image = scene.draw(truth, rng)
    threshold = 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 23, 7

    def spend(what, work):
        began = time.process_time()
        done = work()
        took[what].append(time.process_time() - began)
        return done

    for _ in range(5):
        spend("filter", lambda: cv2.adaptiveThreshold(cv2.cvtColor(cv2.medianBlur(image, 5), cv2.COLOR_RGB2GRAY), *threshold))
        for what, guess in (("everywhere", NOBODY), ("where expected", truth)):
            assert np.isfinite(spend(what, lambda guess=guess: look.find(image, guess)).pose).all()
    least = {what: min(times) for what, times in took.items()}
    assert max(least["everywhere"], least["where expected"]) < 10.0 * least["filter"], least


@pytest.mark.parametrize("markers", ["aruco", "spots"])
def test_one_out_of_sight_does_not_trouble_the_others(markers):
    scene, tracker = made(markers)
    rng = np.random.default_rng(8)
    truth = scattered(rng)
    hidden = truth.copy()
    hidden[3] = np.nan
    hidden[4, :2] = 0.0, 1.72  # half beyond the image's edge
    found = finder(tracker, 10).find(scene.draw(hidden, rng), truth)
    assert np.flatnonzero(np.isnan(found.pose[:, 0])).tolist() == [3, 4]
    rest = [0, 1, 2, 5, 6, 7, 8, 9]
    assert errors(found.pose[rest], truth[rest])[0].max() < 0.5 and not found.duplicates.any()


TWINS = {
    "aruco": ({"ids": (7.0, 8.0)}, {"ids": (7.0, 7.0)}),
    "spots": ({"spots": ("red-blue", "green-cyan")}, {"spots": ("red-blue", "red-blue")}),
}


@pytest.mark.parametrize("markers", ["aruco", "spots"])
def test_of_two_robots_with_one_marker_neither_is_believed_unless_one_is_where_it_was(markers):
    right, wrong = TWINS[markers]
    scene, tracker = made(markers, 2, **right)
    impostors = replace(scene, tracker=replace(scene.tracker, **wrong))
    truth = np.array([[0.5, 0.2, 1.0], [-0.6, 0.1, 2.0]])
    image = impostors.draw(truth, np.random.default_rng(9))
    look = finder(tracker, 2)
    found = look.find(image, np.full((2, 3), np.nan))
    assert np.isnan(found.pose).all() and found.duplicates.tolist() == [True, False]
    found = look.find(image, np.array([truth[0] + [0.02, 0.0, 0.0], [np.nan] * 3]))
    assert errors(found.pose[:1], truth[:1])[0] < 0.5 and found.duplicates.tolist() == [True, False]


def test_robots_of_one_colour_pair_are_told_apart_by_where_they_were():
    scene, tracker = made("spots", 3, spots=("red-blue",) * 3)
    truth = np.array([[0.5, 0.2, 1.0], [-0.6, 0.1, 2.0], [0.2, 0.1, -2.0]])
    image, look = scene.draw(truth, np.random.default_rng(1)), finder(tracker, 3)
    assert np.isnan(look.find(image, np.full((3, 3), np.nan)).pose).all()
    found = look.find(image, np.vstack((truth[:2] + np.array([0.05, 0.0, 0.3]), [np.nan] * 3)))  # the third is who is left
    assert errors(found.pose, truth)[0].max() < 0.5 and not found.duplicates.any()
    with pytest.raises(InputError, match="nobody can tell"):
        finder(replace(tracker, spots=("red-blue", "blue-red", "red-green")), 3)


def test_robots_that_pass_close_by_keep_their_names():
    scene, tracker = made("spots", 2, spots=("red-blue",) * 2)
    turn = np.linspace(0.0, np.pi, 25)
    way = [np.array([[0.2 * np.cos(a), 0.2 * np.sin(a), a], [-0.2 * np.cos(a), -0.2 * np.sin(a), -a]]) for a in turn]
    tracking, rng = Tracking(tracker, 2, way[0]), np.random.default_rng(3)
    for k, truth in enumerate(way):
        tracking.see(scene.draw(truth, rng), 0.05 * k)
    pose, velocity = tracking.filter.at(1.2)
    assert errors(pose, way[-1])[0].max() < 5.0
    np.testing.assert_allclose(velocity[:, 1], [-0.2 * np.pi / 1.2 * np.cos(0), 0.2 * np.pi / 1.2], atol=0.06)
    assert tracking.filter.counts.accepted.tolist() == [25, 25]


def test_grey_images_will_do_for_aruco_markers():
    scene, tracker = made("aruco", 3)
    truth = scattered(np.random.default_rng(4), 3)
    image = cv2.cvtColor(scene.draw(truth, np.random.default_rng(4)), cv2.COLOR_RGB2GRAY)
    assert errors(finder(tracker, 3).find(image, np.full((3, 3), np.nan)).pose, truth)[0].max() < 0.5


def test_apriltags_with_other_numbers_and_an_offset_on_the_robot():
    scene, tracker = made("aruco", 2, family="apriltag_36h11", ids=(30.0, 4.0), marker_offset=(0.05, -0.02, 90.0))
    robots = np.array([[0.5, 0.2, 1.0], [-0.6, 0.1, 3.0]])
    offset = np.array([0.05, -0.02, np.pi / 2])
    tracking = Tracking(tracker, 2)
    sighting, accepted = tracking.see(scene.draw(mounted(robots, offset), np.random.default_rng(2)), 1.0)
    assert accepted.all() and errors(sighting.pose, robots)[0].max() < 0.5 and errors(sighting.pose, robots)[1].max() < 0.5
    np.testing.assert_allclose(unmounted(mounted(robots, offset), offset), robots, atol=1e-12)


@pytest.mark.parametrize(
    ("image", "what"),
    [
        (np.zeros((960, 1280, 4), np.uint8), "1280 × 960 × 4 found"), (np.zeros((480, 640, 3), np.uint8), "640 × 480 × 3 found"),
        (np.zeros((960, 1280, 3), np.float64), "8 bits"), (np.zeros((960, 1280), np.uint8), "grey"), (None, "8 bits"),
        (np.zeros(5, np.uint8), "found"), (np.zeros((0, 0, 3), np.uint8), "0 × 0 × 3 found"),
    ],
)  # fmt: skip
def test_images_of_another_kind_are_refused(image, what):
    _, tracker = made("spots")
    with pytest.raises(ValueError, match=what):
        finder(tracker, 10).find(image, NOBODY)


@pytest.mark.parametrize("markers", ["aruco", "spots"])
def test_images_with_nothing_but_rubbish_show_nobody(markers):
    _, tracker = made(markers)
    rng = np.random.default_rng(0)
    black = np.zeros((960, 1280, 3), np.uint8)
    noise, red = rng.integers(0, 256, black.shape, np.uint8), black + np.array([255, 0, 0], np.uint8)
    for image, guess in [(noise, NOBODY), *((image, guess) for image in (black, red) for guess in (scattered(rng), np.full((10, 3), 1e6)))]:
        assert np.isnan(finder(tracker, 10).find(image, guess).pose).all()


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"ids": (1.0, 1.0)}, "ids"), ({"ids": (1.0,)}, "ids"), ({"ids": (1.5, 2.0)}, "ids"), ({"ids": (1.0, 50.0)}, "ids"),
        ({"markers": "spots", "spots": ("red",) * 2}, "spots"), ({"markers": "spots", "spots": ("red-pink",) * 2}, "spots"),
        ({"markers": "spots", "spots": ("red-red",) * 2}, "spots"), ({"markers": "spots", "spots": ("red-blue",)}, "spots"),
    ],
)  # fmt: skip
def test_markers_that_do_not_fit_the_robots_are_refused(changes, what):
    _, tracker = made("aruco", 2)
    with pytest.raises(InputError, match=rf"hardware\.tracker\.{what}"):
        finder(replace(tracker, **changes), 2)


def test_the_square_that_fits_four_corners_best():
    a = np.array([0.3, -2.0])
    square = np.array([[-0.05, 0.05], [0.05, 0.05], [0.05, -0.05], [-0.05, -0.05]])
    pose, side = fit_square(rotate(np.stack((square, square)), a[:, None]) + np.array([0.4, -0.7]))
    np.testing.assert_allclose(pose, np.column_stack((np.full(2, 0.4), np.full(2, -0.7), a)), atol=1e-12)
    np.testing.assert_allclose(side, 0.1)
