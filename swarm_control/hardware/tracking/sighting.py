"""What is seen in an image, and who it is."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.hardware.tracking.floor import FloorProjection

Image = NDArray[np.uint8]
Window = tuple[slice, slice]


@dataclass(frozen=True)
class Sighting:
    """``pose`` (N, 3) of the robots' markers in m, m, rad; NaN: not seen. ``duplicates`` (N,): whose marker is there more than once."""

    pose: Array
    duplicates: BoolArray


class Finder(Protocol):
    """Finds robots' markers in an image."""

    def find(self, image: Image, predicted: Array) -> Sighting:
        """Find markers in ``image``; ``predicted`` (N, 3) are the poses at which they are expected, NaN where nobody knows."""
        ...


@dataclass(frozen=True)
class Candidates:
    """C things in an image that may be robots' markers: their ``kind`` (C,), ``pose`` (C, 3), what they are made of, ``parts`` (C, 2), each
    of which belongs to one robot at most, and how ill they fit, ``misfit`` (C,) m.
    """

    kind: IntArray
    pose: Array
    parts: IntArray
    misfit: Array


def identify(found: Candidates, kinds: IntArray, predicted: Array, reach: float) -> Sighting:
    """Say which candidate is which robot. ``kinds`` (N,): what each robot wears; several may wear the same.

    1. By continuity: a robot gets the candidate of its kind that is nearest to where it is expected, no farther than ``reach`` (m). Where
       two robots, or one robot's two candidates, compete, the nearest pair goes first.
    2. Who is left gets what is left of its kind, if just one robot and one candidate of that kind are left. Otherwise nobody can know.

    A robot has a duplicate when, at the end, more candidates of its kind than robots are there.
    """
    n = len(kinds)
    pose, chosen = np.full((n, 3), np.nan), np.full(n, -1)
    with np.errstate(invalid="ignore"):
        away = np.hypot(*(found.pose[None, :, k] - predicted[:, None, k] for k in (0, 1)))
    fits = (found.kind[None] == kinds[:, None]) & (away <= reach)
    robots, candidates = np.nonzero(fits)
    used: set[int] = set()
    for k in np.argsort(away[robots, candidates] + found.misfit[candidates], kind="stable"):
        _take(found, int(robots[k]), int(candidates[k]), chosen, used)
    left = [int(c) for c in np.argsort(found.misfit, kind="stable") if c not in set(chosen.tolist())]
    spare: dict[int, list[int]] = {}
    for c in left:
        if used.isdisjoint(found.parts[c].tolist()):
            spare.setdefault(int(found.kind[c]), []).append(c)
    duplicates = np.zeros(n, bool)
    for kind, those in spare.items():
        missing = np.flatnonzero((kinds == kind) & (chosen < 0))
        those = _disjoint(found, those)
        if len(missing) == 1 and len(those) == 1:
            _take(found, int(missing[0]), those[0], chosen, used)
        elif len(those) > len(missing):
            duplicates |= kinds == kind
    seen = chosen >= 0
    pose[seen] = found.pose[chosen[seen]]
    return Sighting(pose, duplicates)


def _take(found: Candidates, robot: int, candidate: int, chosen: IntArray, used: set[int]) -> None:
    parts = found.parts[candidate].tolist()
    if chosen[robot] < 0 and used.isdisjoint(parts):
        chosen[robot] = candidate
        used.update(parts)


def _disjoint(found: Candidates, those: list[int]) -> list[int]:
    """The best fitting of ``those``, which come in the order of their fit, that share no part."""
    used: set[int] = set()
    kept = []
    for c in those:
        parts = found.parts[c].tolist()
        if used.isdisjoint(parts):
            used.update(parts)
            kept.append(c)
    return kept


def windows(floor: FloorProjection, predicted: Array, height: float, radius: float) -> list[Window]:
    """Parts of the image, rows and columns, that hold all within ``radius`` (m) of ``predicted`` (n, 3) marker poses."""
    if not len(predicted):
        return []
    centre = floor.to_image(predicted[:, :2], height)
    half = np.ceil(radius / floor.scale(centre)) + 2.0
    low = np.clip(np.floor(centre - half[:, None]), 0, floor.size).astype(int)
    high = np.clip(np.ceil(centre + half[:, None]) + 1, 0, floor.size).astype(int)
    return [(slice(int(a[1]), int(b[1])), slice(int(a[0]), int(b[0]))) for a, b in zip(low, high) if (b - a > 4).all()]


def check_image(image: Any, floor: FloorProjection, colour: bool) -> Image:
    """The image if it can be searched; ``ValueError`` says why not."""
    width, height = floor.size
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8:
        raise ValueError("an image that does not have 8 bits a channel")
    if image.ndim == 2 and colour:
        raise ValueError("a grey image found, expected colours: spots are told apart by them")
    if image.shape[:2] != (height, width) or image.shape[2:] not in ((), (3,)):
        shape = " × ".join(map(str, (image.shape[1], image.shape[0], *image.shape[2:]))) if image.ndim > 1 else str(image.shape)
        raise ValueError(f"an image of {shape} found, expected {width} × {height} × 3: hardware.tracker.floor.image_size")
    return image
