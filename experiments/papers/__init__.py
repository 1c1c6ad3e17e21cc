"""Experiments that repeat what papers show."""
