"""Which plans are asked for: after a refusal, and where robots are held up on a straight way, the way to the goal is planned anew."""

from types import SimpleNamespace

import numpy as np
import pytest

from swarm_control.formation.drive import ToPose
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import Structure
from swarm_control.formation.timetable import UnreachableError
from swarm_control.runtime import journey_planner
from swarm_control.runtime.journey_planner import JourneyPlanner, Situation

POINTS = shape("line", 3, 0.5)
TERMS = SimpleNamespace(map=None, room=0.1, filter=SimpleNamespace(room=0.0))
GOAL = ToPose(np.array([2.0, 0.0, 0.0]))


class Asked:
    """What is asked of the planner's planners, and what they answer: a reason to refuse, or None for the straight way."""

    def __init__(self, monkeypatch):
        self.led, self.refusal, self.straight = 0, "", []
        monkeypatch.setattr(journey_planner, "lead", self.lead)
        monkeypatch.setattr(journey_planner, "form", lambda structure, pose, terms: None)

    def lead(self, structure, pose, middle, terms, straight):
        self.led += 1
        self.straight.append(straight)
        if self.refusal:
            raise UnreachableError(self.refusal)
        return SimpleNamespace(way=None, structure=structure) if self.led == 1 else None


@pytest.fixture
def asked(monkeypatch):
    monkeypatch.setattr(journey_planner, "replace", lambda way, lead: way)
    return Asked(monkeypatch)


def start(planner):
    structure = Structure(POINTS, ("a", "b", "c"), np.zeros(3))
    pose = np.column_stack((POINTS, np.zeros(3)))
    return planner.start(Situation(structure, pose, GOAL, np.zeros(2), True), TERMS)


def led(planner):
    """Robots that were led to the goal have come to the end of their way."""
    start(planner)
    planner.formed = True
    return planner


def test_who_was_led_to_a_goal_settles_there_without_another_plan(asked):
    planner = led(JourneyPlanner())
    assert asked.led == 1 and start(planner)[1] is GOAL and asked.led == 1


def test_after_a_refusal_the_way_is_planned_anew(asked):
    planner = JourneyPlanner()
    start(planner)
    asked.refusal = "no room"
    with pytest.warns(RuntimeWarning, match="no room"):
        start(planner)
    assert planner.problem == "no room" and planner.formed
    asked.refusal = ""
    start(planner)
    assert asked.led == 3 and not planner.problem


def test_who_is_held_up_on_a_straight_way_is_led(asked):
    planner = led(JourneyPlanner())
    planner._blocked = True
    start(planner)
    assert asked.led == 2 and asked.straight == [True, False]
