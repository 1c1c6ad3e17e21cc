"""Flocking by Reynolds' rules, as Adeola et al. show it in Stage."""

from swarm_control.analysis.experiments import Page

PAGE = Page("reynolds", "Reynolds' rules in Stage")
