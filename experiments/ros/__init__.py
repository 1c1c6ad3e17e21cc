"""Swarms on a ROS 2 graph as others have them: namespaces, frames, missions."""

from swarm_control.analysis.experiments.registry import Page

PAGE = Page("ros", "On a ROS 2 graph")
