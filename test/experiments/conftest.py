"""For the tests of experiments: all are registered, and a lab to run them in."""

import pytest

from swarm_control.analysis.experiments import Lab, load_experiments

load_experiments()


@pytest.fixture(scope="session")
def lab():
    """On seeds of the choice, so that what fails tells of a change in the code and not of other seeds."""
    with Lab(quick=True, first_seed=0) as lab:
        yield lab
