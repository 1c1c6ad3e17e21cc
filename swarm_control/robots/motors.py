"""Motors of robots that MuJoCo moves: how much they give at the speed at which they turn, whatever they are told.

This is the robots' physics, not their control: it goes by the speeds that the joints really have.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.compiled import jit, njit
from swarm_control.core.geometry import IntArray


class Motors:
    """K motors of each of n robots. ``most`` (K,): torque, N m, or force, N; ``free`` (K,): no-load speed, rad/s or m/s; 0: no bound.

    ``gain`` (K,): torque per angle of those that are servos, N m/rad; 0 of those that are told their torque.
    """

    def __init__(self, most: Sequence[float], free: Sequence[float], gain: Sequence[float]) -> None:
        self.most, self.free = (np.array([value or np.inf for value in bound], float) for bound in (most, free))
        self._gain = np.array(gain, float)

    def bind(self, model: Any, names: Sequence[Sequence[str]]) -> None:
        """Find the motors ``names`` (n, K) in the compiled ``model``; each turns the joint of its name."""
        self.motor: IntArray = np.array([[model.actuator(name).id for name in row] for row in names], np.int64).reshape(-1, len(self.most))
        joint = model.actuator_trnid[self.motor, 0]
        self._angle, self._rate = model.jnt_qposadr[joint].astype(np.int64), model.jnt_dofadr[joint].astype(np.int64)

    def hold(self, data: Any) -> None:
        """Cut what they are told for the next time step, ``ctrl``, to what they can."""
        _hold(data.ctrl, data.qpos, data.qvel, self.motor, self._angle, self._rate, self._gain, self.most, self.free)


@njit(cache=True)
def bounded(wish, speed, most, free):  # type: ignore[no-untyped-def]
    """What a motor gives, N m, that is to give ``wish`` (N m) while it turns at ``speed`` (rad/s), its torque–speed line.

    It drives with ``T·(1 − |ω|/ω₀)`` and brakes with T, at most; dragged along faster than ω₀ it can only brake.
    """
    ahead = speed / free
    high = 0.0 if ahead >= 1.0 else most * min(1.0, 1.0 - ahead)
    low = 0.0 if ahead <= -1.0 else -most * min(1.0, 1.0 + ahead)
    return min(max(wish, low), high)


def _hold_loop(ctrl, qpos, qvel, motor, angle, rate, gain, most, free):  # type: ignore[no-untyped-def]
    for i in range(len(motor)):
        for k in range(len(most)):
            m, place, speed = motor[i, k], qpos[angle[i, k]], qvel[rate[i, k]]
            if gain[k] > 0.0:
                wish = gain[k] * (ctrl[m] - place)
                given = bounded(wish, speed, most[k], free[k])
                if given != wish:
                    ctrl[m] = place + given / gain[k]
            else:
                ctrl[m] = bounded(ctrl[m], speed, most[k], free[k])


_hold = jit(_hold_loop)
