"""Groups of robots with significant dynamics (Brogan & Hodgins)."""

from swarm_control.analysis.experiments import Page

PAGE = Page("dynamics", "Groups with significant dynamics")
