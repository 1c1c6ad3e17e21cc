import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from teams import at, fleet

from swarm_control.analysis.metric import RunFacts
from swarm_control.analysis.metrics.clearance import LeastClearance
from swarm_control.analysis.metrics.effort import Effort
from swarm_control.analysis.metrics.polarization import polarization
from swarm_control.analysis.metrics.separation import LeastSeparation
from swarm_control.analysis.run_metrics import Metrics, plain
from swarm_control.core.grid import Grid
from swarm_control.core.state import SwarmState
from swarm_control.core.walldistance import WallDistance

KEYS = [
    "scenario", "seed", "robots", "duration", "wall_time", "real_time_factor", "collisions", "min_separation", "min_clearance",
    "polarization", "arrived_fraction", "arrival_time", "formation_error_mean", "formation_error_std", "formation_error_max", "phases",
    "jam_time", "jams",
]  # fmt: skip


def summary(metrics: Metrics, **changes):
    about = {"scenario": "x", "seed": 3, "wall_time": changes.pop("wall_time", 2.0)}
    facts = {"duration": 6.0, "collisions": 0, "energy": None, "arrived_fraction": None, "arrival_time": None, "phases": []}
    return metrics.summary(RunFacts(**(facts | changes)), **about)


def courses(*degrees: float, speed: float = 1.0):
    angle = np.deg2rad(degrees)
    return at(np.zeros((len(degrees), 3)), velocity=np.column_stack((np.cos(angle), np.sin(angle), 0.0 * angle)) * speed)


def test_summary_has_the_keys_of_the_contract_in_order_and_is_plain_json():
    metrics = Metrics(fleet(n=2), None)
    metrics.add(at((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), velocity=((1.0, 0.0, 0.0), (1.0, 0.0, 0.0))), np.float64(0.25))
    result = summary(metrics, collisions=np.int64(2), arrived_fraction=np.float64(0.5), phases=[{"name": "a", "start": np.float64(1.0)}])
    assert list(result) == KEYS
    assert json.loads(json.dumps(result, allow_nan=False)) == {
        "scenario": "x", "seed": 3, "robots": 2, "duration": 6.0, "wall_time": 2.0, "real_time_factor": 3.0, "collisions": 2,
        "min_separation": 1.0, "min_clearance": None, "polarization": 1.0, "arrived_fraction": 0.5, "arrival_time": None,
        "formation_error_mean": 0.25, "formation_error_std": 0.0, "formation_error_max": 0.25, "phases": [{"name": "a", "start": 1.0}],
        "jam_time": None, "jams": None,
    }  # fmt: skip
    assert type(result["collisions"]) is int


def test_what_does_not_apply_is_null():
    metrics = Metrics(fleet(), Grid(np.zeros((3, 3), bool), (0.0, 0.0), 0.1))
    metrics.add(at((0.0, 0.0, 0.0)))
    result = summary(metrics, wall_time=0.0)
    absent = [key for key in KEYS if result[key] is None]
    assert absent == [
        "real_time_factor", "min_separation", "min_clearance", "polarization", "arrived_fraction", "arrival_time",
        "formation_error_mean", "formation_error_std", "formation_error_max", "jam_time", "jams",
    ]  # fmt: skip


