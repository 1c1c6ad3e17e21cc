"""What a kind of robot brings to a world of MuJoCo: its description, its own low-level control, named readings."""

from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

from swarm_control.core.geometry import Array, BoolArray, IntArray

HULL = 1
"""Bit of ``contype`` of what of a robot meets other robots and walls."""


@dataclass(frozen=True)
class Parts:
    """MJCF of some robots, by the element of the model that each string goes into; unit of length: the kind's."""

    bodies: str
    assets: str = ""
    defaults: str = ""
    contacts: str = ""
    equalities: str = ""
    tendons: str = ""
    actuators: str = ""
    sensors: str = ""

    def __add__(self, other: "Parts") -> "Parts":
        """Both together."""
        return Parts(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(Parts)))


class Kind(Protocol):
    """``n`` robots of one kind in one model. Made as ``kind(names, pose, velocity, radius, bodies, rng)``.

    ``names`` (n,); ``pose`` (n, 3) m, m, rad and ``velocity`` (n, 3) m/s, rad/s at the start, world frame; ``radius`` (n,) m of the
    footprints; ``bodies``: the scenario's :class:`~swarm_control.scenario.bodies.Bodies`; ``rng`` for whatever is random in them.

    What meets the ground has ``contype`` 4, what meets other robots and walls 1 (:data:`HULL`) with ``conaffinity`` 2; 5 for both. Sliding
    friction is the ground's where the robot's own is less: feet and tyres have none, but may have torsional friction.
    """

    step: float
    """Time step, s, that the robots are simulated with."""
    unit: float
    """The model's unit of length, m; those of mass and time go with it as in SI, or with centimetres as in CGS."""
    option: dict[str, str]
    """Attributes of the model's ``option``: integrator, cone, iterations …"""
    roots: IntArray
    """Where in ``qpos`` each robot's free joint begins (n,), once bound."""

    def parts(self) -> Parts:
        """Their description."""

    def bind(self, model: Any) -> None:
        """Find the robots in the compiled ``model``."""

    def reset(self, data: Any) -> None:
        """Put them where they start, with their first speeds, in ``data`` in which nothing moves; the control forgets what it knew."""

    def forget(self, row: int, yaw: float) -> None:
        """The control of one robot forgets what it knew: it has been put elsewhere, facing ``yaw`` (rad), but as it started."""

    def control(self, data: Any, twist: Array) -> None:
        """Set actuators and forces for the next time step, so that the robots obey ``twist`` (n, 3): m/s, m/s, rad/s, their frames."""

    def pose(self, data: Any) -> Array:
        """(n, 3): x, y (m), yaw (rad), world frame."""

    def velocity(self, data: Any) -> Array:
        """(n, 3): vx, vy (m/s), ω (rad/s), world frame."""

    def fallen(self, data: Any) -> BoolArray:
        """(n,): who lies on the ground and will not get up."""


@runtime_checkable
class Attached(Protocol):
    """A kind of robots that are not described in words, but put into the world before it is compiled."""

    def attach(self, spec: Any) -> None:
        """Put them into the world's ``MjSpec``."""
