"""Social potential fields (Reif & Wang)."""

from swarm_control.analysis.experiments import Page

PAGE = Page("social", "Social potential fields")
