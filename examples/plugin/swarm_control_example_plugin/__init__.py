"""A behaviour, a robot model and a metric that swarm_control finds by the entry points in ``pyproject.toml``."""
