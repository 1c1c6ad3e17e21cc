"""How a robot's own structure takes in what other robots say of theirs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, rotate, wrap
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import ToPose
from swarm_control.formation.field import Pull
from swarm_control.formation.memory import FormationMemory
from swarm_control.formation.participants import without
from swarm_control.runtime.goal_list import NewGoal
from swarm_control.runtime.structure_controller import StructureController
from swarm_control.runtime.word import PartWord
from swarm_control.scenario.schema import Goal

KEPT = 1e-6
"""Time (s) by which presumed robots are short of being forgotten: any message about them is newer."""


def word_of(part: StructureController) -> PartWord:
    """What a robot tells of its structure."""
    way = part.planner.way
    return PartWord(
        part.structure.pose, part.memory.clock if part.memory else 0.0, part.goals.visits, way.schedule.duration if way else 0.0,
        part.planner.outset, part.goals.new,
    )  # fmt: skip


def nudge(part: StructureController, shift: Array, clock: float, presumed: BoolArray) -> None:
    """Move the structure by ``shift`` (3,), with those robots (N,) that are ``presumed`` to keep to it, and its order's clock (s)."""
    if part.memory is None:
        return
    about, pose = part.structure.pose, part.memory.belief.pose
    place = about[:2] + shift[:2] + rotate(pose[:, :2] - about[:2], shift[2])
    there = np.where(presumed[:, None], np.column_stack((place, wrap(pose[:, 2] + shift[2]))), pose)
    part.memory = replace(part.memory, belief=replace(part.memory.belief, pose=there), clock=max(part.memory.clock + clock, 0.0))
    part.structure = part.structure.at(about + shift)


def presume(part: StructureController, time: float, timeout: float) -> None:
    """Robots that are heard no more are presumed to do as they are told: they count as if they had just not been forgotten."""
    if part.memory is not None:
        belief = part.memory.belief
        stamp = np.where(np.isfinite(belief.stamp), np.maximum(belief.stamp, time - timeout + KEPT), -np.inf)
        part.memory = replace(part.memory, belief=replace(belief, stamp=stamp))


def note_failing(part: StructureController, own: int, failing: Mapping[int, float]) -> None:
    """Judge only the robot ``own``; for how long (s) others have been ``failing``, by their indices, they say themselves."""
    if part.memory is None:
        return
    record, who = part.memory.record, list(failing)
    since, failed = record.since.copy(), record.failed.copy()
    since[who] = list(failing.values())
    failed[who] = since[who] > 0.0
    judged = np.arange(len(since)) == own
    part.memory = replace(part.memory, record=replace(record, since=since, failed=failed, judged=judged))


def drop(part: StructureController, fleet: Fleet, dropped: BoolArray) -> None:
    """Go on without the robots (N,) that others have dropped."""
    part.structure = without(part.structure, fleet, dropped).centred()


def take_goal(part: StructureController, new: NewGoal) -> None:
    """Go to a goal that another robot was sent to, if that was later than what this one knows of."""
    if not new.after(part.goals.new):
        return
    if not np.array_equal(new.pose, part.goals.new.pose):
        part.skip_to(new.visits)
        part.send(Goal(position=(float(new.pose[0]), float(new.pose[1])), heading=float(np.rad2deg(new.pose[2]))))
    part.goals.new = new


def take_outset(part: StructureController, said: PartWord) -> None:
    """Plan from what another robot planned from, if that goes before: robots that plan from the same make the same plan."""
    planner, mine = part.planner, word_of(part)
    if said.outset is None or said.goal.time != mine.goal.time or said.visits != mine.visits:
        return
    if mine.outset is None or not said.outset.goes_before(mine.outset):
        return
    if said.span > 0.0 and not np.array_equal(said.outset.pose, mine.outset.pose):
        planner.follow(said.outset, said.clock)
    else:
        planner.outset = said.outset


def follow_on(part: StructureController, said: Sequence[PartWord]) -> None:
    """Leave a planned way at its end, or a goal, that others who keep the same structure have left."""
    mine = word_of(part)
    said = [word for word in said if word.goal.time == mine.goal.time]
    ahead = any(word.visits > mine.visits for word in said)
    if mine.span > 0.0:
        ended = any(word.span == 0.0 and word.planned_as(mine) for word in said)
        if (ahead or ended) and mine.clock >= mine.span and part.memory is not None:
            part.planner.way, part.planner.formed = None, True
            part.memory, part.order = part.memory.order(), None if part.goals.timed else part.order
    elif ahead and isinstance(part.order, (ToPose, Pull)) and mine.visits < part.goals.last:
        part.skip_to(mine.visits + 1)


def note_others(part: StructureController, unheard: frozenset[str], said: Mapping[str, PartWord]) -> None:
    """On a planned way wait for none of those, by name, who are ``unheard``: who hears them does. Nor for those who have left it at its
    end: they are elsewhere by now.
    """
    way, mine = part.planner.way, word_of(part)
    if way is None:
        return
    ended = {name for name, word in said.items() if word.span == 0.0 and word.planned_as(mine)}
    ended |= way.others - unheard - said.keys()
    if unheard | ended != way.others:
        part.planner.way = replace(way, others=unheard | ended)


def halt(part: StructureController, before: FormationMemory | None, visits: int) -> None:
    """Take back the last step, but for what is believed: all stand, and the clock too. ``before``: what was known before it, and ``visits``
    of goals until then.
    """
    if part.memory is not None and before is not None:
        part.note_commands(np.zeros_like(part.memory.commands[0]))
        part.planner.wait()
        part.memory = replace(part.memory, clock=before.clock, velocity=np.zeros(3))
    if part.goals.visits != visits:
        part.skip_to(visits)
