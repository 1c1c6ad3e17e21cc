"""Walking insects: speed forward and turn rate, as of a differential drive whose wheels are the feet of the left and the right.

``Fleet.wheel_base`` is the distance between them. A command shows in the velocity after a cycle or two of stepping.
"""

from swarm_control.core.motion.differential import control_point, predict, twist
from swarm_control.core.motion.limits import Motion

__all__ = ["control_point", "gains", "predict", "response", "twist"]

ANSWER = 0.15
"""For how long (s) a request is acted on. Insects take up a change of their command within 0.05 s (`swarm experiment hexapod_command`),
but their velocity swings with their steps, a tenth of a second each, and says little over less.
"""


def gains(params: Motion, period: float) -> tuple[float, float, float]:
    """Position gain (1/s²), velocity gain (1/s) and horizon (s): over the time of an answer, half of either error is made good."""
    return 0.5 / ANSWER**2, 0.5 / ANSWER, ANSWER


def response(params: Motion, period: float) -> float:
    """For how long (s) a requested acceleration is acted on."""
    return max(ANSWER, period)
