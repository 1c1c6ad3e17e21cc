"""Motion that can be trusted: robots on wheels, late odometry, crossing traffic, any number."""

from swarm_control.analysis.experiments import Page

PAGE = Page("motion", "Wheels, late odometry, traffic")
SEEN = range(1000)
"""Seeds on which filter, estimate and behaviour were made and tried."""
