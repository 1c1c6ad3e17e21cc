"""What robots can sense, and what becomes of them when they sense less."""

from swarm_control.analysis.experiments import Page

PAGE = Page("sensing", "What robots can sense")
