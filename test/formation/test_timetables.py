"""Timetables: what is left of them, samples of them, where robots leave to; and where a planned way leads the structure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.formation.structure import place
from swarm_control.formation.timetable import Timetable
from swarm_control.formation.way import PlannedWay

POINTS = np.array([[0.5, 0.0], [-0.3, 0.4], [-0.2, -0.4]])


def table(seed, parts=5):
    rng = np.random.default_rng(seed)
    return Timetable(np.append(0.0, np.cumsum(rng.uniform(0.1, 2.0, parts))), rng.normal(size=(parts + 1, 3, 2)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-1.0, 12.0))
def test_places_are_even_between_samples_and_stay_before_and_beyond(seed, clock):
    found = table(seed)
    expected = np.array([[np.interp(clock, found.time, found.place[:, i, axis]) for axis in (0, 1)] for i in range(3)])
    assert found.at(clock) == pytest.approx(expected)
    assert found.sampled(np.array([clock, 0.0]))[0] == pytest.approx(expected) and found.duration == found.time[-1]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 12.0), st.floats(0.0, 12.0))
def test_what_is_left_is_the_rest_of_it(seed, gone, later):
    found = table(seed)
    left = found.after(gone)
    assert left.time[0] == 0.0 and left.duration == pytest.approx(max(found.duration - gone, 0.0))
    assert left.at(later) == pytest.approx(found.at(gone + later))


def test_of_a_single_sample_everybody_stays():
    still = Timetable(np.zeros(1), table(0).place[:1])
    assert (still.at(3.0) == still.place[0]).all() and (still.sampled(np.array([0.0, 9.0])) == still.place[0]).all()
    assert still.departing() is None


def test_robots_leave_towards_where_they_are_first_a_millimetre_off():
    way = np.array([[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [1.0005, 1.0], [2.0, 0.0]], [[0.0, 0.0], [1.0, 1.3], [2.0, 0.0]],
                    [[-0.3, 0.4], [5.0, 1.0], [2.0, 0.0]]])  # fmt: skip
    assert Timetable(np.arange(4.0), way).departing() == pytest.approx(np.array([[-0.6, 0.8], [0.0, 1.0], [0.0, 0.0]]))


def test_a_planned_way_leads_the_structure_to_where_its_points_are_and_ends_there():
    poses = np.array([[0.0, 0.0, 3.0], [1.0, -0.5, 3.3], [2.0, 0.5, 3.6]])
    way = PlannedWay(Timetable(np.array([0.0, 2.0, 3.0]), place(POINTS, poses)), ("a", "b", "c"), POINTS)
    for clock, pose in ((1.5, poses[1]), (9.0, poses[2])):
        aim = way.aim(POINTS, poses[0], clock, 0.5)
        assert aim == pytest.approx(pose, abs=1e-6), "the heading goes on beyond half a turn"
    assert way.end(2.9) is None
    for clock in (3.0, 7.0):
        end = way.end(clock)
        assert end[:2] == pytest.approx(poses[2, :2]) and np.cos(end[2] - 3.6) == pytest.approx(1.0)
