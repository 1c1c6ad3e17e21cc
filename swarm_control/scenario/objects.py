"""Passive objects of a scenario: boxes and discs on the floor that robots push."""

from collections.abc import Sequence
from dataclasses import dataclass

from swarm_control.core.parameters import param


@dataclass(frozen=True)
class PassiveObject:
    """An object on the floor that moves only as robots push it; neither the controllers nor the separation filter know of it.

    It is moved quasi-statically, so its way depends on its shape and on ``grip``, and the work that it takes on mass and friction.
    """

    name: str = param("", "name of the object; none: object_ and its number")
    size: tuple[float, ...] = param((0.4, 0.4), "length and width of a box", unit="m", size=2, low=0.01, high=100.0)
    radius: float = param(0.0, "radius of a round object; 0: it is a box", unit="m", low=0.0, high=100.0)
    pose: tuple[float, ...] = param((0.0, 0.0, 0.0), "where it starts: x, y, heading", unit="m, m, deg", size=3, low=-1e6, high=1e6)
    mass: float = param(1.0, "mass, evenly spread", unit="kg", low=0.001, high=1e5)
    friction: float = param(0.4, "coefficient of friction with the floor", low=0.0, high=10.0)
    grip: float = param(0.2, "coefficient of friction with the robots' rims", low=0.0, high=10.0)


def object_names(objects: Sequence[PassiveObject]) -> tuple[str, ...]:
    """The names of the ``objects``, those without one by their number."""
    return tuple(one.name or f"object_{k}" for k, one in enumerate(objects))
