"""The nodes: one file each, one process each."""

from swarm_control.ros.support.parent import begin_with_parent

begin_with_parent()  # before anything else is imported, which takes a second
