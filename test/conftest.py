"""For all tests: properties are judged by what they say, not by how long a busy machine takes over them. The experiments are found."""

import os

import pytest
from hypothesis import HealthCheck, settings

from swarm_control.analysis.experiments.checkout import find_checkout

settings.register_profile("swarm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("swarm")

find_checkout()

STUDIES = (
    "test_what_the_page_says_holds", "test_fifty_robots_with_nodes_guard_a_castle",
    "test_robots_on_a_fair_network_keep_the_formation_closer",
)  # fmt: skip
"""Tests that repeat whole experiments: ``make studies``."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One more worker than there are processors: those that run ROS graphs mostly wait for time to pass."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the groups (3.8 does so with pytest up to 9.1: setup.cfg)
def pytest_collection_modifyitems(items):
    """Tests that share what a module sets up once, such as a ROS graph, run in the same worker."""
    for item in items:
        made = getattr(item, "_fixtureinfo", None)
        scopes = {found[-1].scope for found in made.name2fixturedefs.values()} if made else set()
        if "module" in scopes:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
        if item.name.startswith(STUDIES):
            item.add_marker(pytest.mark.study)
