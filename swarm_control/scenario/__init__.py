"""Scenarios: the YAML schema, its loader, and where things start."""
