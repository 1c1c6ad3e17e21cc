"""What a policy is rewarded for."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.state import SwarmState

CONTACT = 1.0
"""What each second of a contact costs, in metres of progress."""


@dataclass(frozen=True)
class Transition:
    """A step of N robots. ``before`` and ``after``: their true states; ``action`` (N, 2) as it was given.

    ``progress`` (N,) m: how much nearer they have come to their goals; 0 without one. ``touching`` (N,): who touches a robot or a wall
    after the step. ``arrived`` (N,): who is at the present goal. ``duration`` (s) of the step.
    """

    before: SwarmState
    after: SwarmState
    action: Array
    progress: Array
    touching: BoolArray
    arrived: BoolArray
    duration: float


Reward = Callable[[Transition], Array]
"""The reward (N,) of each robot for a step."""


def progress_minus_contacts(step: Transition) -> Array:
    """Metres that a robot has come nearer to its goal, less one for each second in which it touches something."""
    return np.asarray(step.progress - CONTACT * step.duration * step.touching)
