"""Laws and control landmarks for a wished density of robots in two dimensions (Reif & Wang 1999, section 4.1 and 4.2).

The paper finds the density of a law in rounds, and a law for a density by a search over such rounds. Here the law among robots is fixed,
a steep repulsion, and the landmarks are found: first from the cost of a robot at each wished density, which holds where the density
changes slowly; then robots are let come to rest, and where they are too many the landscape is raised by what the difference costs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.social.control_landmarks import ControlLandmarks, drawing_home, fitted, in_levels, laid_out
from swarm_control.social.lattice import REACH, REPULSION, cost
from swarm_control.social.settle import settle
from swarm_control.social.wished_density import WishedDensity

ROUNDS, STARTS = 4, 2
"""How often the landmarks are mended by what came of them, and from how many starts."""
STEP = 0.7
"""Share of a difference that is mended in a round."""
LEVELS = 24
"""Strengths of landmarks of one kind that a design tells apart: each is a law of its own."""
STEEP = 2.0
"""Slope beside the wished density, over the cost of its mean density per spacing."""


@dataclass(frozen=True)
class DensityDesign:
    """``strength`` a of the repulsion ``−a/r^σ`` (σ is ``lattice.REPULSION``) up to ``reach`` (m) among all robots, and the landmarks.

    ``misplaced``: share of the robots that, let come to rest from a scatter, are where they are not wished.
    """

    wished: WishedDensity
    strength: float
    reach: float
    controls: ControlLandmarks
    misplaced: float


def design(wished: WishedDensity, push: float, seed: int, told: Callable[[int, int], None] = lambda done, all_: None) -> DensityDesign:
    """Landmarks for a ``wished`` density, by robots that repel each other with ``push`` (m/s²) at its mean spacing.

    ``seed``: of the scatters from which robots come to rest. ``told`` is called with the rounds done and all.
    """
    rng = np.random.default_rng(seed)
    strength, reach = push * wished.apart**REPULSION, REACH * wished.apart
    costs = cost(wished.density, strength)
    slope = STEEP * float((costs * wished.density).sum() / wished.density.sum()) / wished.apart
    landscape, seen = -costs, cost(wished.smoothed(wished.density), strength)
    controls = laid_out(wished, slope)
    best: tuple[float, ControlLandmarks] | None = None
    for k in range(ROUNDS + 1):
        told(k, ROUNDS + 1)
        controls = fitted(controls, wished, landscape, slope)
        tried = drawing_home(in_levels(controls, LEVELS))
        rest = [settle(scattered(wished, rng), tried, strength, reach) for _ in range(STARTS)]
        missed = float(np.mean([wished.misplaced(position) for position in rest]))
        if best is None or missed < best[0]:
            best = missed, tried
        found = np.mean([wished.of(position) for position in rest], axis=0)
        landscape = landscape + STEP * (cost(found, strength) - seen)
    told(ROUNDS + 1, ROUNDS + 1)
    assert best is not None
    return DensityDesign(wished, strength, reach, best[1], best[0])


def scattered(wished: WishedDensity, rng: np.random.Generator) -> Array:
    """Places (N, 2) m at random in the circle around a wished density."""
    centre, radius = wished.circle
    r, angle = radius * np.sqrt(rng.random(wished.robots)), rng.uniform(0.0, 2.0 * np.pi, wished.robots)
    places: Array = centre + r[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    return places


def scattered_share(wished: WishedDensity, seed: int) -> float:
    """Share of robots in the wrong place when they are scattered over the circle around a wished density: the mean of ten scatters."""
    rng = np.random.default_rng(seed)
    return float(np.mean([wished.misplaced(scattered(wished, rng)) for _ in range(10)]))
