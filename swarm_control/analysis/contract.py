"""What every behaviour and every robot model must keep to, as checks that an author can run on his own.

    from swarm_control.analysis.contract import check_behaviour, check_robot
    check_behaviour(BEHAVIOURS["drift"])
    check_robot(ROBOTS["barge"])

A check raises ``AssertionError`` with a sentence that names what it is about. Random numbers come from a seed; other seeds try other
swarms.
"""

from swarm_control.analysis.contract_behaviour import check_behaviour
from swarm_control.analysis.contract_robot import check_robot

__all__ = ["check_behaviour", "check_robot"]
