"""Images of a floor with robots as a camera over it sees them: perspective, lens, uneven light, blur, noise; the truth is known exactly.

Each pixel of a robot is the mean of many rays that meet the plane of the markers, so that edges are as soft as a real sensor makes them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, rotate
from swarm_control.hardware.tracking.aruco import dictionary
from swarm_control.hardware.tracking.floor import apply, bent, straight
from swarm_control.hardware.tracking.sighting import Image
from swarm_control.hardware.tracking.spots import HUES, pairs
from swarm_control.scenario.hardware import FloorCalibration, Tracker

FLOOR, BODY, PAPER, INK = 165.0, 45.0, 235.0, 20.0
"""Grey levels of what is seen, in full light."""


@dataclass(frozen=True)
class RenderedFloor:
    """A camera over a floor, and robots that look as ``tracker`` says (markers, their size, height and names).

    ``position`` (m) of the camera; ``tilt`` (rad) about its own x and y axis from looking straight down; ``focal_length`` (px);
    ``size`` (px); ``distortion`` k1, k2, p1, p2. ``light``: share of the light that is missing in the darkest corner; ``noise``:
    standard deviation in grey levels of 255; ``blur``: that of the lens' spread, px; ``rays``: per pixel and direction.
    """

    tracker: Tracker
    robots: int
    position: tuple[float, float, float] = (0.0, 0.0, 3.0)
    tilt: tuple[float, float] = (0.03, -0.02)
    focal_length: float = 850.0
    size: tuple[int, int] = (1280, 960)
    distortion: tuple[float, ...] = ()
    light: float = 0.4
    noise: float = 4.0
    blur: float = 0.7
    rays: int = 4

    @cached_property
    def matrix(self) -> Array:
        """The camera's matrix (3, 3)."""
        f, (width, height) = self.focal_length, self.size
        return np.array([[f, 0.0, (width - 1) / 2], [0.0, f, (height - 1) / 2], [0.0, 0.0, 1.0]])

    def plane(self, height: float) -> Array:
        """Homography (3, 3) from the plane ``height`` (m) over the floor to the image with a straight lens: K·[r₁ r₂ t + height·r₃]."""
        (a, b), down = self.tilt, np.diag([1.0, -1.0, -1.0])
        about_x = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(a), -np.sin(a)], [0.0, np.sin(a), np.cos(a)]])
        about_y = np.array([[np.cos(b), 0.0, np.sin(b)], [0.0, 1.0, 0.0], [-np.sin(b), 0.0, np.cos(b)]])
        turn = about_x @ about_y @ down
        offset = -turn @ np.array(self.position)
        return np.asarray(self.matrix @ np.column_stack((turn[:, 0], turn[:, 1], offset + height * turn[:, 2])))

    def calibration(self, half: float = 1.4, click: float = 0.0) -> FloorCalibration:
        """Calibration by the corners of a square, 2·``half`` (m) wide, read to ``click`` px (0: exactly)."""
        points = half * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
        pixels = bent(apply(self.plane(0.0), points), self.matrix, np.array(self.distortion))
        pixels = np.round(pixels / click) * click if click else pixels
        return FloorCalibration(
            tuple(pixels.ravel().tolist()), tuple(points.ravel().tolist()), self.size, self.position,
            self.focal_length, self.distortion,
        )  # fmt: skip

    def draw(self, pose: Array, rng: np.random.Generator) -> Image:
        """The image (H, W, 3), RGB, of robots whose markers have these poses (N, 3) in m, m, rad; NaN: not there."""
        import cv2

        width, height = self.size
        image: Any = np.full((height, width, 3), FLOOR, np.float32)
        self._lines(image)
        for robot in np.flatnonzero(np.isfinite(pose).all(axis=1)):
            self._robot(image, int(robot), pose[robot])
        image *= self._lit[..., None]
        if self.blur > 0.0:
            image = cv2.GaussianBlur(image, (0, 0), self.blur)
        if self.noise > 0.0:
            image = image + self.noise * rng.standard_normal(image.shape, np.float32)
        return np.asarray(np.clip(np.rint(image), 0, 255).astype(np.uint8))

    @cached_property
    def _lit(self) -> Any:
        """Light (H, W): a lamp to one side, as a smooth slope."""
        x, y = np.meshgrid(np.linspace(-1, 1, self.size[0]), np.linspace(-1, 1, self.size[1]))
        return (1.0 - self.light * ((x - 0.6) ** 2 + (y + 0.4) ** 2) / (1.6**2 + 1.4**2)).astype(np.float32)

    def _lines(self, image: Any) -> None:
        """A floor of tiles, with joints every half metre."""
        import cv2

        along = np.linspace(-2.0, 2.0, 50)
        for k in np.arange(-2.0, 2.01, 0.5):
            for way in (np.column_stack((k + 0 * along, along)), np.column_stack((along, k + 0 * along))):
                pixels = bent(apply(self.plane(0.0), way), self.matrix, np.array(self.distortion))
                cv2.polylines(image, [np.round(pixels).astype(np.int32)], False, (130.0, 130.0, 130.0), 2)

    def _robot(self, image: Any, robot: int, pose: Array) -> None:
        t = self.tracker
        radius = t.marker_size * 1.1
        plane, lens = self.plane(t.marker_height), np.array(self.distortion)
        around = np.linspace(0.0, 2.0 * np.pi, 32)
        ring: Array = pose[:2] + 1.1 * radius * np.column_stack((np.cos(around), np.sin(around)))
        outline = bent(apply(plane, ring), self.matrix, lens)
        low = np.clip(np.floor(outline.min(axis=0)) - 1, 0, self.size).astype(int)
        high = np.clip(np.ceil(outline.max(axis=0)) + 2, 0, self.size).astype(int)
        if not (high > low).all():
            return
        fine = (np.arange(self.rays) + 0.5) / self.rays - 0.5
        x = (np.arange(low[0], high[0])[:, None] + fine).ravel()
        y = (np.arange(low[1], high[1])[:, None] + fine).ravel()
        pixels = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        points = rotate(
            apply(np.asarray(np.linalg.inv(plane), np.float64), straight(pixels, self.matrix, lens)) - pose[:2], np.asarray(-pose[2])
        )
        part = image[low[1] : high[1], low[0] : high[0]]
        rows, columns = part.shape[:2]
        under = np.repeat(np.repeat(part, self.rays, axis=0), self.rays, axis=1).reshape(-1, 3)
        seen = self._look(robot, points, np.hypot(points[:, 0], points[:, 1]) < radius, under)
        part[:] = seen.reshape(rows, self.rays, columns, self.rays, 3).mean(axis=(1, 3))

    def _look(self, robot: int, points: Array, body: Any, under: Any) -> Any:
        """Colours (n, 3) of ``points`` (n, 2) in the marker's frame."""
        t, colours = self.tracker, np.where(body[:, None], BODY, under)
        if t.markers == "spots":
            for end, colour in zip((0.5, -0.5), self._pairs[robot]):
                spot = np.hypot(points[:, 0] - end * t.marker_size, points[:, 1]) < t.spot_diameter / 2
                colours[spot] = _rgb(list(HUES.values())[colour])
            return colours
        bits = self._bits[robot]
        n = len(bits)
        at = points / t.marker_size + 0.5
        colours[(np.abs(at - 0.5) < 0.5 + 1.0 / n).all(axis=1)] = PAPER
        inside = (np.abs(at - 0.5) < 0.5).all(axis=1)
        column, row = (at[inside] * n).astype(int).T
        colours[inside] = np.where(bits[n - 1 - row, column] > 127, PAPER, INK)[:, None]
        return colours

    @cached_property
    def _pairs(self) -> Any:
        return pairs(self.tracker, self.robots)

    @cached_property
    def _bits(self) -> list[Any]:
        import cv2

        markers = dictionary(self.tracker.family)
        ids = self.tracker.ids or range(self.robots)
        return [cv2.aruco.generateImageMarker(markers, int(k), markers.markerSize + 2) for k in ids]


def _rgb(hue: float) -> Array:
    """A strong, not quite pure colour of this ``hue`` (degrees)."""
    k = (np.array([5.0, 3.0, 1.0]) + hue / 60.0) % 6.0
    return np.asarray(220.0 * (1.0 - 0.8 * np.clip(np.minimum(k, 4.0 - k), 0.0, 1.0)))
