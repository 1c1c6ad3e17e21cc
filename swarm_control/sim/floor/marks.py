"""What robots wear for the camera: two coloured spots, or an ArUco marker on a white card."""

import colorsys
from dataclasses import dataclass, field

import numpy as np

from swarm_control.core.geometry import Array, rotate
from swarm_control.hardware.tracking.aruco import dictionary
from swarm_control.hardware.tracking.spots import HUES, pairs
from swarm_control.scenario.hardware import Tracker
from swarm_control.sim.floor.r3 import CARD

THICK = 0.5 * CARD
PIXELS = 16
"""Pixels of a marker's texture for each of its squares."""


@dataclass(frozen=True)
class Marks:
    """MJCF of each robot's marker, in the robot's frame; of the ``assets`` that they need; and the ``files`` that those name."""

    bodies: tuple[str, ...]
    assets: str = ""
    files: dict[str, bytes] = field(default_factory=dict)


def marks(tracker: Tracker, robots: int, askew: Array) -> Marks:
    """What ``tracker`` looks for, ``tracker.marker_height`` over the floor; ``askew`` (N, 3) m, m, rad: how far from where it should be."""
    place = np.array(tracker.marker_offset) * [1.0, 1.0, np.pi / 180.0] + askew
    return _cards(tracker, place) if tracker.markers == "aruco" else _spots(tracker, place)


def _spots(tracker: Tracker, place: Array) -> Marks:
    colours = [colorsys.hsv_to_rgb(hue / 360.0, 1.0, 1.0) for hue in HUES.values()]
    bodies = []
    for pair, (ahead, left, turn) in zip(pairs(tracker, len(place)), place):
        geoms = []
        for colour, share in zip(pair, (0.5, -0.5)):
            x, y = np.array([ahead, left]) + rotate(np.array([share * tracker.marker_size, 0.0]), turn)
            red, green, blue = colours[colour]
            geoms.append(
                f'<geom class="mark" type="cylinder" size="{0.5 * tracker.spot_diameter} {THICK}" '
                f'pos="{x:.9g} {y:.9g} {tracker.marker_height - THICK:.9g}" rgba="{red} {green} {blue} 1"/>'
            )
        bodies.append("".join(geoms))
    return Marks(tuple(bodies))


def _cards(tracker: Tracker, place: Array) -> Marks:
    import cv2

    family = dictionary(tracker.family)
    ids = [int(k) for k in tracker.ids] or list(range(len(place)))
    squares = family.markerSize + 2
    half = 0.5 * tracker.marker_size * (squares + 2) / squares
    files, assets, bodies = {}, [], []
    for k, (ahead, left, turn) in zip(ids, place):
        card = np.full(((squares + 2) * PIXELS,) * 2, 255, np.uint8)
        card[PIXELS:-PIXELS, PIXELS:-PIXELS] = cv2.aruco.generateImageMarker(family, k, squares * PIXELS)
        name = f"marker_{k}"
        files[f"{name}.png"] = cv2.imencode(".png", card)[1].tobytes()
        assets.append(f'<texture name="{name}" type="2d" file="{name}.png"/><material name="{name}" texture="{name}" specular="0"/>')
        where = f'pos="{ahead:.9g} {left:.9g} {tracker.marker_height - THICK:.9g}" euler="0 0 {turn:.9g}"'
        bodies.append(f'<geom class="mark" type="box" size="{half:.9g} {half:.9g} {THICK}" {where} material="{name}"/>')
    return Marks(tuple(bodies), "".join(assets), files)
