"""Formations anywhere: formed from a scatter without a touch, led through worlds that nobody has seen."""

from swarm_control.analysis.experiments import Page

PAGE = Page("formations", "Formations from a scatter and in unseen worlds")
SEEN = range(1000)
"""Seeds on which planners and controllers were made and tried."""
MODELS = ("omni", "differential", "car")
