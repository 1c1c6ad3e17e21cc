"""The camera over the floor: where it hangs, how it is calibrated, and its pictures, rendered off-screen.

The image's right is the world's x, its top the world's y. Points of the image are in px from its upper left corner, pixel centres at
whole numbers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.scenario.hardware import FloorCalibration
from swarm_control.scenario.schema import Goal
from swarm_control.sim.mujoco.canvas import Canvas


@dataclass(frozen=True)
class Overhead:
    """A camera that looks straight down from over ``centre`` (m), ``height`` m up; ``fovy`` (rad) from the image's top to its bottom;
    ``size``: width and height in px; ``noise``: standard deviation of a pixel, grey levels of 255.
    """

    centre: tuple[float, float]
    height: float
    fovy: float = 0.7
    size: tuple[int, int] = (1280, 960)
    noise: float = 2.0

    @property
    def focal_length(self) -> float:
        """Focal length, px."""
        return 0.5 * self.size[1] / float(np.tan(0.5 * self.fovy))

    def project(self, points: Array) -> Array:
        """Where in the image (n, 2) ``points`` (n, 3) m, world frame, are seen."""
        scale = self.focal_length / (self.height - points[:, 2])
        x = 0.5 * (self.size[0] - 1) + scale * (points[:, 0] - self.centre[0])
        return np.column_stack((x, 0.5 * (self.size[1] - 1) - scale * (points[:, 1] - self.centre[1])))

    def calibration(self, click: float = 1.0) -> FloorCalibration:
        """What a tracker has to know: four points of the floor and where they are seen, read to ``click`` px, and where the camera is."""
        half = 0.4 * self.height * np.tan(0.5 * self.fovy)
        floor = np.array(self.centre) + half * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
        seen = self.project(np.column_stack((floor, np.zeros(4))))
        seen = np.round(seen / click) * click if click else seen
        image, points = tuple(seen.ravel().tolist()), tuple(floor.ravel().tolist())
        return FloorCalibration(image, points, tuple(map(float, self.size)), (*self.centre, self.height))

    def mjcf(self) -> str:
        """MJCF of the camera."""
        x, y = self.centre
        return f'<camera name="overhead" pos="{x:.9g} {y:.9g} {self.height:.9g}" fovy="{np.rad2deg(self.fovy):.9g}"/>'


def over(
    fleet: Fleet, start: SwarmState, goals: tuple[Goal, ...], grid: Grid | None, reach: float = 0.0, room: float = 0.15
) -> Overhead:  # fmt: skip
    """A camera that sees all of the map, or the robots at the start and around the goals, with ``room`` (m) to spare.

    ``reach`` (m): they may be so far from the middle of the start, and from a goal, if they do not start farther apart.
    """
    if grid is not None:
        x0, x1, y0, y1 = grid.extent
        low, high = np.array([x0, y0]), np.array([x1, y1])
    else:
        middle = start.position.mean(axis=0)
        places = np.vstack((middle, np.array([goal.position for goal in goals]).reshape(-1, 2)))
        spread = max(float(np.hypot(*(start.position - middle).T).max()), reach) + float(fleet.radius.max()) + room
        low, high = places.min(axis=0) - spread, places.max(axis=0) + spread
    seen = Overhead((0.0, 0.0), 1.0)
    half = 0.5 * max(high[1] - low[1], (high[0] - low[0]) * seen.size[1] / seen.size[0])
    x, y = 0.5 * (low + high)
    return Overhead((float(x), float(y)), float(half / np.tan(0.5 * seen.fovy)) + TALL)


TALL = 0.2
"""Height (m) of what must still be seen at the image's edge."""


class Pictures:
    """Takes pictures of a model with the camera ``overhead``. ``Failed`` where nothing can render off-screen."""

    def __init__(self, model: Any, overhead: Overhead, seed: int) -> None:
        import mujoco

        width, height = overhead.size
        self._canvas = Canvas(model, overhead.size, plain=True)
        self._pose = mujoco.MjvCamera()
        self._pose.type, self._pose.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, model.camera("overhead").id
        self._rng = np.random.default_rng(seed)
        grain = self._rng.normal(0.0, overhead.noise, (2 * height, width, 3)) if overhead.noise else np.zeros((1, 1, 1))
        self._grain = np.rint(grain).astype(np.int16)

    def take(self, data: Any) -> NDArray[np.uint8]:
        """The picture (H, W, 3), RGB, of the present state."""
        return self._noisy(self._canvas.draw(data, self._pose))

    def _noisy(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """With a sensor's noise: a part of a large sheet of it, chosen anew for every picture."""
        if len(self._grain) == 1:
            return np.ascontiguousarray(picture)
        import cv2

        begin = int(self._rng.integers(len(picture)))
        noisy = cv2.add(np.ascontiguousarray(picture), self._grain[begin : begin + len(picture)], dtype=cv2.CV_8U)
        return np.asarray(noisy, np.uint8)

    def close(self) -> None:
        """Give the renderer back."""
        self._canvas.close()
