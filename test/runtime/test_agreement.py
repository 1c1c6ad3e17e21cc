"""What a robot's own structure takes in of what others say: shifts, failures, goals, plans, and when it goes on as they do."""

from dataclasses import replace

import numpy as np
import pytest
from closed_loop import fleet

from swarm_control.core.geometry import rotate, wrap
from swarm_control.core.state import SwarmState
from swarm_control.formation.drive import ToPose
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.structure import Structure
from swarm_control.formation.timetable import Timetable
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime.agreement import (
    KEPT,
    follow_on,
    halt,
    note_failing,
    note_others,
    nudge,
    presume,
    take_goal,
    take_outset,
    word_of,
)
from swarm_control.runtime.goal_list import NewGoal
from swarm_control.runtime.outset import Outset
from swarm_control.runtime.structure_controller import StructureController
from swarm_control.scenario.schema import Goal

POINTS = np.array([[0.5, 0.0], [-0.3, 0.4], [-0.2, -0.4]])
NAMES = ("robot_0", "robot_1", "robot_2")


def part(steps=2, pose=(0.0, 0.0, 0.0)):
    """The structure of a robot that has heard of all for some steps."""
    structure = Structure(POINTS, NAMES, np.array(pose, float))
    made = StructureController(fleet(3, "omni"), [Goal(position=(float(k), 0.0)) for k in (2, 4, 6)], 0.1, 0, structure, 0.0)
    for k in range(steps):
        seen = SwarmState.of(0.1 * k, np.column_stack((structure.world, [0.1, 3.0, -0.4])), np.zeros((3, 3)))
        made.step(seen, np.full(3, 0.1 * k), FormationParameters(enabled=True))
    return made


def on_a_way(made, clock, attempt=0, duration=2.0):
    """Have it on a planned way, at this time of its clock (s)."""
    places = np.repeat(made.structure.world[None], 2, axis=0)
    made.planner.way = PlannedWay(Timetable(np.array([0.0, duration]), places), NAMES, POINTS)
    made.planner.outset = Outset(made.goals.visits, attempt, 1.0, 0, np.zeros((3, 3)))
    made.planner.formed, made.memory = False, replace(made.memory, clock=clock)
    return made


def test_a_shift_moves_structure_and_clock_and_those_who_are_presumed_to_keep_to_it():
    made, shift, presumed = part(pose=(1.0, 2.0, 0.4)), np.array([0.2, -0.1, 0.3]), np.array([True, False, True])
    about, before = made.structure.pose, made.memory.belief.pose
    nudge(made, shift, 0.25, presumed)
    after = made.memory.belief.pose
    assert made.structure.pose == pytest.approx(about + shift) and made.memory.clock == pytest.approx(0.25 + part().memory.clock)
    assert (after[1] == before[1]).all()
    for k in (0, 2):
        assert after[k, :2] - about[:2] - shift[:2] == pytest.approx(rotate(before[k, :2] - about[:2], 0.3))
        assert after[k, 2] == pytest.approx(wrap(before[k, 2] + 0.3))
    nudge(made, np.zeros(3), -9.0, presumed)
    assert made.memory.clock == 0.0


def test_before_the_first_step_there_is_nothing_to_take_in():
    made = part(steps=0)
    nudge(made, np.ones(3), 1.0, np.ones(3, bool))
    presume(made, 5.0, 0.3)
    note_failing(made, 0, {1: 2.0})
    halt(made, None, 0)
    assert made.memory is None and made.structure.pose.tolist() == [0.0, 0.0, 0.0] and word_of(made).clock == 0.0


def test_who_is_heard_no_more_counts_as_heard_just_long_enough_ago():
    made = part()
    made.memory = replace(made.memory, belief=replace(made.memory.belief, stamp=np.array([4.9, 1.0, -np.inf])))
    presume(made, 5.0, 0.3)
    assert made.memory.belief.stamp.tolist() == [4.9, 5.0 - 0.3 + KEPT, -np.inf]


def test_a_robot_judges_itself_and_believes_what_others_say_of_themselves():
    made = part()
    note_failing(made, 0, {1: 2.5, 2: 0.0})
    record = made.memory.record
    assert record.since[1:].tolist() == [2.5, 0.0] and record.failed[1:].tolist() == [True, False]
    assert record.judged.tolist() == [True, False, False]


