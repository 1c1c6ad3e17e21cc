"""What a robot that MuJoCo moves looks like where it starts: the visible shapes of its model, for programs that draw robots."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.terrain import Terrain
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_control.world.urdf import Piece

SEEN = 3
"""Geoms of groups below this are seen, those of higher ones only collide."""

SHAPES = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
"""What MuJoCo's numbers of shapes (``mjtGeom``) mean."""

RINGS, SECTORS = 8, 16
"""Of the mesh that stands for an ellipsoid."""


def looks(fleet: Fleet, start: SwarmState, robot: int, bodies: Bodies, seed: int, folder: Path) -> tuple[Piece, ...]:
    """The pieces of a ``robot`` (its number) as it begins, with its speed at the ``start``, on level ground, in the frame of its pose; m.

    Meshes, and ellipsoids, for which URDF has no word, are written as STL into the ``folder``, under names made from what is in them.
    """
    alone, ahead = fleet.take(np.array([robot])), np.array([[float(norm(start.velocity[robot, :2])), 0.0, 0.0]])
    engine = HerdEngine(alone, SwarmState.of(0.0, np.zeros((1, 3)), ahead), None, 0.05, replace(bodies, terrain=Terrain()), seed)
    model = engine.model
    own = np.flatnonzero((model.geom_bodyid > 0) & (model.geom_group < SEEN) & (model.geom_rgba[:, 3] > 0.0))
    return tuple(piece for geom in own.tolist() for piece in _pieces(engine, geom, folder))


def _pieces(engine: HerdEngine, geom: int, folder: Path) -> Iterator[Piece]:
    """The piece of one geom; a capsule is a cylinder between two balls."""
    model, unit = engine.model, engine.unit
    place, turn = unit * engine.data.geom_xpos[geom], engine.data.geom_xmat[geom].reshape(3, 3)
    size, colour = unit * model.geom_size[geom], _colour(model, geom)
    shape = SHAPES.get(int(model.geom_type[geom]), "")
    if shape in ("sphere", "box"):
        yield Piece(shape, (size[0],) if shape == "sphere" else tuple(2.0 * size), place, turn, colour)
    elif shape in ("cylinder", "capsule"):
        yield Piece("cylinder", (size[0], 2.0 * size[1]), place, turn, colour)
        for end in (size[1], -size[1]) if shape == "capsule" else ():
            yield Piece("sphere", (size[0],), place + end * turn[:, 2], turn, colour)
    elif shape in ("ellipsoid", "mesh"):
        corners, faces = _ellipsoid(size) if shape == "ellipsoid" else _mesh(model, int(model.geom_dataid[geom]), unit)
        yield Piece("mesh", (), place, turn, colour, _written(corners[faces], folder).as_uri())


def _colour(model: Any, geom: int) -> Array:
    """Red, green, blue and opacity of a geom, (4,): its material's, if it has one."""
    material = int(model.geom_matid[geom])
    colour: Array = np.array(model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom], float)
    return colour


def _mesh(model: Any, mesh: int, unit: float) -> tuple[Array, IntArray]:
    """Corners (V, 3) m of a mesh, and its triangles (F, 3)."""
    corner, face = int(model.mesh_vertadr[mesh]), int(model.mesh_faceadr[mesh])
    corners = unit * model.mesh_vert[corner : corner + int(model.mesh_vertnum[mesh])]
    return corners, np.asarray(model.mesh_face[face : face + int(model.mesh_facenum[mesh])], np.int64)


def _ellipsoid(size: Array) -> tuple[Array, IntArray]:
    """Corners and triangles of an ellipsoid with these semi-axes (3,) m."""
    down, around = np.meshgrid(np.linspace(0.0, np.pi, RINGS + 1), np.linspace(0.0, 2.0 * np.pi, SECTORS + 1), indexing="ij")
    corners = size * np.stack((np.sin(down) * np.cos(around), np.sin(down) * np.sin(around), np.cos(down)), axis=-1).reshape(-1, 3)
    first = (np.arange(RINGS)[:, None] * (SECTORS + 1) + np.arange(SECTORS)).ravel()
    below = first + SECTORS + 1
    faces = np.concatenate((np.column_stack((first, below, below + 1)), np.column_stack((first, below + 1, first + 1))))
    return corners, faces


def _written(triangles: Array, folder: Path) -> Path:
    """The STL file of ``triangles`` (F, 3, 3) m in the ``folder``."""
    rows = np.zeros(len(triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    rows["normal"], rows["corners"] = across / np.maximum(np.linalg.norm(across, axis=1), 1e-30)[:, None], triangles
    content = bytes(80) + np.uint32(len(rows)).tobytes() + rows.tobytes()
    file = folder / f"{hashlib.sha256(content).hexdigest()[:20]}.stl"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return file
