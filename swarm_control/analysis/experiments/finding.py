"""What an experiment finds: the paper's statement, a table, claims that hold or not, and panels for a picture."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from swarm_control.analysis.experiments.flight import Flight
from swarm_control.analysis.intervals import interval as interval
from swarm_control.core.geometry import Array


@dataclass(frozen=True)
class Paths:
    """A panel with the paths of a flight on its map; ``leaders`` colours who leads; ``zoom`` (m) shows a square around the robots."""

    title: str
    flight: Flight
    leaders: bool = False
    zoom: float = 0.0


@dataclass(frozen=True)
class Snapshot:
    """A panel with the robots of a flight at ``time`` (s) and their paths of the last ``trail`` (s), coloured by their groups.

    ``crossed`` (k, 2) m: landmarks to cross out. ``half`` (m): half the side of the square shown, round (0, 0); 0: all that ever is.
    """

    title: str
    flight: Flight
    time: float
    trail: float = 5.0
    crossed: Array = field(default_factory=lambda: np.empty((0, 2)))
    half: float = 0.0


@dataclass(frozen=True)
class Curves:
    """A panel with curves: label → (x, y, half-width of the interval or None)."""

    title: str
    x_label: str
    y_label: str
    curves: dict[str, tuple[Array, Array, Array | None]]


@dataclass(frozen=True)
class Tracks:
    """A panel with ways on the floor: label → points (T, 2) m; ``shapes``: polygons (M, 2) m, drawn closed and thin."""

    title: str
    tracks: dict[str, Array]
    shapes: tuple[Array, ...] = ()


@dataclass(frozen=True)
class Surface:
    """A panel with lines of equal ``value`` (H, W) over ``x`` (W,) and ``y`` (H,); ``marks`` (k, 2): points to mark."""

    title: str
    x_label: str
    y_label: str
    x: Array
    y: Array
    value: Array
    marks: Array


@dataclass(frozen=True)
class Bars:
    """A panel with groups of bars: for each of ``labels`` one bar per series; ``series``: label → heights."""

    title: str
    y_label: str
    labels: tuple[str, ...]
    series: dict[str, Array]


@dataclass(frozen=True)
class Photo:
    """A panel with a picture (H, W, 3), RGB, and where robots drove in it, ``track`` (T, N, 2) px; ``axes``: with pixels on its border."""

    title: str
    picture: NDArray[np.uint8]
    track: Array
    axes: bool = True


@dataclass(frozen=True)
class Finding:
    """Result of an experiment.

    ``statement``: what the paper says. ``columns`` and ``rows``: our numbers. ``claims``: statements with whether they were found to
    hold. ``numbers``: by name, for programs. ``note``: what differs from the paper, or falls short. ``chosen_on`` and ``reported_on``: the
    seeds that chose the values and those of the numbers, empty where nothing is drawn; whoever runs the experiment fills them in.
    """

    title: str
    statement: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    claims: dict[str, bool]
    panels: tuple[Paths | Snapshot | Curves | Tracks | Surface | Bars | Photo, ...]
    numbers: dict[str, float] = field(default_factory=dict)
    note: str = ""
    chosen_on: range = range(0)
    reported_on: range = range(0)


def mean_sd(values: Iterable[float | None], digits: int = 1) -> str:
    """``mean ± standard deviation`` of the values that there are; a dash for none."""
    known = np.array([value for value in values if value is not None and np.isfinite(value)], float)
    if known.size == 0:
        return "–"
    if known.size == 1:
        return f"{known[0]:.{digits}f}"
    return f"{known.mean():.{digits}f} ± {known.std(ddof=1):.{digits}f}"
