"""What the director hears of formations: each flock's own progress, of who has come least far, and its own problem."""

import numpy as np
import pytest

from swarm_control.ros.messages import cdr
from swarm_control.ros.messages.convert import STRUCTURE
from swarm_control.ros.support.structure_reports import PROBLEM, StructureReports


class Node:
    """Hears nothing by itself."""

    def create_subscription(self, *arguments, **named):
        pass


@pytest.fixture
def reports():
    return StructureReports(Node(), ["/robot_0", "/robot_1"], lambda stamp: stamp < 10.0)


def say(reports, space, time=1.0, **columns):
    rows = np.zeros(1, STRUCTURE)
    for name, value in columns.items():
        rows[name] = value
    reports._hear(space, cdr.CloudWriter("map", STRUCTURE).write(time, rows))


def test_who_has_come_least_far_counts(reports):
    assert reports.progress(0, 3, None) == (0, 3, 0) and reports.news(0) is None
    say(reports, "/robot_0", visits=2, missed=1)
    say(reports, "/robot_1", visits=1)
    say(reports, "/robot_1", time=20.0, visits=9)  # of another time
    assert reports.progress(0, 3, None) == (1, 3, 1)


def test_a_goal_that_was_sent_is_reached_when_all_have_it_and_are_there(reports):
    assert reports.progress(0, 3, 7) == (0, 1, 0)
    say(reports, "/robot_0", visits=4, goals=4, sent=7)
    assert reports.progress(0, 3, 7) == (1, 1, 0)
    for late in ({"visits": 4, "goals": 4, "sent": 6}, {"visits": 3, "goals": 4, "sent": 7}):
        say(reports, "/robot_1", **late)
        assert reports.progress(0, 3, 7) == (0, 1, 0)


def test_a_flock_has_its_own_problem(reports):
    for flock in (0, 1):
        say(reports, "/robot_0", flock=flock, x=1.0, rest=flock)
    status = {"/robot_0/virtual_structure": ("", "", {"problem": "no way", f"{PROBLEM}0": "", f"{PROBLEM}1": "no way"})}
    reports.note_status(status)
    assert (reports.news(0).problem, reports.news(1).problem) == ("", "no way")
    assert (reports.news(0).rest, reports.news(1).rest) == (False, True) and reports.news(0).pose.tolist() == [1.0, 0.0, 0.0]
