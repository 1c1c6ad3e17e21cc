"""Goals that RViz sends, as ``PoseStamped``."""

from collections.abc import Callable
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped

from swarm_control.ros.graph import topics
from swarm_control.ros.messages.rotations import yaw_of_message
from swarm_control.scenario.groups import in_formation
from swarm_control.scenario.reach import no_place
from swarm_control.scenario.schema import Goal


def goals_for(node: Any, told: Callable[[Goal], None]) -> Callable[[PoseStamped], None]:
    """A callback of ``/goal_pose`` that calls ``told`` with every goal that can be one; the ``node``'s log tells of the others.

    Off the map and, but for a formation's middle, in walls nobody can be.
    """

    def hear(message: PoseStamped) -> None:
        try:
            goal = goal_of(message)
            wrong = no_place(node.setup.grid, goal.position, bool(in_formation(node.flocks, node.controls)))
            if wrong:
                raise ValueError(f"goal refused: {wrong}, expected free floor")
        except ValueError as error:
            node.get_logger().error(str(error))
        else:
            told(goal)

    return hear


def goal_of(message: PoseStamped) -> Goal:
    """The goal that ``/goal_pose`` tells; ``ValueError`` for numbers that are not finite, and for other frames than the world's."""
    p, q, frame = message.pose.position, message.pose.orientation, message.header.frame_id
    if frame not in ("", topics.FRAME) or not np.isfinite([p.x, p.y, q.x, q.y, q.z, q.w]).all():
        found = f"goal at ({p.x:g}, {p.y:g}) in frame {frame!r} refused"
        raise ValueError(f"{found}, expected finite numbers in frame {topics.FRAME!r}")
    heading = float(np.rad2deg(yaw_of_message(q)))
    return Goal(position=(p.x, p.y), heading=heading)
