"""Every kind of node, in one table. A new one is a file in ``ros/nodes/`` of its name and a row here.

Nothing here needs ROS.
"""

from dataclasses import dataclass

from swarm_control.behaviours import BEHAVIOURS
from swarm_control.scenario.groups import bare


@dataclass(frozen=True)
class NodeKind:
    """A kind of node: ``name``, one line of ``help``, and the groups of the ``control`` tree that it ``owns`` as its parameters.

    ``holds``: it is no node of its own but a process for nodes of these kinds, in the order in which they hear of each other.
    ``duty``: what its failure means, one of :data:`DUTIES`. ``every_behaviour``: it owns the group of each registered behaviour, too.
    ``chain``: it stands between odometry and commands, and must be there before the time of a simulator of its own pace runs.
    """

    name: str
    help: str
    duty: str
    owns: tuple[str, ...] = ()
    every_behaviour: bool = False
    chain: bool = False
    holds: tuple[str, ...] = ()

    @property
    def managed(self) -> bool:
        """Whether it has a life cycle, as ``ros/support/life_cycle.py`` tells."""
        return self.chain and self.duty == "motion"

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the ``control`` tree that it owns, with those of the behaviours that are registered by now."""
        return (*BEHAVIOURS, *self.owns) if self.every_behaviour else self.owns


DUTIES = {
    "safety": "stops robots; is always started again",
    "motion": "moves robots, which stand until it is started again",
    "plant": "is what moves in place of real robots",
    "observing": "looks on; the run goes on without it",
}
"""What nodes are for, and so what happens when one fails."""

_TABLE = (
    NodeKind("guard", "permission to command robots, the emergency stop, and a watchdog", "safety", chain=True),
    NodeKind("neighbourhood", "whom each robot perceives", "motion", ("away", "estimation", "perception", "safety"), chain=True),
    NodeKind("behaviours", "the acceleration that each robot wants", "motion", ("accumulation",), every_behaviour=True, chain=True),
    NodeKind("virtual_structure", "where each robot of a formation is to be", "motion", ("away", "formation", "safety"), chain=True),
    NodeKind(
        "motion_model", "velocity commands, filtered and limited", "motion",
        ("away", "estimation", "motion", "separation_filter", "safety"), chain=True,
    ),
    NodeKind(
        "robot", "what decides for one robot onboard, in one process", "motion",
        holds=("neighbourhood", "behaviours", "virtual_structure", "motion_model"),
    ),
    NodeKind("director", "goals, and parameters by phase", "motion", ("away", "leaders"), chain=True),
    NodeKind("simulator", "the embedded simulator", "plant", ("safety",)),
    NodeKind("floor", "a lab floor in MuJoCo: robots behind their wheel protocol, and a camera", "plant"),
    NodeKind("wheel_driver", "velocity commands to wheel speeds, encoders to odometry", "safety", ("safety",)),
    NodeKind("tracker", "camera images or poses of a tracking system to odometry", "motion"),
    NodeKind("aggregator", "odometry of all robots in one message", "motion", ("safety",)),
    NodeKind("dashboard", "the web page", "observing"),
    NodeKind("markers", "the swarm for RViz and Foxglove", "observing"),
    NodeKind("recorder", "all messages into an MCAP file", "observing"),
    NodeKind("player", "a recording in the simulator's place", "observing"),
    NodeKind("mission_server", "missions as an action, for programs that like actions", "observing"),
    NodeKind("state_logger", "the swarm's state as lines of JSON", "observing"),
)

KINDS = {kind.name: kind for kind in _TABLE}
"""By name."""


def owners(parameter: str) -> tuple[str, ...]:
    """The kinds of node that own the parameter with this dotted name of the ``control`` tree, or of a group."""
    group = bare(parameter).split(".")[0]
    return tuple(kind.name for kind in _TABLE if group in kind.groups)
