"""Robot models: one folder each, which registers itself; see :class:`~swarm_control.core.robot.RobotModel`."""

from swarm_control.core.robot import ROBOTS

ROBOTS.load(__name__)

__all__ = ["ROBOTS"]
