"""Readers of Stage ``.world`` files: walls, robots and the occupancy grid made of them."""

from swarm_control.world.layout import World
from swarm_control.world.robots import WorldRobot
from swarm_control.world.stage import read_world

__all__ = ["World", "WorldRobot", "read_world"]
