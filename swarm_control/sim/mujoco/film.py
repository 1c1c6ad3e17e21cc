"""Pictures and films of robots that MuJoCo moves, and MuJoCo's viewer for those who have a screen."""

import os
import sys
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.state import SwarmState
from swarm_control.errors import Failed, InputError
from swarm_control.sim.engine import Engine
from swarm_control.sim.mujoco.canvas import Canvas
from swarm_control.sim.mujoco.video import Video

SIZE = (960, 540)
"""Width and height of the picture, px."""
RATE = 25.0
"""Pictures per simulated second of a film."""
AZIMUTH, ELEVATION = 115.0, -18.0
"""Where a film looks (deg), unless it is told otherwise."""
AROUND = 2.5
"""What is kept in view around the robots' centre: so many of their radii at least."""
FIELD = np.pi / 4.0
"""MuJoCo's own field of view from top to bottom, rad."""
SPARE = 1.3
"""Films are taken from so many times as far away as it takes."""
FORMATS = (".png", ".mp4", ".gif")


class Filmed(Engine, Protocol):
    """An engine that can be filmed: its robots are in MuJoCo's ``model`` and ``data``, whose unit of length is ``unit`` m long."""

    @property
    def unit(self) -> float:
        """How long (m) the model's unit of length is."""

    @property
    def model(self) -> Any:
        """MuJoCo's model."""

    @property
    def data(self) -> Any:
        """MuJoCo's state."""


class Film:
    """Takes pictures of a ``scene``: a film (``.mp4``, ``.gif``), or only the last picture (``.png``), to ``path``.

    The camera follows the robots' centre, and keeps as far away as it takes to see nearly all of them; it looks from
    ``elevation`` (deg, negative from above). ``InputError`` for another suffix; ``Failed`` where nothing can render.
    """

    def __init__(self, scene: Filmed, path: Path, elevation: float = ELEVATION) -> None:
        if path.suffix.lower() not in FORMATS:
            raise InputError(f"--film {path}", f"expected the name of a file that ends in {' or '.join(FORMATS)}")
        if not path.parent.is_dir():
            raise InputError(f"--film {path}", "expected a folder that is there")
        if path.is_dir():
            raise InputError(f"--film {path}", "is a folder, expected the name of a file")
        import mujoco

        self._scene, self._path = scene, path
        self._video = Video(path, SIZE, RATE) if path.suffix.lower() != ".png" else None
        self._canvas = Canvas(scene.model, SIZE)
        self._camera = mujoco.MjvCamera()
        self._camera.azimuth, self._camera.elevation = AZIMUTH, elevation
        self._next = 0.0

    def watch(self) -> None:
        """Take the next picture, when it is its time; to be called after every tick. Long ticks are shown for as long as they are."""
        if self._video is None or not self._due:
            return
        picture = self.picture()
        while self._due:
            self._video.add(picture)
            self._next += 1.0 / RATE

    @property
    def _due(self) -> bool:
        return self._scene.time >= self._next - 1e-9

    def picture(self) -> NDArray[np.uint8]:
        """The world as it is now (H, W, 3), RGB."""
        aim(self._camera, self._scene.truth(), self._scene)
        return self._canvas.draw(self._scene.data, self._camera)

    def close(self) -> None:
        """Finish the file."""
        if self._video is None:
            from PIL import Image

            Image.fromarray(self.picture()).save(self._path)
        else:
            if self._next == 0.0:  # the run was shorter than a tick
                self._video.add(self.picture())
            self._video.close()
        self._canvas.close()


class Window:
    """MuJoCo's viewer, live. ``Failed`` where there is no screen."""

    def __init__(self, scene: Filmed) -> None:
        if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise Failed("no screen found for MuJoCo's viewer; leave --window out, or film with --film")
        try:
            import mujoco.viewer

            self._viewer: Any = mujoco.viewer.launch_passive(scene.model, scene.data, show_left_ui=False, show_right_ui=False)
        except Exception as error:  # whatever GLFW raises without a screen
            raise Failed(f"MuJoCo's viewer cannot be opened ({' '.join(str(error).split())[:100]}); leave --window out") from None
        aim(self._viewer.cam, scene.truth(), scene)

    def watch(self) -> None:
        """Show the present state."""
        if self._viewer.is_running():
            self._viewer.sync()

    def close(self) -> None:
        """Close the window."""
        self._viewer.close()


def aim(camera: Any, state: SwarmState, scene: Filmed) -> None:
    """Point a camera at the robots that stand, from as far as it takes to see nine of ten, and all of fewer than ten.

    A disc on the floor of radius s fills the angle FIELD of a camera that looks down by e from ``s·(sin e/tan(FIELD/2) + cos e)``.
    """
    standing = state.position if state.fallen is None or state.fallen.all() else state.position[~state.fallen]
    centre = np.median(standing, axis=0)
    radius = float(scene.fleet.radius.max())
    spread = max(float(np.quantile(np.hypot(*(standing - centre).T), 0.9, method="higher")), AROUND * radius)
    camera.lookat[:] = (*centre / scene.unit, 1.5 * radius / scene.unit)
    down = np.deg2rad(abs(camera.elevation))
    camera.distance = SPARE * spread * (np.sin(down) / np.tan(0.5 * FIELD) + np.cos(down)) / scene.unit
