"""From the image to the floor and back: a homography from four or more points, the height of markers, and the lens.

A camera sees a marker at height m over the floor at another floor point than the one below it: P = C + (p − C)·h/(h − m), where p is the
point below the marker, C the point below the camera and h the camera's height. This is undone where C and h are known, by tape measure
or from the homography and the focal length (Zhang 2000, "A flexible new technique for camera calibration").
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.scenario.hardware import FloorCalibration

WHERE = "hardware.tracker.floor"
LENS_ITERATIONS = 20


@dataclass(frozen=True)
class FloorProjection:
    """``homography`` (3, 3) takes straight image points (px) to the floor (m); ``camera`` is its x, y, height (m), NaN where unknown.

    ``matrix`` (3, 3) and ``distortion`` are the lens'; without distortion the image is straight. ``size``: width and height in px.
    """

    homography: Array
    camera: Array
    matrix: Array
    distortion: Array
    size: tuple[int, int]

    @classmethod
    def of(cls, calibration: FloorCalibration) -> "FloorProjection":
        """Calibrate; ``InputError`` for points that do not determine the floor."""
        size = (int(calibration.image_size[0]), int(calibration.image_size[1]))
        f, distortion = calibration.focal_length, np.array(calibration.distortion)
        if distortion.size not in (0, 4, 5):
            raise InputError(f"{WHERE}.distortion", f"{distortion.size} numbers found, expected none, 4 or 5")
        if distortion.size and f == 0.0:
            raise InputError(f"{WHERE}.focal_length", "0 found, expected the focal length, as distortion is given")
        matrix = np.array([[f, 0.0, (size[0] - 1) / 2], [0.0, f, (size[1] - 1) / 2], [0.0, 0.0, 1.0]])
        image, floor = _points(calibration)
        homography = fit_homography(straight(image, matrix, distortion), floor)
        camera = np.array(calibration.camera_position)
        if camera[2] <= 0.0:
            camera = _camera(homography, matrix) if f > 0.0 else np.full(3, np.nan)
        return cls(homography, camera, matrix, distortion, size)

    def to_floor(self, pixels: Array, height: float = 0.0) -> Array:
        """Floor points (n, 2) in m below what is seen at ``pixels`` (n, 2) and is ``height`` (m) over the floor."""
        points = apply(self.homography, straight(pixels, self.matrix, self.distortion))
        if height == 0.0:
            return points
        return np.asarray(self.camera[:2] + (points - self.camera[:2]) * (1.0 - height / self.camera[2]))

    def to_image(self, points: Array, height: float = 0.0) -> Array:
        """Where in the image (n, 2), in px, something ``height`` (m) over floor ``points`` (n, 2) is seen."""
        if height != 0.0:
            points = self.camera[:2] + (points - self.camera[:2]) / (1.0 - height / self.camera[2])
        return bent(apply(_inverse(self.homography), points), self.matrix, self.distortion)

    def scale(self, pixels: Array) -> Array:
        """Metres of floor per pixel (n,) around ``pixels`` (n, 2): the square root of the homography's Jacobian."""
        w = np.column_stack((straight(pixels, self.matrix, self.distortion), np.ones(len(pixels)))) @ self.homography[2]
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.homography) / w**3)))

    def check_height(self, height: float) -> None:
        """``InputError`` when markers at ``height`` (m) cannot be put right."""
        if height > 0.0 and not self.camera[2] > height:
            found = "the camera's position is not known" if np.isnan(self.camera[2]) else f"the camera is {self.camera[2]:g} m high"
            what = f"{found}; expected floor.camera_position or floor.focal_length, above the markers"
            raise InputError("hardware.tracker.marker_height", what)


