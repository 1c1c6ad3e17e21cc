"""Which plans are asked for: after a refusal, and where robots are held up on a straight way, the way to the goal is planned anew."""

from types import SimpleNamespace

import numpy as np
import pytest
from swarms import fleet, mapped, room

from swarm_control.formation.drive import Path, ToPose
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import Structure
from swarm_control.formation.timetable import Timetable, UnreachableError
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime import journey_planner
from swarm_control.runtime.journey_planner import SETTLED, STALLED, JourneyPlanner
from swarm_control.runtime.outset import Outset
from swarm_control.runtime.terms import Situation

POINTS = shape("line", 3, 0.5)
TERMS = SimpleNamespace(map=None, room=0.1, filter=SimpleNamespace(room=0.0))
GOAL = ToPose(np.array([2.0, 0.0, 0.0]))


class Asked:
    """What is asked of the planner's planners, and what they answer: a reason to refuse, or None for the straight way."""

    def __init__(self, monkeypatch):
        self.led, self.refusal, self.straight, self.dealt = 0, "", [], []
        monkeypatch.setattr(journey_planner, "lead", self.lead)
        monkeypatch.setattr(journey_planner, "form", lambda structure, pose, terms: None)

    def lead(self, structure, pose, middle, terms, straight, dealt):
        self.led += 1
        self.straight.append(straight)
        self.dealt.append(dealt)
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


def test_places_are_dealt_anew_until_the_robots_have_formed(asked):
    planner = JourneyPlanner()
    start(planner)
    planner.change(True)
    start(planner)
    planner.change(False)
    start(planner)
    assert asked.dealt == [True, False, True]


def test_who_was_led_to_a_goal_settles_there_without_another_plan(asked):
    planner = led(JourneyPlanner())
    assert asked.led == 1 and start(planner)[1] is GOAL and asked.led == 1


def test_after_a_refusal_the_way_is_planned_anew(asked):
    planner = JourneyPlanner()
    start(planner)
    asked.refusal = "no room"
    with pytest.warns(RuntimeWarning, match="no room"):
        start(planner)
    assert planner.problem == "goal (2, 0): no room" and planner.formed
    asked.refusal = ""
    start(planner)
    assert asked.led == 3 and not planner.problem


def test_who_is_held_up_on_a_straight_way_is_led(asked):
    planner = led(JourneyPlanner())
    planner._blocked = True
    start(planner)
    assert asked.led == 2 and asked.straight == [True, False]


def step(time, clock=0.0, rest=False, failed=False, names=("a", "b", "c"), x=0.0, off=0.0):
    """What one period made of the three robots, at this place along x (m), the last of them so far (m) off its point."""
    pose = np.column_stack((POINTS + np.array([x, 0.0]), np.zeros(3)))
    memory = SimpleNamespace(time=time, clock=clock, rest=rest, belief=SimpleNamespace(pose=pose))
    return SimpleNamespace(
        memory=memory, structure=Structure(POINTS, names, np.array([x, 0.0, 0.0])), failed=np.full(3, failed),
        distance=np.array([0.0, 0.0, off]),
    )  # fmt: skip


FLEET = SimpleNamespace(names=("a", "b", "c"), radius=np.full(3, 0.1))


def test_robots_that_were_led_to_a_goal_and_do_not_rest_there_are_led_again_after_a_while(asked):
    planner = led(JourneyPlanner())
    assert not planner.unsettled(step(0.0, rest=True), FLEET)
    assert not planner.unsettled(step(SETTLED), FLEET) and planner.unsettled(step(SETTLED + 0.1), FLEET)
    assert not planner.unsettled(step(9.0 * SETTLED), FLEET), "they are led no more"
    for calm in ({"rest": True}, {"failed": True}):
        asked.led = 0
        planner = led(JourneyPlanner())
        planner.unsettled(step(0.0, rest=True), FLEET)
        planner.unsettled(step(SETTLED - 0.1, **calm), FLEET)
        assert not planner.unsettled(step(2.0 * SETTLED - 0.2), FLEET) and planner.unsettled(step(2.0 * SETTLED), FLEET)


