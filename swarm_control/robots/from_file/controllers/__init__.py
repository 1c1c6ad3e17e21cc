"""Controllers of robots that come from files: one file each, which registers itself."""

from swarm_control.robots.from_file.controller import CONTROLLERS

CONTROLLERS.load(__name__)

__all__ = ["CONTROLLERS"]
