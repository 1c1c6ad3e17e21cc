"""From pixels to the floor: against the camera's own projection, and calibrations that cannot be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.errors import InputError
from swarm_control.hardware.tracking.floor import FloorProjection, apply, bent, straight
from swarm_control.scenario.hardware import FloorCalibration, Tracker
from swarm_control.sim.hardware.render import RenderedFloor

POINTS = np.random.default_rng(0).uniform(-1.5, 1.5, (50, 2))


@settings(deadline=None)
@given(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(0.5, 20.0), st.floats(200.0, 3000.0), st.floats(0.0, 0.4))
def test_four_points_give_the_floor_and_the_planes_above_it(roll, pitch, high, focal, height):
    scene = RenderedFloor(Tracker(), 1, tilt=(roll, pitch), position=(0.3, -0.2, high), focal_length=focal)
    floor, points = FloorProjection.of(scene.calibration(half=0.4 * high)), 0.3 * high * POINTS
    for level in (0.0, height * high):
        np.testing.assert_allclose(floor.to_floor(apply(scene.plane(level), points), level), points, atol=1e-8)
        np.testing.assert_allclose(floor.to_image(points, level), apply(scene.plane(level), points), atol=1e-5)


def test_the_cameras_place_follows_from_the_focal_length():
    scene = RenderedFloor(Tracker(), 1, tilt=(0.1, -0.2), position=(0.3, -0.2, 2.5))
    floor = FloorProjection.of(replace(scene.calibration(), camera_position=(0.0, 0.0, 0.0)))
    np.testing.assert_allclose(floor.camera, [0.3, -0.2, 2.5], atol=1e-9)


def test_a_bent_lens_is_undone():
    scene = RenderedFloor(Tracker(), 1, distortion=(-0.15, 0.05, 0.002, -0.001))
    matrix, lens = scene.matrix, np.array(scene.distortion)
    pixels = bent(apply(scene.plane(0.0), POINTS), matrix, lens)
    assert np.abs(pixels - apply(scene.plane(0.0), POINTS)).max() > 5.0
    np.testing.assert_allclose(straight(pixels, matrix, lens), apply(scene.plane(0.0), POINTS), atol=1e-6)
    np.testing.assert_allclose(FloorProjection.of(scene.calibration()).to_floor(pixels), POINTS, atol=1e-6)


def test_more_points_even_out_the_errors_of_reading_them():
    scene, rng = RenderedFloor(Tracker(), 1), np.random.default_rng(2)
    errors = {}
    for side in (2, 6):
        grid = np.stack(np.meshgrid(*[np.linspace(-1.4, 1.4, side)] * 2), axis=-1).reshape(-1, 2)
        errors[side] = []
        for _ in range(30):
            read = apply(scene.plane(0.0), grid) + rng.normal(0, 0.5, grid.shape)
            floor = FloorProjection.of(FloorCalibration(tuple(read.ravel()), tuple(grid.ravel())))
            errors[side].append(np.abs(floor.to_floor(apply(scene.plane(0.0), POINTS)) - POINTS).mean())
    assert np.mean(errors[6]) < 0.6 * np.mean(errors[2])


def test_the_scale_is_the_size_of_a_pixel():
    floor = FloorProjection.of(RenderedFloor(Tracker(), 1, tilt=(0.2, 0.1)).calibration())
    pixels = np.array([[300.0, 400.0], [1000.0, 100.0]])
    x, y = (floor.to_floor(pixels + 0.5 * d) - floor.to_floor(pixels - 0.5 * d) for d in np.eye(2))
    np.testing.assert_allclose(floor.scale(pixels) ** 2, np.abs(x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]), rtol=1e-5)


GOOD = RenderedFloor(Tracker(), 1).calibration()


@pytest.mark.parametrize(
    ("changes", "key", "what"),
    [
        ({"image_points": (1.0, 2.0)}, "image_points", "2 numbers found"),
        ({"floor_points": (1.0, 2.0)}, "floor_points", "2 numbers found, expected 8"),
        ({"image_points": (0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0)}, "image_points", "in a line"),
        ({"image_points": (5.0,) * 8}, "image_points", "in a line"),
        ({"floor_points": GOOD.floor_points[2:4] + GOOD.floor_points[:2] + GOOD.floor_points[4:]}, "floor_points", "another order"),
        ({"floor_points": tuple(np.reshape(GOOD.floor_points, (4, 2))[:, ::-1].ravel())}, "floor_points", "mirrored"),
        ({"distortion": (0.1,)}, "distortion", "expected none, 4 or 5"),
        ({"distortion": (0.1, 0.0, 0.0, 0.0), "focal_length": 0.0}, "focal_length", "expected the focal length"),
    ],
)
def test_what_does_not_determine_the_floor_is_refused(changes, key, what):
    with pytest.raises(InputError, match=rf"hardware\.tracker\.floor\.{key}: .*{what}"):
        FloorProjection.of(replace(GOOD, **changes))


def test_markers_above_the_floor_need_the_cameras_place():
    floor = FloorProjection.of(replace(GOOD, camera_position=(0.0, 0.0, 0.0), focal_length=0.0))
    floor.check_height(0.0)
    with pytest.raises(InputError, match="marker_height"):
        floor.check_height(0.1)
    with pytest.raises(InputError, match="3 m high"):
        FloorProjection.of(GOOD).check_height(3.0)