@given(st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_separation_and_clearance_agree_with_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    grid = Grid(rng.random((15, 15)) < 0.1, (0.0, 0.0), 0.2)
    team = fleet(radius=rng.uniform(0.01, 0.3, n), n=n)
    separations, clearances = LeastSeparation(team, grid), LeastClearance(team, grid)
    separation = clearance = math.inf
    for _ in range(6):
        position = rng.uniform(0.0, 3.0, (n, 2)) * rng.choice([1e-3, 1.0, 100.0])
        state = at(np.column_stack((position, np.zeros(n))))
        separations.add(state, None)
        clearances.add(state, None)
        separation = min(separation, pdist(position).min())
        clearance = min(clearance, (WallDistance(grid).distance(position) - team.radius).min())
        assert separations.least == pytest.approx(separation, abs=1e-12)
        assert clearances.least == pytest.approx(clearance, abs=1e-12)


@pytest.mark.parametrize("position", [[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1e4, 0.0]], [[0.0, 0.0], [1.0, 1.0], [2e5, 3e5]]])
def test_separation_of_coincident_and_of_scattered_robots(position):
    separation = LeastSeparation(fleet(n=len(position)), None)
    for _ in range(2):
        separation.add(at(np.column_stack((position, np.zeros(len(position))))), None)
    assert separation.least == pytest.approx(pdist(np.array(position)).min())


@pytest.mark.parametrize("far", [(1e5, 1e5), (-1e5, 3e4), (0.0, -1e6)])
def test_separation_of_stragglers_far_from_the_swarm(far):
    crowd = np.stack(np.meshgrid(np.arange(20) * 0.25, np.arange(20) * 0.25), axis=-1).reshape(-1, 2)
    separation = LeastSeparation(fleet(n=402), None)
    for gap in (1.0, 0.25, 0.2):
        separation.add(at(np.column_stack((np.vstack((crowd, [far], [np.add(far, (gap, 0.0))])), np.zeros(402)))), None)
        assert separation.least == pytest.approx(min(gap, 0.25), abs=1e-9)


def test_polarization_in_closed_form():
    assert polarization(courses(30.0, 30.0, 30.0)) == pytest.approx(1.0)
    assert polarization(courses(0.0, 180.0)) == pytest.approx(0.0, abs=1e-12)
    assert polarization(courses(0.0, 90.0)) == pytest.approx(math.sqrt(0.5))
    assert polarization(courses(0.0, 120.0, 240.0, 0.0)) == pytest.approx(0.25)
    assert polarization(courses(0.0, 90.0, speed=1e-3)) is None


def test_polarization_is_the_mean_over_ticks_in_which_somebody_moves():
    metrics = Metrics(fleet(n=2), None)
    for state in (courses(0.0, 0.0), courses(0.0, 180.0), courses(0.0, 0.0, speed=0.0)):
        metrics.add(state)
    assert summary(metrics)["polarization"] == pytest.approx(0.5)


def test_formation_error_is_taken_over_time():
    metrics = Metrics(fleet(), None)
    for error in (0.1, 0.2, 0.6):
        metrics.add(at((0.0, 0.0, 0.0)), error)
    result = summary(metrics)
    assert result["formation_error_mean"] == pytest.approx(0.3)
    assert result["formation_error_std"] == pytest.approx(np.std([0.1, 0.2, 0.6]))
    assert result["formation_error_max"] == 0.6


def test_plain_leaves_nothing_that_json_does_not_know():
    value = {"a": np.float32(np.nan), "b": (np.int64(1), np.inf, np.bool_(True)), "c": np.array([1.0, -np.inf]), "d": "x"}
    assert plain(value) == {"a": None, "b": [1, None, True], "c": [1.0, None], "d": "x"}


def test_straightness_is_the_share_of_the_way_that_leads_from_start_to_end():
    accumulator = Effort(2)
    for place in ([[1.0, 1.0], [5.0, 5.0]], [[2.0, 1.0], [5.0, 8.0]], [[2.0, 2.0], [5.0, 9.0]]):
        accumulator.add(SwarmState.of(0.0, np.column_stack((place, np.zeros(2))), np.zeros((2, 3))), None)
    found = accumulator.values(RunFacts(duration=2.0, collisions=0, energy=None, arrived_fraction=None, arrival_time=None, phases=[]))
    assert found["straightness"] == pytest.approx(0.5 * (2.0**0.5 / 2.0 + 1.0))
    assert found["travel_speed"] == pytest.approx(0.5 * (2.0**0.5 + 4.0) / 2.0)
