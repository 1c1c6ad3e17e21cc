"""What robots do when nodes die, hang or are fed nonsense."""

from swarm_control.analysis.experiments.registry import Page

PAGE = Page("safety", "Faults and the emergency stop")
