"""Robots with two coloured spots each, one ahead and one behind (the VGPS of Lewis and Tan's testbed).

Colours are told apart by hue, which uneven light leaves alone. A spot's centre is weighted by chroma, which grows with the share of a
pixel that the spot covers, and so is known to a fraction of a pixel. Two spots of a robot's colours at the robot's distance are
that robot; see :func:`~swarm_control.hardware.tracking.sighting.identify` for who is who when several wear the same colours.
"""

from itertools import combinations
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.errors import InputError
from swarm_control.hardware.tracking.floor import FloorProjection
from swarm_control.hardware.tracking.sighting import Candidates, Image, Sighting, check_image, identify, windows
from swarm_control.scenario.hardware import Tracker

HUES = {"red": 0, "yellow": 60, "green": 120, "cyan": 180, "blue": 240, "magenta": 300}
"""Colours of spots: their hue, degrees."""
HUE_TOLERANCE = 25
"""A hue within so many degrees of a colour's is of that colour."""
LEAST_SATURATION, LEAST_VALUE = 90, 40
"""Saturation and value, of 255, from which a pixel has a colour at all."""
AREAS = (0.4, 1.6)
"""Shares of a spot's area within which a spot is whole, and not two."""
DISTANCES = 0.12
"""Share by which the distance of two spots may differ from that of a robot's."""


def pairs(tracker: Tracker, robots: int) -> IntArray:
    """Front and back colour (N, 2) of every robot, as numbers in :data:`HUES`."""
    names = list(HUES)
    words = tracker.spots or tuple("-".join(pair) for pair in combinations(names, 2))[:robots]
    where = "hardware.tracker.spots"
    if len(words) != robots:
        raise InputError(where, f"{len(words)} pairs of colours found, expected {robots}, one for each robot; robots may share them")
    for word in words:
        front, _, back = word.partition("-")
        if front not in names or back not in names or front == back:
            raise InputError(where, f"{word!r} found, expected two different colours such as red-blue, of {', '.join(names)}")
        if f"{back}-{front}" in words:
            raise InputError(where, f"{word} and {back}-{front} found, which nobody can tell from one another; expected one of the two")
    return np.array([[names.index(colour) for colour in word.split("-")] for word in words])


