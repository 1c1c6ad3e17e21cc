"""Virtual structures (Lewis & Tan)."""

from swarm_control.analysis.experiments import Page

PAGE = Page("virtual_structures", "Virtual structures")
