"""A structure of robots at given places as springs between single robots (Reif & Wang 1999, section 5)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.laws.densities import rows_of
from swarm_control.analysis.laws.written import FILTERED, FRICTION, number, places, with_comment
from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.errors import InputError
from swarm_control.social.connectivity import fewest
from swarm_control.social.springs import is_rigid

MOST = 100
"""Robots up to which each is joined to every other."""
DURATION, ASIDE = 90.0, 0.15
"""How long the scenario lasts, s; how far aside robots start that are joined by few springs, as a share of the shortest distance."""


def _all(position: Array) -> IntArray:
    return np.column_stack(np.triu_indices(len(position), 1))


EDGES: dict[str, Callable[[Array], IntArray]] = {"all": _all, "fewest": fewest}
"""Which robots springs join: each to every other, which forms from anywhere; or as few as keep the shape, which do from nearby."""


@dataclass(frozen=True)
class SpringStructure:
    """Robots at ``place`` (N, 2) m, joined by springs along ``edges`` (E, 2); ``few``: by as few as keep the shape."""

    place: Array
    edges: IntArray
    few: bool

    @property
    def closest(self) -> float:
        """Least distance (m) between two robots."""
        away = np.linalg.norm(self.place[:, None] - self.place, axis=-1)
        return float(away[~np.eye(len(away), dtype=bool)].min())


def read_structure(path: Path, kind: str) -> SpringStructure:
    """Robots at the places that a file has, x,y in m on each line, joined as ``kind`` says. ``InputError`` for what is no structure."""
    where = f"--structure {path}"
    place = rows_of(path, where)
    if len(place) < 4:
        raise InputError(where, f"{len(place)} places found, expected at least four, each x,y on a line of its own")
    if kind not in EDGES:
        raise InputError("--edges", f"{kind!r} found, expected one of {', '.join(EDGES)}")
    if kind == "all" and len(place) > MOST:
        raise InputError("--edges", f"all with {len(place)} robots found, expected at most {MOST} of them, or fewest")
    made = SpringStructure(place, EDGES[kind](place), kind == "fewest")
    if made.closest <= 0.0:
        raise InputError(where, "a place that is given twice found, expected places of their own for all robots")
    if not is_rigid(made.edges, place):
        other = ", or --edges all" if made.few else ""
        raise InputError(where, f"places along a line, or so regular that these springs do not hold them, found; expected others{other}")
    return made


def told(structure: SpringStructure) -> str:
    """What holds the structure together."""
    n, connected = len(structure.place), 3 if structure.few else len(structure.place) - 1
    return f"{n} robots, {len(structure.edges)} springs: rigid, {connected}-connected; no fewer than {2 * n - 2} keep a shape for certain"


def structure_text(structure: SpringStructure, description: str, command: str, seed: int, radius: float) -> str:
    """The scenario's YAML; ``command``: what made it; ``radius`` (m) of the robots."""
    place, edges = structure.place, structure.edges
    length = norm(place[edges[:, 1]] - place[edges[:, 0]])
    stiffness = 4.0 * FRICTION**2 / (6.0 if structure.few else len(place))
    about = f"{told(structure)}. A mirrored structure has the same springs."
    return with_comment((f"Made by: {command}", about), {
        "description": description, "duration": DURATION, "seed": seed,
        "robots": [{"count": len(place), "radius": radius, "start": _start(structure, seed, radius)}],
        "control": {
            "social": {
                "weight": 1.0, "feels": "everyone", "friction": FRICTION, "stiffness": number(stiffness),
                "springs": [value for (a, b), far in zip(edges.tolist(), length) for value in (a, b, round(float(far), 5))],
            },
            **FILTERED,
        },
    })  # fmt: skip


def _start(structure: SpringStructure, seed: int, radius: float) -> dict[str, Any]:
    """Aside of their places where few springs hold them, else scattered over a disc around these."""
    middle = structure.place.mean(axis=0)
    if not structure.few:
        far = float(norm(structure.place - middle).max())
        return {"pattern": "scatter", "center": places(middle), "radius": number(1.2 * far), "spacing": number(2.2 * radius)}
    room = max(min(ASIDE * structure.closest, 0.5 * (structure.closest - 2.1 * radius)), 0.0)
    rng = np.random.default_rng(seed)
    angle, r = rng.uniform(0.0, 2.0 * np.pi, len(structure.place)), room * np.sqrt(rng.random(len(structure.place)))
    at = structure.place + r[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    return {"pattern": "poses", "poses": [[*places(one), 0.0] for one in at]}


def shape_error(place: Array, position: Array) -> float:
    """Root mean square distance of robots at ``position`` (N, 2) m from a structure ``place`` (N, 2), best put over them, over its own
    distances from its middle; a mirrored structure counts as the same.
    """
    from scipy.linalg import orthogonal_procrustes

    one, other = place - place.mean(axis=0), position - position.mean(axis=0)
    turn, _ = orthogonal_procrustes(one, other)
    return float(np.sqrt(((one @ turn - other) ** 2).sum() / (one**2).sum()))
