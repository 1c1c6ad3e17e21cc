"""Walking insects: speed forward and turn rate, as of a differential drive whose wheels are the feet of the left and the right.

``Fleet.wheel_base`` is the distance between them. Insects take up a change of their command within 0.05 s
(``swarm experiment hexapod_command``), but a step takes a tenth of a second.
"""

from swarm_control.core.motion.differential import control_point, predict, twist
from swarm_control.core.motion.limits import Motion

__all__ = ["control_point", "gains", "predict", "response", "twist"]


def gains(params: Motion, period: float) -> tuple[float, float, float]:
    """Position gain (1/s²), velocity gain (1/s) and horizon (s): over the time of a response, half of either error is made good."""
    time = params.hexapod.response
    return 0.5 / time**2, 0.5 / time, time


def response(params: Motion, period: float) -> float:
    """For how long (s) a requested acceleration is acted on."""
    return max(params.hexapod.response, period)
