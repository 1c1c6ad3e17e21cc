"""A walking hexapod (McKenna & Zeltzer)."""

from swarm_control.analysis.experiments import Page

PAGE = Page("hexapod", "A walking hexapod")
