"""Groups on the move: the shipped scenarios of point masses against the paper, and groups of other kinds, in whole runs."""

import json
from dataclasses import replace

import numpy as np
import pytest

from swarm_control.analysis.experiments.flight import Flight, Trial, fly
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Start
from swarm_control.scenario.tree import to_data
from swarm_experiments.papers.herds.herd import OBSTACLE, block, box_ratio, scattered, settled, spacing
from swarm_experiments.papers.herds.paths import hole, passage
from swarm_experiments.papers.herds.turn import turn


@pytest.fixture(scope="module")
def steady() -> Flight:
    return fly(Trial("herd_points", (), 0))


def test_point_masses_form_a_circle_as_fast_as_the_paper_s(steady):
    ratio = box_ratio(steady.position)
    assert settled(steady.time, ratio) < 7.0
    assert ratio[[steady.at(t) for t in (0.0, 7.0, 14.0, 21.0)]] == pytest.approx([0.78, 0.98, 0.99, 0.99], abs=0.03)
    assert steady.summary["collisions"] == 0


def test_in_steady_state_everybody_moves_as_the_group_is_to_move(steady):
    assert np.abs(steady.velocity[-1] - (2.0, 0.0)).max() < 0.05
    assert np.abs(steady.position[-1].mean(axis=0) - (42.0, 0.0)).max() < 0.1


def test_the_same_seed_gives_the_same_bits_and_another_gives_others():
    a, b, c = (fly(Trial("herd_points", (scattered("herd_points", seed), "duration=2"), seed)).position for seed in (3, 3, 4))
    assert np.array_equal(a, b) and np.abs(a[-1] - c[-1]).max() > 0.02


@pytest.mark.parametrize("count, distance, mean, nearest", [(6, 2.5, 2.36, 1.98), (30, 2.5, 2.76, 1.11), (104, 3.5, 4.78, 0.95)])
def test_separations_are_those_of_figure_14(count, distance, mean, nearest):
    changes = (f"perception.count={count}", f"grouping.distance={distance}", "duration=30")
    assert spacing(fly(Trial("herd_points", changes, 0)).position[-1], count) == pytest.approx((mean, nearest), rel=0.05)


def test_point_masses_turn_twice_without_collision():
    harm, took, spread = turn(fly(Trial("herd_points_turn", (), 0)), 45.0)
    assert harm[:2] == (0, 0) and (took < 1.0).all() and spread < 1.0


def test_point_masses_pass_the_obstacle_on_both_sides_and_close_behind_it():
    harm, clearance, left, closed = passage(fly(Trial("herd_points_obstacle", (), 0)))
    assert harm[:2] == (0, 0) and clearance > 0.3 and 1 / 3 < left < 2 / 3 and closed < 5.0


def test_without_the_term_behind_the_obstacle_the_group_closes_later():
    """Of 20 who see 6, the two halves see little of each other."""
    start = block("herd_points_obstacle", 20, 2.3, OBSTACLE[0] - 10.0, 0.0, 0)
    changes = (start, "perception.count=6", "grouping.distance=3", "duration=25")
    (with_term, _, _, closed), (_, _, _, later) = (
        passage(fly(Trial("herd_points_obstacle", (*changes, f"grouping.rejoin={share}"), 0))) for share in (0.1, 0.0)
    )  # fmt: skip
    assert with_term[0] == 0 and closed < 0.5 * later


@pytest.mark.parametrize("scenario, duration", [("herd_points", 30), ("herd_points_obstacle", 60)])
def test_other_kinds_can_be_a_group(scenario, duration):
    """25 omnidirectional robots come to the speed wished, evenly spaced, and pass the obstacle, without collision."""
    group = load(scenario).scenario.robots[0]
    group = replace(group, count=25, model="omni", max_speed=3.0, max_acceleration=4.0, radius=0.2)
    start = Start(pattern="hexagonal", center=(30.0, 0.0), spacing=1.5, speed=1.0)
    robots = "robots=" + json.dumps([to_data(replace(group, start=start))])
    flight = fly(Trial(scenario, (robots, "perception.count=8", "grouping.distance=3", "grouping.speed=1", f"duration={duration}"), 0))
    assert flight.summary["collisions"] == 0
    assert np.abs(flight.velocity[-20:].mean(axis=0) - (1.0, 0.0)).max() < 0.1
    assert 1.8 < spacing(flight.position[-1], 8)[1] < 3.0
    if "obstacle" in scenario:
        assert flight.position[-1, :, 0].min() > OBSTACLE[0] and flight.summary["min_clearance"] > 0.1


def test_seeing_late_and_seeing_the_visible_only_change_the_group_and_not_its_safety():
    """Point masses at 2 m/s that are seen 0.3 s late would be 0.6 m behind where they are."""
    plain, late, hidden = (
        fly(Trial("herd_points", ("duration=6", f"perception.{change}"), 0)) for change in ("loss=0", "delay=0.3", "occlusion=true")
    )  # fmt: skip
    assert np.abs(late.position[-1] - plain.position[-1]).max() > 0.1
    assert np.abs(hidden.position[-1] - plain.position[-1]).max() > 0.1
    assert hidden.summary["collisions"] == 0


def test_measures_of_a_group():
    square = np.array([(x, y) for x in range(5) for y in range(3)], float)
    assert box_ratio(square) == 2.0
    assert spacing(square, 1) == (1.0, 1.0)
    assert settled(np.arange(5.0), np.array([0.8, 1.0, 0.9, 1.0, 1.04])) == 3.0
    assert np.isnan(settled(np.arange(2.0), np.array([1.0, 0.9])))
    ring = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0.0, 2.0 * np.pi, 200)]) * 4.0
    assert hole(ring) == pytest.approx(4.0, abs=0.1)
