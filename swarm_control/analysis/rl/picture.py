"""A picture of a scene, quickly made."""

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array
from swarm_control.core.state import SwarmState
from swarm_control.scenario.setup import Setup

SIDE = 480
"""Pixels along the longer side."""
PAPER, WALL, GOAL, ROBOT, NOSE = (255, 255, 255), (70, 70, 78), (120, 190, 120), (40, 90, 170), (250, 210, 60)


def picture(setup: Setup, state: SwarmState, goal: Array) -> NDArray[np.uint8]:
    """Walls, goals and robots with their headings from above, as RGB (H, W, 3)."""
    from PIL import Image, ImageDraw

    low, high = _frame(setup, state, goal)
    scale = SIDE / float((high - low).max())
    width, height = (max(int(length), 16) for length in (high - low) * scale)
    if setup.grid is None:
        image = Image.new("RGB", (width, height), PAPER)
    else:
        cells = np.array((PAPER, WALL), np.uint8)[setup.grid.occupied[::-1].astype(int)]
        image = Image.fromarray(cells).resize((width, height), Image.Resampling.NEAREST)
    draw = ImageDraw.Draw(image)

    def disc(x: float, y: float, radius: float, colour: tuple[int, int, int]) -> None:
        u, v, r = (x - low[0]) * scale, (high[1] - y) * scale, max(radius * scale, 1.5)
        draw.ellipse((u - r, v - r, u + r, v + r), fill=colour)

    for x, y in np.unique(goal[np.isfinite(goal).all(axis=1)], axis=0):
        disc(x, y, 0.1, GOAL)
    for (x, y, yaw), radius in zip(state.pose, setup.fleet.radius):
        disc(x, y, radius, ROBOT)
        disc(x + 0.6 * radius * np.cos(yaw), y + 0.6 * radius * np.sin(yaw), 0.3 * radius, NOSE)
    return np.asarray(image)


def _frame(setup: Setup, state: SwarmState, goal: Array) -> tuple[Array, Array]:
    """Lower left and upper right corner (m) of what is shown: the map, or all robots and goals."""
    if setup.grid is not None:
        low = np.array(setup.grid.origin, float)
        rows, columns = setup.grid.occupied.shape
        return low, low + np.array([columns, rows]) * setup.grid.resolution
    points = np.vstack((state.position, setup.start.position, goal[np.isfinite(goal).all(axis=1)]))
    return points.min(axis=0) - 0.5, points.max(axis=0) + 0.5
