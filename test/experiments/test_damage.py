"""A short campaign of damaged inputs; the long one is for people."""

import pytest

from swarm_experiments.safety.damage import campaign
from swarm_experiments.safety.samples import SAMPLES

COUNTS = {
    "results": 4, "scenario": 6, "world": 2, "image": 2, "bag": 4, "bag folder": 3, "page": 200, "wheel lines": 200, "tuning": 100,
}  # fmt: skip


@pytest.mark.parametrize("kind", SAMPLES)
def test_damaged_inputs_are_refused_with_one_line(kind, tmp_path):
    assert campaign(kind, COUNTS[kind], 7, tmp_path) == []
