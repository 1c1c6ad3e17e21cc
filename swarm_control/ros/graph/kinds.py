"""Every kind of node, in one table. A new one is a file in ``ros/nodes/`` of its name and a row here.

Nothing here needs ROS.
"""

from dataclasses import dataclass

from swarm_control.behaviours import BEHAVIOURS
from swarm_control.scenario.groups import bare


@dataclass(frozen=True)
class NodeKind:
    """A kind of node: ``name``, one line of ``help``, and the groups of the ``control`` tree that it ``owns`` as its parameters.

    ``every_behaviour``: it owns the group of each registered behaviour, too. ``chain``: it stands between odometry and commands, and must
    be there before the time of a simulator of its own pace runs.
    """

    name: str
    help: str
    owns: tuple[str, ...] = ()
    every_behaviour: bool = False
    chain: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the ``control`` tree that it owns, with those of the behaviours that are registered by now."""
        return (*BEHAVIOURS, *self.owns) if self.every_behaviour else self.owns


_TABLE = (
    NodeKind("neighbourhood", "whom each robot perceives", ("estimation", "perception", "safety"), chain=True),
    NodeKind("behaviours", "the acceleration that each robot wants", ("accumulation",), every_behaviour=True, chain=True),
    NodeKind("virtual_structure", "where each robot of a formation is to be", ("formation", "safety"), chain=True),
    NodeKind(
        "motion_model", "velocity commands, filtered and limited", ("estimation", "motion", "separation_filter", "safety"), chain=True
    ),
    NodeKind("director", "goals, and parameters by phase", ("leaders",), chain=True),
    NodeKind("simulator", "the embedded simulator", ("safety",)),
    NodeKind("floor", "a lab floor in MuJoCo: robots behind their wheel protocol, and a camera"),
    NodeKind("wheel_driver", "velocity commands to wheel speeds, encoders to odometry", ("safety",)),
    NodeKind("tracker", "camera images or poses of a tracking system to odometry"),
    NodeKind("aggregator", "odometry of all robots in one message", ("safety",)),
    NodeKind("dashboard", "the web page"),
    NodeKind("markers", "the swarm for RViz and Foxglove"),
    NodeKind("recorder", "all messages into an MCAP file"),
    NodeKind("player", "a recording in the simulator's place"),
    NodeKind("state_logger", "the swarm's state as lines of JSON"),
)

KINDS = {kind.name: kind for kind in _TABLE}
"""By name."""


def owners(parameter: str) -> tuple[str, ...]:
    """The kinds of node that own the parameter with this dotted name of the ``control`` tree, or of a group."""
    group = bare(parameter).split(".")[0]
    return tuple(kind.name for kind in _TABLE if group in kind.groups)