def fit_homography(source: Array, target: Array) -> Array:
    """The homography (3, 3) that takes ``source`` (n, 2) to ``target`` (n, 2), n ≥ 4: normalised direct linear transform (Hartley)."""
    t, u = _normalisation(source), _normalisation(target)
    (x, y), (a, b) = apply(t, source).T, apply(u, target).T
    one, zero = np.ones_like(x), np.zeros_like(x)
    first = np.column_stack((x, y, one, zero, zero, zero, -a * x, -a * y, -a))
    second = np.column_stack((zero, zero, zero, x, y, one, -b * x, -b * y, -b))
    _, values, vectors = np.linalg.svd(np.vstack((first, second)))
    if values[7] < 1e-6 * values[0]:
        raise InputError(f"{WHERE}.image_points", "points in a line found, expected four of which no three are in a line")
    homography = np.linalg.inv(u) @ vectors[8].reshape(3, 3) @ t
    w = np.column_stack((source, one)) @ homography[2]
    sign = np.linalg.det(homography) / w**3
    if np.ptp(np.sign(w)) != 0.0 or not (sign < 0.0).all():
        what = "points in another order, or mirrored, found; expected floor points in the order of the image's, x ahead and y to the left"
        raise InputError(f"{WHERE}.floor_points", what)
    return np.asarray(homography / homography[2, 2] if abs(homography[2, 2]) > 1e-12 else homography)


def apply(homography: Array, points: Array) -> Array:
    """``points`` (n, 2) through a homography (3, 3)."""
    h = points[:, :1] * homography[:, 0] + points[:, 1:] * homography[:, 1] + homography[:, 2]
    return np.asarray(h[:, :2] / h[:, 2:])


def straight(pixels: Array, matrix: Array, distortion: Array) -> Array:
    """Where ``pixels`` (n, 2) would be with a straight lens: the inverse of :func:`bent`, by fixed-point iteration."""
    if not distortion.size:
        return pixels
    rays = goal = _rays(pixels, matrix)
    for _ in range(LENS_ITERATIONS):
        rays = rays + goal - _distorted(rays, distortion)
    return apply(matrix, rays)


def bent(pixels: Array, matrix: Array, distortion: Array) -> Array:
    """Where straight ``pixels`` (n, 2) are through the lens (Brown's model: k1, k2, p1, p2 and, if given, k3)."""
    return apply(matrix, _distorted(_rays(pixels, matrix), distortion)) if distortion.size else pixels


def _rays(pixels: Array, matrix: Array) -> Array:
    return np.asarray((pixels - matrix[:2, 2]) / matrix[0, 0])


def _distorted(rays: Array, distortion: Array) -> Array:
    k1, k2, p1, p2, k3 = (*distortion, 0.0)[:5]
    x, y = rays.T
    r = x**2 + y**2
    radial = 1.0 + r * (k1 + r * (k2 + r * k3))
    return np.column_stack((
        x * radial + 2.0 * p1 * x * y + p2 * (r + 2.0 * x**2), y * radial + p1 * (r + 2.0 * y**2) + 2.0 * p2 * x * y,
    ))  # fmt: skip


def _points(calibration: FloorCalibration) -> tuple[Array, Array]:
    image, floor = calibration.image_points, calibration.floor_points
    if len(image) < 8 or len(image) % 2:
        raise InputError(f"{WHERE}.image_points", f"{len(image)} numbers found, expected x and y of at least four points")
    if len(floor) != len(image):
        raise InputError(f"{WHERE}.floor_points", f"{len(floor)} numbers found, expected {len(image)}, as in image_points")
    return np.reshape(image, (-1, 2)).astype(float), np.reshape(floor, (-1, 2)).astype(float)


def _inverse(matrix: Array) -> Array:
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _normalisation(points: Array) -> Array:
    centre = points.mean(axis=0)
    spread = np.sqrt(2.0) / max(float(np.linalg.norm(points - centre, axis=1).mean()), 1e-12)
    return np.array([[spread, 0.0, -spread * centre[0]], [0.0, spread, -spread * centre[1]], [0.0, 0.0, 1.0]])


def _camera(homography: Array, matrix: Array) -> Array:
    """The camera's centre (3,) in the floor's frame: K⁻¹·H⁻¹ = λ·[r₁ r₂ t], and the centre is −Rᵀ·t."""
    m = np.linalg.inv(matrix) @ np.linalg.inv(homography)
    m /= np.sqrt(np.linalg.norm(m[:, 0]) * np.linalg.norm(m[:, 1])) * np.sign(m[2, 2])
    x, y = m[:, 0], m[:, 1]
    z = np.cross(x, y)
    u, _, v = np.linalg.svd(np.column_stack((x, y, z)))
    return np.asarray(-(u @ v).T @ m[:, 2])
