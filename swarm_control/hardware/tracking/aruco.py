"""ArUco and AprilTag markers on robots, found by OpenCV; corners to a fraction of a pixel, pose by fitting the square on the floor.

A marker's heading is the direction from its left to its right side, as it is printed upright.
"""

from typing import Any

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.hardware.tracking.floor import FloorProjection
from swarm_control.hardware.tracking.sighting import Candidates, Image, Sighting, check_image, identify
from swarm_control.scenario.hardware import Tracker

SQUARE = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])
"""Corners of the marker in its own frame, in the order in which OpenCV names them, sides of length 1."""

ALONG, PROFILE = np.linspace(0.1, 0.9, 12), 13
"""Where along a side profiles cross it, as shares of the side, and points of a profile."""

SIDES = (0.7, 1.4)
"""A quadrangle whose side is not within these shares of the marker's is none of ours."""


def dictionary(family: str) -> Any:
    """OpenCV's table of the markers of a family."""
    import cv2

    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{family.upper()}"))


class ArucoFinder:
    """Finds the markers of ``robots`` in the whole image: OpenCV is no faster in windows around where they are expected."""

    def __init__(self, tracker: Tracker, robots: int, floor: FloorProjection) -> None:
        import cv2

        markers = dictionary(tracker.family)
        self._ids, self._bits = _ids(tracker, robots, len(markers.bytesList)), markers.markerSize + 2
        settings = cv2.aruco.DetectorParameters()
        self._detector = cv2.aruco.ArucoDetector(markers, settings)
        self._tracker, self._floor = tracker, floor

    def find(self, image: Image, predicted: Array) -> Sighting:
        """Find the robots' markers in ``image`` (H, W, 3) RGB or (H, W) grey."""
        import cv2

        image = check_image(image, self._floor, colour=False)
        return self._identify(*self._detect(_grey(image, cv2)), predicted)

    def _detect(self, grey: Image) -> tuple[Array, Any]:
        """Corners (n, 4, 2) in px, and ids (n,)."""
        corners, ids, _ = self._detector.detectMarkers(np.ascontiguousarray(grey))
        if ids is None:
            return np.empty((0, 4, 2)), np.empty(0, int)
        found = np.concatenate(corners).astype(float).reshape(-1, 4, 2)
        return refine(grey, found, self._bits), np.asarray(ids).ravel()

    def _identify(self, corners: Array, ids: Any, predicted: Array) -> Sighting:
        pose, side = fit_square(self._floor.to_floor(corners.reshape(-1, 2), self._tracker.marker_height).reshape(-1, 4, 2))
        good = (side > SIDES[0] * self._tracker.marker_size) & (side < SIDES[1] * self._tracker.marker_size) & np.isin(ids, self._ids)
        good &= _first(ids, pose, self._tracker.marker_size / 2)
        parts = np.repeat(np.arange(good.sum())[:, None], 2, axis=1)
        candidates = Candidates(ids[good], pose[good], parts, np.zeros(len(parts)))
        return identify(candidates, self._ids, predicted, self._tracker.reach)


def refine(grey: Image, corners: Array, bits: int) -> Array:
    """Better corners (n, 4, 2) of markers that are ``bits`` squares wide with their border.

    Each side is crossed by profiles; where a profile's brightness rises, weighted by how steeply, is the edge; the corners are where the
    lines through the edges meet (as in AprilTag 2, Wang and Olson 2016).
    """
    import cv2

    after = np.roll(corners, -1, axis=1)
    along = after - corners
    length = np.hypot(along[..., 0], along[..., 1])[..., None]
    outward = np.stack((along[..., 1], -along[..., 0]), axis=-1) / length
    reach = np.clip(0.6 * length / bits, 1.5, 6.0)
    step = np.linspace(-1.0, 1.0, PROFILE)
    foot = corners[:, :, None] + ALONG[:, None] * along[:, :, None]
    at = (foot[..., None, :] + step[:, None] * (reach * outward)[:, :, None, None, :]).astype(np.float32)
    x, y = np.ascontiguousarray(np.moveaxis(at.reshape(-1, len(ALONG) * PROFILE, 2), 2, 0))
    light: Any = cv2.remap(np.asarray(grey), x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    rise = np.maximum(np.diff(light.reshape(*at.shape[:-1]).astype(float), axis=-1), 0.0)
    rise = np.maximum(rise - 0.2 * rise.max(axis=-1, keepdims=True), 0.0)
    where = (rise @ ((step[1:] + step[:-1]) / 2)) / np.maximum(rise.sum(axis=-1), 1e-9)
    edge = foot + where[..., None] * (reach * outward)[:, :, None]
    return _corners(edge)


def _corners(edge: Array) -> Array:
    """Where the lines through the points ``edge`` (n, 4, p, 2) of each side meet the side before: (n, 4, 2)."""
    centre = edge.mean(axis=2)
    x, y = np.moveaxis(edge - centre[:, :, None], 3, 0)
    angle = 0.5 * np.arctan2(2.0 * (x * y).sum(axis=2), (x**2 - y**2).sum(axis=2))
    normal = np.stack((-np.sin(angle), np.cos(angle)), axis=-1)
    offset = (normal * centre).sum(axis=-1)
    pair, value = np.stack((np.roll(normal, 1, axis=1), normal), axis=-2), np.stack((np.roll(offset, 1, axis=1), offset), axis=-1)
    return np.asarray(np.linalg.solve(pair, value[..., None])[..., 0])


def fit_square(corners: Array) -> tuple[Array, Array]:
    """Poses (n, 3) and sides (n,) of the squares that fit ``corners`` (n, 4, 2) best (Umeyama 1991, in the plane)."""
    centre = corners.mean(axis=1)
    x, y = np.moveaxis(corners - centre[:, None], 2, 0)
    dot, cross = x @ SQUARE[:, 0] + y @ SQUARE[:, 1], y @ SQUARE[:, 0] - x @ SQUARE[:, 1]
    return np.column_stack((centre, np.arctan2(cross, dot))), np.hypot(dot, cross) / (SQUARE**2).sum()


def _grey(image: Image, cv2: Any) -> Image:
    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))


def _first(ids: Any, pose: Array, near: float) -> Any:
    """Which (n,) are not seen for the second time, in windows that overlap."""
    same = (ids[:, None] == ids[None]) & (np.hypot(*(pose[:, None, k] - pose[None, :, k] for k in (0, 1))) < near)
    return ~np.tril(same, -1).any(axis=1)


def _ids(tracker: Tracker, robots: int, markers: int) -> Any:
    ids = np.array(tracker.ids or range(robots), float)
    if len(ids) != robots:
        raise InputError("hardware.tracker.ids", f"{len(ids)} numbers found, expected {robots}, one for each robot")
    if (ids % 1 != 0).any() or len(set(ids)) != len(ids) or ids.max() >= markers:
        raise InputError("hardware.tracker.ids", f"expected different whole numbers below {markers}, as {tracker.family} has them")
    return ids.astype(np.int64)
