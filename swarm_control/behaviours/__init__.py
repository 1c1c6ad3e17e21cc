"""Behaviours: one file each, which registers itself; see :class:`~swarm_control.core.behaviour.Behaviour`.

To add one, write a file here with a parameter class and a function, decorated by ``register_behaviour``: scenario files, priorities, ROS
parameters, sliders and lists follow.
"""

from swarm_control.core.behaviour import BEHAVIOURS, active

BEHAVIOURS.load(__name__)

__all__ = ["BEHAVIOURS", "active"]
