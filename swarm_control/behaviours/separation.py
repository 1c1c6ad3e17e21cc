"""Separation: keep clear of neighbours that come too close."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array
from swarm_control.core.ground import HEXAGON, free_area
from swarm_control.core.parameters import param
from swarm_control.core.state import Neighbourhoods, Surroundings, SwarmState

LAWS = ("unit", "linear", "inverse")


@dataclass(frozen=True)
class Separation:
    """Parameters of separation."""

    weight: float = param(0.0, "weight; 0 switches separation off", unit="m/s²", low=0.0, high=100.0)
    distance: float = param(0.4, "neighbours nearer than this are kept clear of", unit="m", low=0.0, high=100.0)
    area_share: float = param(
        0.0, "the distance is less where the flock, packed at it, would take more than this share of the map's free area; 0: never",
        low=0.0, high=1.0,
    )  # fmt: skip
    law: str = param("inverse", "how the push grows with closeness", choices=LAWS)

    def spacing(self, free_area: float, robots: int) -> float:
        """The distance (m) that so many ``robots`` keep where there is so much ``free_area`` (m²), packed hexagonally."""
        if self.area_share == 0.0 or robots == 0:
            return self.distance
        return float(min(self.distance, np.sqrt(self.area_share * free_area / (HEXAGON * robots))))


def check(control: Any) -> Iterator[str]:
    """It acts only on whom robots perceive, and the separation filter may leave it nothing to do."""
    distance, sees, safe = control.separation.distance, control.perception.radius, control.separation_filter
    if distance > sees:
        yield f"separation.distance ({distance:g} m) exceeds perception.radius ({sees:g} m): it acts only within the radius"
    if safe.enabled and safe.margin > distance > 0.0:
        yield "separation_filter.margin exceeds separation.distance: the filter acts before separation does"


@register_behaviour(Separation, priority=80, check=check)
def separation(state: SwarmState, seen: Neighbourhoods, around: Surroundings, params: Separation) -> Array:
    """Mean push away from the neighbours within ``distance``, (N, 2), of about 1 in strength.

    Equation: mean of ``g(d)·(x_i − x_j)/d`` over the n neighbours with d ≤ D, where g is 1 (``unit``, as printed in Adeola et al.
    §2.1), ``1 − d/D`` (``linear``) or ``D/d − 1`` (``inverse``, at most 9). Coincident robots part along x, the lower index first.
    """
    free = np.inf if around.map is None else around.map.once(free_area)
    distance = params.spacing(free, len(around.fleet))
    result: Array = _push(len(state), seen.start, seen.index, seen.offset, seen.distance, distance, LAWS.index(params.law))
    return result


def _push_loop(start, index, offset, distance, reach, law):  # type: ignore[no-untyped-def]
    """Neighbours beyond ``reach`` count with a weight of zero rather than by a branch, which nobody could predict."""
    n = len(start) - 1
    result = np.zeros((n, 2))
    for i in prange(n):
        near, x, y = 0, 0.0, 0.0
        for k in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            d = distance[k]
            inverse = 1.0 / max(d, 1e-9)
            g = 1.0
            if law == 1:
                g = 1.0 - d / reach
            elif law == 2:
                g = min(reach * inverse - 1.0, 9.0)
            if d == 0.0:
                x += g if i < index[k] else -g
            g = g if d <= reach else 0.0
            near += 1 if d <= reach else 0
            x -= g * inverse * offset[k, 0]
            y -= g * inverse * offset[k, 1]
        if near > 0:
            result[i, 0] = x / near
            result[i, 1] = y / near
    return result


_push = Kernel(_push_loop)
