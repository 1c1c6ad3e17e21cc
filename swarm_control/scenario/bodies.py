"""What robots whose dynamics matter are made of, and the ground that they go on: the scenario's ``bodies``."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from swarm_control.core.open_group import open_group
from swarm_control.core.parameters import param
from swarm_control.robots import ROBOTS
from swarm_control.scenario.terrain import Terrain


@open_group(ROBOTS, lambda model: model.body.params if model.body else None, after="terrain")
@dataclass(frozen=True)
class Bodies:
    """The ground, and the bodies of the robots that MuJoCo moves, each model's with its low-level control."""

    terrain: Terrain = field(default_factory=Terrain)
    set_up_after: float = param(0.0, "fallen robots are set up again, where there is room, after so long; 0: they lie", unit="s",
        low=0.0, high=1e6)  # fmt: skip
    record_joints: bool = param(False, "whether trajectory.npz has the joints' angles, too; simulate only")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