class SpotFinder:
    """Finds the spots of ``robots``: around where they are expected, and in the whole image while one is missing there."""

    def __init__(self, tracker: Tracker, robots: int, floor: FloorProjection) -> None:
        self._tracker, self._floor = tracker, floor
        pair = pairs(tracker, robots)
        self._kinds = pair[:, 0] * len(HUES) + pair[:, 1]
        hue = np.arange(180)[:, None] * 2
        away = np.abs((hue - np.array(list(HUES.values())) + 180) % 360 - 180)
        self._colour = np.zeros(256, np.uint8)
        self._colour[:180] = np.where(away.min(axis=1) <= HUE_TOLERANCE, away.argmin(axis=1) + 1, 0)

    def find(self, image: Image, predicted: Array) -> Sighting:
        """Find the robots' spots in ``image`` (H, W, 3) RGB."""
        image, t = check_image(image, self._floor, colour=True), self._tracker
        known = predicted[np.isfinite(predicted).all(axis=1)]
        if len(known) == len(predicted):
            radius = t.reach + t.marker_size / 2 + t.spot_diameter
            parts = windows(self._floor, known, t.marker_height, radius)
            sighting = self._identify([self._spots(image[w], w[0].start, w[1].start) for w in parts], predicted)
            if np.isfinite(sighting.pose).all():
                return sighting
        return self._identify([self._spots(image, 0, 0)], predicted)

    def _spots(self, image: Image, top: int, left: int) -> Array:
        """Colour, x and y in px of the whole image (n, 3) of the spots in a part of it; those that its border cuts are left out."""
        import cv2

        hsv = cv2.cvtColor(cv2.GaussianBlur(image, (3, 3), 0), cv2.COLOR_RGB2HSV)
        coloured = cv2.inRange(hsv, (0, LEAST_SATURATION, LEAST_VALUE), (180, 255, 255))
        _, _, stats, _ = cv2.connectedComponentsWithStats(coloured, connectivity=4)
        found: list[Any] = []
        cut = (stats[:, :2] == 0).any(axis=1) | (stats[:, :2] + stats[:, 2:4] == image.shape[1::-1]).any(axis=1)
        cut[0] = True  # the background
        for x, y, width, height, _ in stats[~cut & (stats[:, 4] >= 4)]:
            box = slice(y, y + height), slice(x, x + width)
            colour = cv2.LUT(np.ascontiguousarray(hsv[box][..., 0]), self._colour) * (coloured[box] > 0)
            found += [(c, *_centre(image, colour == c, y, x)) for c in np.flatnonzero(np.bincount(colour.ravel())[1:] >= 4) + 1]
        spots = np.array(found).reshape(-1, 4)
        spots[:, 1:3] += left, top
        return self._whole(spots)

    def _whole(self, spots: Array) -> Array:
        """Those of the right size, of (n, 4) colour, x, y and area in px."""
        share = spots[:, 3] * self._floor.scale(spots[:, 1:3]) ** 2 / (np.pi / 4 * self._tracker.spot_diameter**2)
        return spots[(share > AREAS[0]) & (share < AREAS[1]), :3]

    def _identify(self, found: list[Array], predicted: Array) -> Sighting:
        spots = np.concatenate([np.empty((0, 3)), *found])
        colour, place = spots[:, 0].astype(int) - 1, self._floor.to_floor(spots[:, 1:], self._tracker.marker_height)
        new = ~np.tril((colour[:, None] == colour) & (_distance(place) < self._tracker.spot_diameter / 2), -1).any(axis=1)
        return identify(self._candidates(colour[new], place[new]), self._kinds, predicted, self._tracker.reach)

    def _candidates(self, colour: IntArray, place: Array) -> Candidates:
        """Every two spots of some robot's colours at a robot's distance."""
        size = self._tracker.marker_size
        misfit = np.abs(_distance(place) - size)
        kind = colour[:, None] * len(HUES) + colour[None]
        front, back = np.nonzero((misfit <= DISTANCES * size) & np.isin(kind, self._kinds))
        ahead = place[front] - place[back]
        pose = np.column_stack(((place[front] + place[back]) / 2, np.arctan2(ahead[:, 1], ahead[:, 0])))
        return Candidates(kind[front, back], pose, np.column_stack((front, back)), misfit[front, back])


def _distance(points: Array) -> Array:
    return np.asarray(np.hypot(*(points[:, None, k] - points[None, :, k] for k in (0, 1))))


def _centre(image: Image, mask: Any, top: int, left: int) -> tuple[float, float, float]:
    """Centre x, y and area (px) of the spot that has ``mask`` (h, w) at ``top``, ``left``, weighted by chroma in and around the mask."""
    import cv2

    edge = 2
    y0, x0 = max(top - edge, 0), max(left - edge, 0)
    part = image[y0 : top + mask.shape[0] + edge, x0 : left + mask.shape[1] + edge].astype(np.int16)
    inside = np.zeros(part.shape[:2], np.uint8)
    inside[top - y0 : top - y0 + mask.shape[0], left - x0 : left - x0 + mask.shape[1]] = mask
    around = cv2.dilate(inside, np.ones((2 * edge + 1, 2 * edge + 1), np.uint8))
    weight = (part.max(axis=2) - part.min(axis=2)) * around.astype(float)
    total = weight.sum()
    rows, columns = np.arange(len(weight)), np.arange(weight.shape[1])
    x, y = weight.sum(axis=0) @ columns / total, weight.sum(axis=1) @ rows / total
    return x0 + float(x), y0 + float(y), float(inside.sum())