def test_the_goal_that_was_set_last_is_taken():
    made, new = part(), NewGoal(3.0, 1, np.array([5.0, 1.0, 0.5]))
    take_goal(made, new)
    assert made.goals.visits == 1 and made.goals.present.position == (5.0, 1.0) and made.goals.new is new
    assert made.goals.present.heading == pytest.approx(np.rad2deg(0.5))
    for older in (replace(new, time=2.0, pose=np.ones(3)), replace(new, pose=np.array([4.0, 9.0, 9.0]))):
        take_goal(made, older)
        assert made.goals.new is new
    take_goal(made, replace(new, time=4.0, visits=2))
    assert made.goals.visits == 1 and made.goals.new.time == 4.0, "the same place again is no other goal"


def test_plans_are_made_from_the_newest_attempt_that_was_begun_first():
    for attempt, time, moved, span, taken in ((0, 0.5, 0.0, 0.0, "noted"), (0, 0.5, 0.1, 5.0, "planned"), (0, 2.0, 0.1, 5.0, ""),
                                              (1, 2.0, 0.1, 5.0, "planned"), (0, 0.5, 0.1, 0.0, "noted")):  # fmt: skip
        made = on_a_way(part(), 0.5)
        mine = made.planner.outset
        said = replace(word_of(made), outset=Outset(0, attempt, time, 1, np.full((3, 3), moved)), span=span, clock=0.7)
        take_outset(made, said)
        assert (made.planner.told is said.outset) == (taken == "planned"), (attempt, time)
        assert made.planner.outset is (said.outset if taken == "noted" else mine)
        take_outset(made, replace(said, visits=2))
        take_outset(made, replace(said, outset=None))
        assert made.planner.outset is (said.outset if taken == "noted" else mine)


@pytest.mark.parametrize(("clock", "change", "over"), [
    (2.1, {"span": 0.0}, True), (1.9, {"span": 0.0}, False), (2.1, {}, False), (2.1, {"visits": 1}, True),
    (2.1, {"span": 0.0, "goal": NewGoal(9.0, 0, np.zeros(3))}, False), (2.1, {"span": 0.0, "outset": None}, False),
])  # fmt: skip
def test_a_planned_way_is_left_at_its_end_when_others_have_left_it(clock, change, over):
    made = on_a_way(part(), clock)
    follow_on(made, [replace(word_of(made), **change)])
    assert (made.planner.way is None) == made.planner.formed == over
    assert made.memory.clock == (0.0 if over else clock)


def test_a_goal_that_others_have_left_is_left_but_for_the_last():
    made = part()
    made.goals.last, made.order = 2, ToPose(np.array([2.0, 0.0, 0.0]))
    follow_on(made, [word_of(made)])
    assert made.goals.visits == 0 and made.order is not None
    follow_on(made, [replace(word_of(made), visits=2)])
    assert made.goals.visits == 1 and made.order is None
    for visits, expected in ((1, 1), (2, 2)):
        made.goals.visits, made.order = visits, ToPose(np.zeros(3)) if visits == 2 else None
        follow_on(made, [replace(word_of(made), visits=3)])
        assert made.goals.visits == expected, "nobody leaves the last goal, nor one that he is not on his way to"


def test_on_a_planned_way_nobody_waits_for_who_is_unheard_or_has_left_it():
    made = on_a_way(part(), 0.5)
    word = word_of(made)
    note_others(made, frozenset({"robot_2"}), {"robot_1": replace(word, span=0.0)})
    assert made.planner.way.others == {"robot_1", "robot_2"}
    note_others(made, frozenset({"robot_2"}), {})
    assert made.planner.way.others == {"robot_1", "robot_2"}, "who had left it is still elsewhere"
    note_others(made, frozenset(), {"robot_1": word, "robot_2": word})
    assert made.planner.way.others == frozenset()
    made.planner.way = None
    note_others(made, frozenset({"robot_2"}), {})
    assert made.planner.way is None


def test_a_step_is_taken_back_but_for_what_is_believed():
    made = part()
    before = made.memory
    made.memory = replace(before, clock=7.0, velocity=np.ones(3), commands=before.commands + 1.0)
    made.goals.visits, made.order = 1, None
    halt(made, before, 0)
    assert not made.memory.commands[0].any() and (made.memory.commands[1:] == before.commands[1:] + 1.0).all()
    assert made.memory.clock == before.clock and not made.memory.velocity.any() and made.goals.visits == 0
