"""A short campaign of damaged inputs; the long one is for people."""

import pytest

from swarm_experiments.safety.damage import KINDS, campaign

COUNTS = {"results": 4, "scenario": 6, "world": 2, "bag": 4, "page": 200}


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_inputs_are_refused_with_one_line(kind, tmp_path):
    assert campaign(kind, COUNTS[kind], 7, tmp_path) == []
