"""Pictures and films of a herd, and MuJoCo's viewer for those who have a screen."""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.state import SwarmState
from swarm_control.errors import Failed, InputError
from swarm_control.sim.mujoco.canvas import Canvas
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_control.sim.mujoco.video import Video

SIZE = (960, 540)
"""Width and height of the picture, px."""
RATE = 25.0
"""Pictures per simulated second of a film."""
AROUND = 2.5
"""What is kept in view around the robots' centre: so many of their radii at least."""
FORMATS = (".png", ".mp4", ".gif")


class Film:
    """Takes pictures of ``engine``'s world: a film (``.mp4``, ``.gif``), or only the last picture (``.png``), to ``path``.

    The camera follows the robots' centre, and keeps as far away as it takes to see nearly all of them. ``InputError`` for another
    suffix; ``Failed`` where nothing can render.
    """

    def __init__(self, engine: HerdEngine, path: Path, azimuth: float = 115.0, elevation: float = -18.0) -> None:
        if path.suffix.lower() not in FORMATS:
            raise InputError(f"--film {path}", f"expected the name of a file that ends in {' or '.join(FORMATS)}")
        if not path.parent.is_dir():
            raise InputError(f"--film {path}", "expected a folder that is there")
        import mujoco

        self._engine, self._path = engine, path
        self._video = Video(path, SIZE, RATE) if path.suffix.lower() != ".png" else None
        self._canvas = Canvas(engine.model, SIZE)
        self._camera = mujoco.MjvCamera()
        self._camera.azimuth, self._camera.elevation = azimuth, elevation
        self._next = 0.0

    def watch(self) -> None:
        """Take the next picture, when it is its time; to be called after every tick."""
        if self._video is not None and self._engine.time >= self._next - 1e-9:
            self._video.add(self.picture())
            self._next += 1.0 / RATE

    def picture(self) -> NDArray[np.uint8]:
        """The world as it is now (H, W, 3), RGB."""
        aim(self._camera, self._engine.truth(), self._engine)
        return self._canvas.draw(self._engine.data, self._camera)

    def close(self) -> None:
        """Finish the file."""
        if self._video is None:
            from PIL import Image

            Image.fromarray(self.picture()).save(self._path)
        else:
            self._video.close()
        self._canvas.close()


class Window:
    """MuJoCo's viewer, live. ``Failed`` where there is no screen."""

    def __init__(self, engine: HerdEngine) -> None:
        if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise Failed("no screen found for MuJoCo's viewer; leave --window out, or film with --film")
        try:
            import mujoco.viewer

            self._viewer: Any = mujoco.viewer.launch_passive(engine.model, engine.data, show_left_ui=False, show_right_ui=False)
        except Exception as error:  # whatever GLFW raises without a screen
            raise Failed(f"MuJoCo's viewer cannot be opened ({' '.join(str(error).split())[:100]}); leave --window out") from None
        aim(self._viewer.cam, engine.truth(), engine)

    def watch(self) -> None:
        """Show the present state."""
        if self._viewer.is_running():
            self._viewer.sync()

    def close(self) -> None:
        """Close the window."""
        self._viewer.close()


def aim(camera: Any, state: SwarmState, engine: HerdEngine) -> None:
    """Point a camera at the robots that stand, from as far as it takes to see nine of ten."""
    standing = state.position if state.fallen is None or state.fallen.all() else state.position[~state.fallen]
    centre = np.median(standing, axis=0)
    radius = float(engine.fleet.radius.max())
    spread = max(float(np.quantile(np.hypot(*(standing - centre).T), 0.9)), AROUND * radius)
    camera.lookat[:] = (*centre / engine.unit, 1.5 * radius / engine.unit)
    camera.distance = 2.2 * spread / engine.unit
