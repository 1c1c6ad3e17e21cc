"""What virtual structures are compared with, and how robots are made to fail."""

import itertools

import numpy as np
import pytest

from swarm_control.analysis.experiments.flight import UNSEEDED
from swarm_experiments.formations import faults
from swarm_experiments.formations.forming import least_time
from swarm_experiments.formations.rivals import METHODS, SPEED, WAY, Disturbed, LawInput, consensus, reference, run

POINTS = np.array([[0.5, 0.0], [-0.25, 0.4], [-0.25, -0.4]])
END = np.array([WAY, 0.0])


@pytest.mark.parametrize("law", [law for law in METHODS.values() if law is not None])
def test_who_is_in_place_goes_on_as_the_reference_does(law):
    place, speed = reference(4.0)
    assert np.allclose(place, [4.0 * SPEED, 0.0]) and np.allclose(speed, [SPEED, 0.0])
    seen = LawInput(4.0, place + POINTS, np.tile(speed, (3, 1)), POINTS)
    assert np.allclose(law(seen), speed)
    over = LawInput(1e3, END + POINTS, np.zeros((3, 2)), POINTS)
    assert np.allclose(law(over), 0.0)


def test_consensus_draws_neighbours_together_and_one_to_the_reference():
    off = np.array([[0.0, 0.0], [0.3, 0.0], [0.0, 0.0]])
    at_end = LawInput(1e3, END + POINTS + off, np.zeros((3, 2)), POINTS)
    assert np.allclose(consensus(at_end), [[0.3 / 3.0, 0.0], [-0.6 / 2.0, 0.0], [0.3 / 2.0, 0.0]])


@pytest.mark.study
def test_a_structure_waits_where_single_robots_go_on():
    found = {method: run(Disturbed(UNSEEDED, method, "fails")) for method in METHODS}
    assert found["virtual structure"].most.max() < 0.5 * min(found[other].most.max() for other in METHODS if METHODS[other] is not None)
    assert found["independent trajectories"].arrived < found["virtual structure"].arrived, "waiting takes time"


@pytest.mark.study
@pytest.mark.parametrize("policy", [faults.WAITED, faults.DROPPED])
def test_who_fails_is_waited_for_or_dropped_as_the_policy_says(policy, tmp_path):
    draw = faults.Fault(UNSEEDED, faults.OPEN, "omni", policy)
    made = faults.faulty(draw, tmp_path)
    assert all(("end" in fault) == (policy == faults.WAITED) for fault in made["simulator"]["failures"])
    borne = faults.run(draw)
    assert borne.failed == len(made["simulator"]["failures"]) >= 1 and borne.contacts == 0 and not borne.refused
    assert borne.arrived


def test_the_least_time_is_that_of_the_best_of_all_assignments():
    rng = np.random.default_rng(3)
    for _ in range(20):
        start, end = rng.normal(size=(2, 5, 2))
        every = [max(np.hypot(*(start[list(order)] - end).T)) for order in itertools.permutations(range(5))]
        assert least_time(start, end, 0.5) == pytest.approx(min(every) / 0.5)
