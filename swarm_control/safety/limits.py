"""What robots make of wishes beyond their limits, which filters have to know."""

from functools import cache
from typing import Any

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Fleet

LIMIT: Any = None
"""In the compiled function: its model's ``Stopping.limit``."""

SAME = 1e-9
"""A twist that differs by less (m/s, rad/s) from what its robot makes of it is within the limits."""


def within_limits(twist: Array, fleet: Fleet) -> Array:
    """The wished twists (N, 3), robots' frames, as models of a ``fleet`` limit them (``Stopping.limit``); others are kept."""
    limited = twist.copy()
    limits = fleet.max_speed, fleet.max_turn_rate, fleet.wheel_base
    for model, robots in fleet.of_models:
        if model.stopping is not None:
            _limit(model)(len(robots), robots, limits, limited)
    beyond = np.abs(limited - twist).max(axis=1, initial=0.0) > SAME
    return np.where(beyond[:, None], limited, twist) if beyond.any() else twist


def _limit_loop(robots, limits, twist):  # type: ignore[no-untyped-def]
    max_speed, max_turn_rate, wheel_base = limits
    for k in prange(len(robots)):
        i = robots[k]
        made = LIMIT(twist[i, 0], twist[i, 1], twist[i, 2], max_speed[i], max_turn_rate[i], wheel_base[i])
        twist[i, 0], twist[i, 1], twist[i, 2] = made


@cache
def _limit(model: RobotModel) -> Kernel:
    assert model.stopping is not None
    return Kernel(_limit_loop, model.name, LIMIT=model.stopping.limit)
