"""Experiments with the parts of a lab of one's own: the floor, the tracker, tuning, and what our own code costs."""
