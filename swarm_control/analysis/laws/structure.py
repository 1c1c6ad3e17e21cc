"""A structure of robots at given places as springs between single robots (Reif & Wang 1999, section 5)."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarm_control.analysis.laws.wishes import rows_of
from swarm_control.analysis.laws.written import FRICTION, places_text
from swarm_control.core.geometry import Array, IntArray
from swarm_control.errors import InputError
from swarm_control.social.connectivity import fewest, is_connected
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
    n, edges = len(structure.place), structure.edges
    connected = n - 1 if not structure.few else 3 + is_connected(n, edges, 4)
    return f"{n} robots, {len(edges)} springs: rigid, {connected}-connected; no fewer than {2 * n - 2} keep a shape for certain"


def structure_text(structure: SpringStructure, description: str, command: str, seed: int, radius: float) -> str:
    """The scenario's YAML; ``command``: what made it; ``radius`` (m) of the robots."""
    place, edges = structure.place, structure.edges
    length = np.linalg.norm(place[edges[:, 1]] - place[edges[:, 0]], axis=1)
    springs = ", ".join(f"{a}, {b}, {far:.6g}" for (a, b), far in zip(edges.tolist(), length.tolist()))
    lines = [
        f"# Made by: {command}",
        f"# {told(structure)}. A mirrored structure has the same springs.",
        f"description: {json.dumps(description, ensure_ascii=False)}",
        f"duration: {DURATION:g}",
        f"seed: {seed}",
        "robots:",
        f"  - count: {len(place)}",
        f"    radius: {radius:g}",
        f"    start: {_start(structure, seed, radius)}",
        "control:",
        "  social:",
        "    weight: 1.0",
        "    feels: everyone",
        f"    friction: {FRICTION:g}",
        f"    stiffness: {4.0 * FRICTION**2 / (6.0 if structure.few else len(place)):.4g}",
        f"    springs: [{springs}]",
        "  accumulation: {method: weighted}",
        "  separation_filter: {enabled: true}",
    ]
    return "\n".join(lines) + "\n"


def _start(structure: SpringStructure, seed: int, radius: float) -> str:
    """Aside of their places where few springs hold them, else scattered over a disc around these."""
    middle = structure.place.mean(axis=0)
    if not structure.few:
        far = float(np.linalg.norm(structure.place - middle, axis=1).max())
        return f"{{pattern: scatter, center: [{places_text(middle)}], radius: {1.2 * far:.4g}, spacing: {2.2 * radius:.4g}}}"
    room = max(min(ASIDE * structure.closest, 0.5 * (structure.closest - 2.1 * radius)), 0.0)
    rng = np.random.default_rng(seed)
    angle, r = rng.uniform(0.0, 2.0 * np.pi, len(structure.place)), room * np.sqrt(rng.random(len(structure.place)))
    at = structure.place + r[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    return f"{{pattern: poses, poses: [{', '.join(f'[{places_text(place)}, 0]' for place in at)}]}}"


def shape_error(place: Array, position: Array) -> float:
    """Root mean square distance of robots at ``position`` (N, 2) m from a structure ``place`` (N, 2), best put over them, over its own
    distances from its middle; a mirrored structure counts as the same.
    """
    from scipy.linalg import orthogonal_procrustes

    one, other = place - place.mean(axis=0), position - position.mean(axis=0)
    turn, _ = orthogonal_procrustes(one, other)
    return float(np.sqrt(((one @ turn - other) ** 2).sum() / (one**2).sum()))
