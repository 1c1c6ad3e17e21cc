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
from swarm_control.core.state import Fleet, Neighbourhoods, Surroundings, SwarmState

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
    body_width: float = param(
        0.1, "distances are between robots of this width: what they are wider comes on top; larger than they are: between centres",
        unit="m", low=0.0, high=200.0,
    )  # fmt: skip

    def surplus(self, radius: Array | float) -> Array:
        """What a robot of this ``radius`` (m) adds to distances, m: what its footprint has beyond ``body_width``."""
        return np.maximum(radius - 0.5 * self.body_width, 0.0)

    def reach(self, free_area: float, robots: int, surplus: float) -> float:
        """The ``distance`` (m), less where so many ``robots`` would take too much of ``free_area`` (m²); ``surplus`` (m): the widest's."""
        if self.area_share == 0.0 or robots == 0:
            return self.distance
        packed = float(np.sqrt(self.area_share * free_area / (HEXAGON * robots)))
        return min(self.distance, max(packed - 2.0 * surplus, 0.25 * packed))

    def spacing(self, free_area: float, robots: int, radius: float) -> float:
        """How far (m) the centres of so many ``robots`` of this ``radius`` (m) keep apart where there is so much ``free_area`` (m²)."""
        surplus = float(self.surplus(radius))
        return self.reach(free_area, robots, surplus) + 2.0 * surplus


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

    Equation: mean of ``g(d)·(x_i − x_j)/‖x_i − x_j‖`` over the n neighbours with d ≤ D, where g is 1 (``unit``, as printed in Adeola et
    al. §2.1), ``1 − d/D`` (``linear``) or ``D/d − 1`` (``inverse``, at most 9), and ``d = ‖x_i − x_j‖ − s_i − s_j`` with s what a robot's
    radius has beyond half of ``body_width``. Coincident robots part along x, the lower index first.
    """
    free = np.inf if around.map is None else around.map.once(free_area)
    surplus, most = around.fleet.once(_surplus, params)
    distance = params.reach(free, len(around.fleet), most)
    between = np.maximum(seen.distance - surplus[seen.owner] - surplus[seen.index], 0.0) if most > 0.0 else seen.distance
    result: Array = _push(len(state), seen.start, seen.index, seen.offset, seen.distance, between, distance, LAWS.index(params.law))
    return result


def _surplus(fleet: Fleet, params: Separation) -> tuple[Array, float]:
    """What each robot adds to distances (N,) m, and the most that any does."""
    surplus = params.surplus(fleet.radius)
    return surplus, float(surplus.max(initial=0.0))


def _push_loop(start, index, offset, distance, between, reach, law):  # type: ignore[no-untyped-def]
    """Neighbours beyond ``reach`` count with a weight of zero rather than by a branch, which nobody could predict."""
    n = len(start) - 1
    result = np.zeros((n, 2))
    for i in prange(n):
        near, x, y = 0, 0.0, 0.0
        for k in range(np.uint64(start[i]), np.uint64(start[i + 1])):
            d = between[k]
            inverse = 1.0 / max(distance[k], 1e-9)
            g = 1.0
            if law == 1:
                g = 1.0 - d / reach
            elif law == 2:
                g = min(reach / max(d, 1e-9) - 1.0, 9.0)
            if distance[k] == 0.0:
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
