"""How each kind of robot answers a request: by which gains it is drawn to its place in a group, and how long a request is acted on.

A motion model says so by two functions that it may have, both of (params, period): ``gains`` → (position 1/s², velocity 1/s, horizon s)
and ``response`` → s. Their meaning is in :func:`gains` and :func:`response`, which put them together for a fleet.
"""

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.motion import MODELS
from swarm_control.core.motion.limits import Motion
from swarm_control.core.state import Fleet


def gains(fleet: Fleet, params: Motion, period: float) -> Array:
    """For each robot (N, 3): acceleration per error of position (1/s²) and of velocity (1/s), and the horizon of prediction (s).

    A robot at x that is wanted at x_d, among others that move at ẋ_a, in a group that is to move at ẋ_g, is to accelerate by
    ``position·(x_d − x + (ẋ_a − ẋ)·horizon) + velocity·(ẋ_g − ẋ)`` (Brogan & Hodgins 1997, equations 9-14). Robots whose model has no
    gains of its own have NaN for both, and the control ``period`` (s) for their horizon.
    """
    table = np.empty((len(fleet), 3))
    for name, rows, _ in fleet.parts:
        own = getattr(MODELS[name], "gains", None)
        table[rows] = (np.nan, np.nan, period) if own is None else own(params, period)
    return table


def response(fleet: Fleet, params: Motion, period: float) -> Array:
    """For how long (N,) s a requested acceleration is acted on: it changes the velocity by that time's worth.

    The control ``period`` (s), but for robots that can change their velocity only now and then.
    """
    time = np.full(len(fleet), period)
    for name, rows, _ in fleet.parts:
        own = getattr(MODELS[name], "response", None)
        if own is not None:
            time[rows] = own(params, period)
    return time
