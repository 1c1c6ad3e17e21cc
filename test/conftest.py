"""For all tests: properties are judged by what they say, not by how long a busy machine takes over them."""

from hypothesis import HealthCheck, settings

settings.register_profile("swarm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("swarm")