def test_a_straight_way_on_which_robots_get_no_nearer_beside_others_that_stand_is_planned_anew():
    planner, goal = JourneyPlanner(), ToPose(np.array([5.0, 0.0, 0.0]))
    planner._straight = True

    def stuck(time, x, **more):
        return planner.stuck(step(time, x=x, **more), FLEET, goal, np.zeros(2), ("d",))

    assert not stuck(0.0, 0.0) and not stuck(STALLED, 0.005) and stuck(STALLED + 0.1, 0.009)
    assert not stuck(STALLED + 0.2, 0.011), "a centimetre is something"
    assert not stuck(2.0 * STALLED + 0.1, 0.011) and stuck(2.0 * STALLED + 0.3, 0.011)
    assert not stuck(2.0 * STALLED + 0.4, 0.011, failed=True) and not stuck(2.0 * STALLED + 0.5, 0.011)
    planner._straight = False
    assert not stuck(9.0 * STALLED, 0.011)


def test_in_the_open_a_robot_that_was_pushed_out_of_its_place_is_led_back():
    planner, goal = JourneyPlanner(), ToPose(np.array([5.0, 0.0, 0.0]))
    planner._straight = True

    def stuck(time, off, **more):
        return planner.stuck(step(time, off=off, **more), FLEET, goal, np.zeros(2), ())

    seconds = np.arange(0.0, 4.0 * STALLED, 0.5)
    assert not any(stuck(time, 0.09) for time in seconds), "it is in its place"
    assert not any(stuck(20.0 + time, 2.0 - 0.1 * time) for time in seconds), "it comes back by itself"
    first = next(time for time in seconds if stuck(40.0 + time, 0.11))
    assert STALLED - 0.5 <= first <= STALLED + 1.0 and planner._blocked
    assert not any(stuck(60.0 + time, 0.11, failed=True) for time in seconds)
    assert not any(stuck(80.0 + time, np.nan) for time in seconds), "nobody knows where it is"


def test_a_timed_way_on_which_robots_stand_and_lag_is_planned_anew():
    planner, path = JourneyPlanner(), Path(np.array([0.0, 100.0]), np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]]))

    def stuck(time, x, **more):
        return planner.stuck(step(time, time, x=x, **more), FLEET, path, np.zeros(2), ("d",))

    seconds = np.arange(0.0, 20.0, 0.5)
    assert not any(stuck(time, 0.1 * time - 0.05) for time in seconds), "it goes as told"
    assert not any(stuck(20.0 + time, 0.1 * time) for time in seconds), "it is late, and goes on"
    first = next(time for time in seconds if stuck(40.0 + time, 2.0))
    assert STALLED - 0.5 <= first <= STALLED + 1.0
    assert not any(stuck(60.0 + time, 2.0, failed=True) for time in seconds), "a robot that has failed is waited for"
    assert not JourneyPlanner().stuck(step(50.0, 50.0, x=0.0), FLEET, path, np.zeros(2), ()), "in the open nothing holds it up"


def test_what_another_robot_planned_from_is_planned_from_once_and_again_only_for_a_newer_attempt():
    planner, own = JourneyPlanner(), Outset(2, 0, 1.0, 0, np.zeros((3, 3)))
    assert planner.outset_at(own) is own.pose and planner.outset.attempt == 0 and planner.begins == 0.0
    assert planner.outset_at(own) is own.pose and planner.outset.attempt == 1, "to the same goal it is another attempt"
    planner.formed, planner._was_formed, planner._led = True, False, "there"
    told = Outset(2, 1, 0.5, 1, np.ones((3, 3)))
    planner.follow(told, 0.7)
    assert (planner.formed, planner._led, planner._watch.stalled) == (False, None, False)
    assert planner.outset_at(own) is told.pose and planner.outset is told and planner.begins == 0.7 and planner.told is None
    planner.formed, planner._led = True, "there"
    newer = Outset(2, 2, 0.5, 1, np.ones((3, 3)))
    planner.follow(newer, 0.3)
    assert (planner.formed, planner._led, planner._watch.stalled) == (True, "there", True)
    planner.told = Outset(1, 0, 0.5, 1, np.ones((3, 3)))
    assert planner.outset_at(own) is own.pose, "that was for another goal"
    assert planner.outset_at(Outset(3, 0, 1.0, 0, own.pose)) is own.pose and planner.outset.attempt == 0


