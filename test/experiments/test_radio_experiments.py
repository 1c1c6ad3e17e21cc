"""The experiments with short radios: their measures on graphs whose answer is known, and one run of each."""

import numpy as np
import pytest

from swarm_experiments.formations import radio, radio_gap


def test_connectivity_is_that_of_known_graphs():
    line = np.column_stack((np.arange(4.0), np.zeros(4)))
    assert radio.connectivity(line, 0.9) == pytest.approx(0.0, abs=1e-12)
    # a path of four: all its degrees meet a 2, so all weights are 1/3, and λ₂ of the path's Laplacian is 2 − √2
    assert radio.connectivity(line, 1.1) == pytest.approx((2.0 - np.sqrt(2.0)) / 3.0)
    assert radio.connectivity(line, 10.0) == pytest.approx(1.0)


@pytest.mark.study
def test_a_chain_of_ten_agrees_within_the_time_that_its_graph_allows():
    made = radio.run(radio.Agreeing(7, "omni", "line", 0.9, 0.3))
    assert made.arrived and made.contacts == 0 and made.error < 0.003
    assert made.agreed <= made.allowed
    assert radio.run(radio.Agreeing(7, "omni", "line", 0.5, 0.0)).way == 0.0


@pytest.mark.study
def test_robots_pass_a_gap_on_one_plan_though_who_hears_whom_changes():
    made = radio_gap.run(radio_gap.GapRun(7, 0.9, 0.2))
    assert made.arrived and made.contacts == 0 and made.differed <= 2.0
    assert made.least < 0.3 * made.most
