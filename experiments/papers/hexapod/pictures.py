"""Pictures of walking insects: gait diagrams as in the paper's figures, photographs; and the support of the feet."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.analysis.experiments.flight import Seed
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.errors import Failed
from swarm_control.scenario.bodies import Bodies
from swarm_control.sim.mujoco.hexapod_walk import Insects

from .numerics import level


def diagram(stepping: BoolArray, dt: float) -> NDArray[np.uint8]:
    """A gait diagram (H, W, 3) of a record (T, L), a row every ``dt`` s: white where a leg steps.

    Left legs are over right ones, the front leg first.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    legs = stepping.shape[1]
    order = [*range(0, legs, 2), *range(1, legs, 2)]
    figure = Figure(figsize=(6.4, 4.6), dpi=130, layout="constrained")
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    shown, extent = stepping[:, order].T, (0.0, len(stepping) * dt, float(legs), 0.0)
    axes.imshow(shown, aspect="auto", cmap="gray", vmin=0, vmax=1, interpolation="nearest", extent=extent)
    axes.set_yticks(np.arange(legs) + 0.5, [f"{'LR'[k % 2]}{k // 2 + 1}" for k in order])
    axes.hlines(np.arange(1, legs), 0, len(stepping) * dt, color="#888888", linewidth=1.5)
    axes.set_xlabel("time (s)")
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def photograph(seed: Seed, speed: float = 0.06, seconds: float = 1.0) -> NDArray[np.uint8]:
    """An insect as it walks, from the side and from above; blank where nothing can render off-screen."""
    blank = np.full((400, 1200, 3), 255, np.uint8)
    try:
        import mujoco
    except ImportError:
        return blank
    from swarm_control.sim.mujoco.canvas import Canvas

    insects = Insects(level(), 1, seed)
    insects.walk((speed, 0.0, 0.0), seconds)
    camera, views = mujoco.MjvCamera(), []
    camera.lookat, camera.distance = insects.data.qpos[:3], 5.0
    try:
        canvas = Canvas(insects.model, (600, 400))
    except Failed:
        return blank
    for camera.azimuth, camera.elevation in ((130.0, -20.0), (90.0, -80.0)):
        views.append(canvas.draw(insects.data, camera).copy())
    canvas.close()
    return np.hstack(views)


def frames(bodies: Bodies, seed: Seed, speed: float = 0.018, seconds: tuple[float, ...] = (0.0, 2.0, 4.0, 6.0)) -> NDArray[np.uint8]:
    """An insect that crosses the ground of ``bodies``, from the side, at some instants, one below the other, from one place."""
    blank = np.full((4 * 220, 900, 3), 255, np.uint8)
    try:
        import mujoco
    except ImportError:
        return blank
    from swarm_control.sim.mujoco.canvas import Canvas

    insects, views, now = Insects(bodies, 1, seed, tick=0.01), [], 0.0
    camera, middle = mujoco.MjvCamera(), 0.5 * 100.0 * speed * seconds[-1]
    camera.lookat, camera.distance, camera.azimuth, camera.elevation = (middle, 0.0, 0.5), 6.0, 90.0, -12.0
    try:
        canvas = Canvas(insects.model, (900, 220))
    except Failed:
        return blank
    for instant in seconds:
        if instant > now:
            insects.walk((speed, 0.0, 0.0), instant - now, 2.0)
            now = instant
        views.append(canvas.draw(insects.data, camera).copy())
    canvas.close()
    return np.vstack(views)


def margins(centre: Array, feet: Array, down: BoolArray) -> Array:
    """How far inside the hull of the feet (T, L, 2) that are ``down`` (T, L) the ``centre`` (T, 2) is; negative outside, any unit."""
    return np.array([margin(c, f[d]) for c, f, d in zip(centre, feet, down)])


def margin(centre: Array, feet: Array) -> float:
    """Distance of ``centre`` (2,) from the border of the hull of ``feet`` (n, 2), negative outside or where there is no hull."""
    from shapely import MultiPoint, Point

    hull, point = MultiPoint(feet).convex_hull, Point(centre)
    if hull.geom_type != "Polygon":
        return -float(point.distance(hull)) if len(feet) else -1.0
    distance = float(hull.exterior.distance(point))
    return distance if hull.contains(point) else -distance
