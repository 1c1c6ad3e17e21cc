"""What MuJoCo's pictures are drawn on: an OpenGL context without a screen."""

import ctypes.util
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.errors import Failed

GL = {"egl": "EGL", "osmesa": "OSMesa", "glfw": "glfw"}
"""What renders, by its name in the environment variable ``MUJOCO_GL``, and its library."""

SHADOWED = 1.5
"""How far from the point that is looked at shadows fall, as a share of its distance."""


class Canvas:
    """Draws a ``model``'s world, ``size``: width and height in px. ``Failed`` where nothing can render off-screen.

    ``plain``: without shadows, reflections and sky.
    """

    def __init__(self, model: Any, size: tuple[int, int], plain: bool = False) -> None:
        import mujoco

        self._mujoco, self._model = mujoco, model
        width, height = size
        try:
            self._gl = _context(width, height)
            self._gl.make_current()
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        except Exception as error:  # whatever PyOpenGL and MuJoCo raise where a driver is missing
            raise Failed(f"nothing can render: {' '.join(str(error).split())[:120]}; libegl1 or libosmesa6 is needed") from None
        self._scene, self._options = mujoco.MjvScene(model, 20000), mujoco.MjvOption()
        if plain:
            for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION, mujoco.mjtRndFlag.mjRND_SKYBOX):
                self._scene.flags[flag] = 0
        self._view = mujoco.MjrRect(0, 0, width, height)
        self._buffer = np.empty((height, width, 3), np.uint8)

    def draw(self, data: Any, camera: Any) -> NDArray[np.uint8]:
        """The picture (H, W, 3), RGB, of the present state from MuJoCo's ``camera``; a view that the next one changes."""
        mujoco = self._mujoco
        self._gl.make_current()
        mujoco.mjv_updateScene(self._model, data, self._options, None, camera, mujoco.mjtCatBit.mjCAT_ALL, self._scene)
        if camera.type == mujoco.mjtCamera.mjCAMERA_FREE:
            self._light(camera)
        mujoco.mjr_render(self._view, self._scene, self._context)
        mujoco.mjr_readPixels(self._buffer, None, self._view, self._context)
        return self._buffer[::-1]

    def _light(self, camera: Any) -> None:
        """Let shadows fall in all of the picture's middle, which is where a light has to be for that."""
        self._context.shadowClip = SHADOWED * camera.distance
        for light in self._scene.lights[: self._scene.nlight]:
            if light.castshadow:
                light.pos[:] = np.asarray(camera.lookat) - camera.distance * light.dir

    def close(self) -> None:
        """Give the renderer back."""
        self._context.free()
        self._gl.free()


def renderer() -> str:
    """What renders: what ``MUJOCO_GL`` says, or the first of EGL and OSMesa that is there. ``Failed`` when it says what cannot."""
    there = [name for name in ("egl", "osmesa") if ctypes.util.find_library(GL[name])]
    chosen = os.environ.get("MUJOCO_GL", "") or (there[0] if there else "egl")
    if chosen not in GL:
        raise Failed(f"nothing can render: MUJOCO_GL={chosen} found, expected one of {', '.join(GL)}")
    return chosen


def _context(width: int, height: int) -> Any:
    """An OpenGL context without a screen."""
    chosen = renderer()
    if chosen == "egl":
        from mujoco.egl import GLContext
    elif chosen == "osmesa":
        from mujoco.osmesa import GLContext
    else:
        from mujoco.glfw import GLContext
    return GLContext(width, height)
