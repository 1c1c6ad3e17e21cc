"""What bicyclists look like in MuJoCo: shapes that are seen and meet nothing, colours, wheels."""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.robots.bicycle.body import Vector, numbers

DARK, METAL, SKIN, SHORTS, SHOE = ".09 .09 .1 1", ".75 .77 .8 1", ".87 .66 .53 1", ".13 .14 .2 1", ".93 .93 .9 1"
COLOURS = (
    ".84 .22 .18 1", ".12 .42 .72 1", ".95 .74 .12 1", ".16 .58 .34 1", ".9 .45 .1 1", ".5 .26 .62 1", ".1 .6 .66 1", ".85 .35 .55 1",
)  # fmt: skip
"""Of jerseys and frames, in turn."""


def tube(a: Vector, b: Vector, radius: float, colour: str) -> str:
    """MJCF of a capsule from ``a`` to ``b`` that is only seen."""
    return f'<geom class="bicycle/seen" type="capsule" fromto="{numbers(*a, *b)}" size="{radius}" rgba="{colour}"/>'


def blob(at: Vector, size: Vector, colour: str, pitch: float = 0.0) -> str:
    """MJCF of an ellipsoid that is only seen."""
    turn = f'quat="{numbers(np.cos(0.5 * pitch), 0.0, np.sin(0.5 * pitch), 0.0)}"'
    return f'<geom class="bicycle/seen" type="ellipsoid" pos="{numbers(*at)}" {turn} size="{numbers(*size)}" rgba="{colour}"/>'


def wheels(radius: float) -> str:
    """MJCF of what is seen of a wheel: a ring and spokes."""
    turn, around = np.arange(32) * np.pi / 16.0, np.arange(8) * np.pi / 4.0
    inner = 0.018
    r = radius - inner + inner * np.cos(around)[None]
    ring = np.stack((r * np.cos(turn)[:, None], np.tile(inner * np.sin(around), (32, 1)), r * np.sin(turn)[:, None]), axis=-1).reshape(
        -1, 3
    )
    faces = [
        quad for i in range(32) for j in range(8)
        for quad in _quad(8 * i + j, 8 * i + (j + 1) % 8, 8 * ((i + 1) % 32) + (j + 1) % 8, 8 * ((i + 1) % 32) + j)
    ]  # fmt: skip
    spokes, sides = [], []
    for k, angle in enumerate(np.arange(8) * np.pi / 4.0):
        along, across = np.array([np.cos(angle), 0.0, np.sin(angle)]), 0.0025 * np.array([-np.sin(angle), 0.0, np.cos(angle)])
        flat = np.array([0.0, 0.0025, 0.0])
        end = (radius - 2.0 * inner) * along
        spokes += [p + s * across + t * flat for p in (0.0 * along, end) for s, t in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        sides += [quad for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)) for quad in _quad(8 * k + a, 8 * k + b, 8 * k + b + 4, 8 * k + a + 4)]
    return _mesh("bicycle/ring", ring, faces) + _mesh("bicycle/spokes", np.array(spokes), sides)


def _quad(a: int, b: int, c: int, d: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    return (a, b, c), (a, c, d)


def _mesh(name: str, vertices: Array, faces: list[tuple[int, int, int]]) -> str:
    points, corners = numbers(*np.round(vertices, 5).ravel()), " ".join(str(k) for face in faces for k in face)
    return f'<mesh name="{name}" inertia="shell" vertex="{points}" face="{corners}"/>'