def test_the_end_of_a_way_is_when_it_is_over_and_nobody_is_behind():
    planner = JourneyPlanner()
    assert not planner.arrived(step(0.0), FLEET, 0.05)
    place = np.repeat(POINTS[None], 2, axis=0)
    for clock, x, over in ((1.9, 0.0, False), (2.0, 0.06, False), (2.0, 0.04, True)):
        planner.way, planner.formed = PlannedWay(Timetable(np.array([0.0, 2.0]), place), ("a", "b", "c"), POINTS), False
        assert planner.arrived(step(0.0, clock, x=x), FLEET, 0.05) == over == planner.formed == (planner.way is None)


def test_a_plan_that_stalled_is_kept_where_there_is_no_other(asked):
    planner = led(JourneyPlanner())
    planner.way = old = PlannedWay(Timetable(np.array([0.0, 2.0]), np.repeat(POINTS[None], 2, axis=0)), ("a", "b", "c"), POINTS)
    planner._watch.stalled, planner._led, asked.refusal = True, None, "no room"
    structure, order = start(planner)
    assert planner.way is old and order is GOAL and structure.names == ("a", "b", "c") and not planner.problem


def test_robots_that_cannot_take_their_places_say_why_and_who_stands_there(asked, monkeypatch):
    def refuse(structure, pose, terms):
        raise UnreachableError("points are too near")

    monkeypatch.setattr(journey_planner, "form", refuse)
    planner, structure = JourneyPlanner(), Structure(POINTS, ("a", "b", "c"), np.zeros(3))
    asked.led = 1
    situation = Situation(structure, np.column_stack((POINTS, np.zeros(3))), GOAL, np.zeros(2), True, ("d", "e"))
    with pytest.warns(RuntimeWarning, match=r"^formation: points are too near; d, e counted as a wall, for standing there$"):
        planner.start(situation, TERMS)
    assert planner.problem.startswith("points are too near; d, e") and planner.formed


def test_on_another_map_the_rest_of_the_way_is_planned_anew_where_walls_are_in_it():
    planner, robots = JourneyPlanner(), fleet(3, radius=0.1)
    names, structure = robots.names, Structure(POINTS, robots.names, np.zeros(3))
    old, free, shut = (mapped(room(*walls)) for walls in ((), ((-2.2, -1.8, -5.0, 5.0),), ((1.8, 2.2, -5.0, 5.0),)))
    planner._map, planner._room = old, 0.05
    place = np.stack((POINTS - np.array([3.0, 0.0]), POINTS, POINTS + np.array([3.0, 0.0])))
    planner.way = PlannedWay(Timetable(np.array([0.0, 3.0, 6.0]), place), names, POINTS)
    assert not planner.outdated(old, structure, robots, 0.0)
    assert not planner.outdated(free, structure, robots, 3.0), "the wall is behind them"
    assert not planner.outdated(free, structure, robots, 0.0), "it has been seen to be free"
    assert planner.outdated(shut, structure, robots, 3.0) and planner.outdated(shut, structure, robots, 0.0)
    side = POINTS[:, 1].max() + 0.1
    assert planner.outdated(mapped(room((1.5, 2.0, side + 0.02, side + 0.3), resolution=0.02)), structure, robots, 3.0), "within the room"
    assert not planner.outdated(mapped(room((1.5, 2.0, side + 0.1, side + 0.3), resolution=0.02)), structure, robots, 3.0)
    planner.way, planner._map = None, free
    assert not planner.outdated(shut, structure, robots, 0.0)
    planner.problem = "no way"
    assert planner.outdated(shut, structure, robots, 0.0) and not planner.outdated(free, structure, robots, 0.0)
