"""The behaviours: one signature, ``(state, seen, around, params) → request (N, 2)`` along the world's axes.

A request times its behaviour's weight is an acceleration in m/s². To add a behaviour, write a file with a parameter class and a
function, and name both here: scenario files, ROS parameters and sliders follow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from swarm_control.core.behaviours.alignment import Alignment, alignment
from swarm_control.core.behaviours.cohesion import Cohesion, cohesion
from swarm_control.core.behaviours.cruise import Cruise, cruise
from swarm_control.core.behaviours.goals import Arrival, Seek, arrival, seek
from swarm_control.core.behaviours.grouping import Grouping, grouping
from swarm_control.core.behaviours.guidance import Guidance, guidance
from swarm_control.core.behaviours.separation import Separation, separation
from swarm_control.core.behaviours.social import Social, social
from swarm_control.core.behaviours.walls import PotentialField, SteerToAvoid, potential_field, steer_to_avoid
from swarm_control.core.geometry import Array


@dataclass(frozen=True)
class Behaviour:
    """A behaviour: its parameter class and its function."""

    params: type
    request: Callable[..., Array]

    @property
    def help(self) -> str:
        """One line on what it does."""
        return (self.request.__doc__ or "").split("\n")[0]


BEHAVIOURS: dict[str, Behaviour] = {
    "separation": Behaviour(Separation, separation),
    "alignment": Behaviour(Alignment, alignment),
    "cohesion": Behaviour(Cohesion, cohesion),
    "seek": Behaviour(Seek, seek),
    "arrival": Behaviour(Arrival, arrival),
    "potential_field": Behaviour(PotentialField, potential_field),
    "steer_to_avoid": Behaviour(SteerToAvoid, steer_to_avoid),
    "guidance": Behaviour(Guidance, guidance),
    "cruise": Behaviour(Cruise, cruise),
    "social": Behaviour(Social, social),
    "grouping": Behaviour(Grouping, grouping),
}


def active(control: Any) -> tuple[str, ...]:
    """Names of the behaviours whose weight in ``control`` (one attribute per behaviour) is not zero."""
    return tuple(name for name in BEHAVIOURS if getattr(control, name).weight > 0.0)
