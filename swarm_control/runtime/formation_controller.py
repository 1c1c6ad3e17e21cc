"""A formation: one structure, or the parts of a formation that has split, each with a controller and goals of its own."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.errors import InputError
from swarm_control.formation.design import Design, designs, reconfigure
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.memory import FormationMemory
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.structure import Structure, members
from swarm_control.runtime.agenda import Agenda
from swarm_control.runtime.back_off import BackOff
from swarm_control.runtime.crossing_ways import CrossingWays, hold
from swarm_control.runtime.formation_step import FormationStep, together
from swarm_control.runtime.regrouping import Wanted, regrouped, settled, sorted_out
from swarm_control.runtime.standing import StandingRobots
from swarm_control.runtime.structure_controller import StructureController
from swarm_control.safety.separation_filter import UNFILTERED, SeparationFilter
from swarm_control.scenario.schema import Goal

COARSE = 0.02
"""Robots that can neither glide nor turn on the spot are in their places within this, m: they cannot mend millimetres beside them."""

LEAD = 5.0
"""Time (s) by which the clocks of robots that agree by radio may differ."""


class FormationController:
    """Makes the structures that the parameters ask for, and has them kept. Hosted it serves all robots; onboard only ``own``.

    Structures are imposed when every member has been heard from; until then all stand. ``noise`` (m): standard deviation
    of the positions that are heard. ``presumes``: robots of a structure that are not heard are taken to be at their points.
    ``waits``: why the one robot that is served stands. ``members``: who was to be in the structures when they were made.
    """

    def __init__(
        self, fleet: Fleet, goals: Sequence[Goal], period: float, own: int | None = None, everybody: tuple[str, ...] = (),
        noise: float = 0.0,
    ) -> None:  # fmt: skip
        self.parts: list[StructureController] = []
        self.last: FormationStep | None = None
        self._refused, self.waits, self.agenda, self.presumes = "", "", Agenda(goals), False
        self._fleet, self._period, self._own, self._everybody = fleet, period, own, everybody
        self._noise, self._back_off, self._standing = noise, BackOff(len(fleet)), StandingRobots(fleet.radius)
        own_fleet = fleet.take(members(everybody, fleet.names)) if everybody else fleet
        self._coarse = bool(own_fleet.column(lambda model: model.rolls and not model.turns_in_place).any())
        self._wanted = self._formed = Wanted()
        self._asked: tuple[Design, ...] = ()
        self._sorting: Wanted | None = None
        self.crossing = CrossingWays([self])
        self.members: tuple[str, ...] = ()
        self._began: float | None = None
        self._twist: Array | None = None
        self._trajectory: Itinerary | None = None

    def step(
        self, state: SwarmState, stamp: Array, params: FormationParameters, deviation: Array | None = None, map: Map | None = None,
        filter: SeparationFilter = UNFILTERED,
    ) -> FormationStep | None:  # fmt: skip
        """One tick, as :meth:`StructureController.step`; None while there is no structure yet."""
        self._began = state.time if self._began is None else self._began
        self._look(state, params, map, filter)
        if not self.parts:
            return None
        params = replace(params, repeat=1) if self.agenda.dealt or self.agenda.sent else params
        if params.estimate.noise < self._noise:
            params = replace(params, estimate=replace(params.estimate, noise=self._noise))
        if self._coarse and params.drive.tolerance < COARSE:
            params = replace(params, drive=replace(params.drive, tolerance=COARSE))
        # nobody takes a point of a part that is not his
        params = replace(params, shape="start") if self._sorting else params
        # where there are goals, a part that has none stands
        params = replace(params, velocity=(0.0, 0.0, 0.0)) if self.agenda.goals else params
        map = self._with_standing(map, state) if params.plan.enabled else map
        waits = self.crossing.held(self.parts, self._fleet, max(filter.room, params.drive.wall_margin), state.time)
        before = [part.memory for part in self.parts]
        steps = tuple(part.step(state, stamp, params, deviation, map, filter) for part in self.parts)
        for part, memory, held in zip(self.parts, before, waits):
            if held and memory is not None:
                hold(part, memory)
        self.last = together(steps, self._fleet)
        command, backs = self._back_off.turned(state, self.last.command, self._fleet)
        self.last = replace(self.last, command=command)
        if len(steps) > 1 or backs.any():
            # every part remembers what all robots were told, so that they may go over to another
            self.note_commands(self.last.command)
        return self.last

    def note_commands(self, twist: Array) -> None:
        """What the robots were told in the end (N, 3), after the filter."""
        for part in self.parts:
            part.note_commands(twist)

    def catch_up(self, goal: int) -> None:
        """Go on at this one of the goals, to which the robots have come without a formation; goals that parts have stay as they are."""
        if self.agenda.dealt or goal <= self.visits:
            return
        self.agenda.behind = goal
        for part in self.parts if not self._formed.split else ():
            part.skip_to(goal)

    def total(self, params: FormationParameters) -> int:
        """How many goals there are to reach, all rounds together."""
        return len(self.agenda.goals) * self.agenda.rounds(params.repeat)

    @property
    def visits(self) -> int:
        """Goals that are behind the formation, counting every round: reached, or given up."""
        if self.agenda.dealt:
            return self.agenda.behind + sum(part.goals.visits for part in self.parts)
        return self.agenda.behind if self._formed.split or not self.parts else self.parts[0].goals.visits

    @property
    def problem(self) -> str:
        """Why the last change of parameters was refused, or a part has no way to its goal; or nothing."""
        return "; ".join(filter(None, (self._refused, self.waits, *(part.problem for part in self.parts))))

    @property
    def structures(self) -> tuple[Structure, ...]:
        """The structures as they are now kept; none before they are imposed."""
        return tuple(part.structure for part in self.parts)

    @property
    def dropped(self) -> BoolArray:
        """Which robots (N,) were to be in the structures, and are in none of them any more."""
        left = {name for part in self.parts for name in part.structure.names}
        return np.array([name in self.members and name not in left for name in self._fleet.names])

    def halted(self) -> FormationStep | None:
        """The last step, with all robots told to stand."""
        if self.last is not None:
            self.last = replace(self.last, command=np.zeros_like(self.last.command))
        return self.last

    @property
    def due(self) -> Array | None:
        """Where (3,) a timed way of the first part is by now; None when it is not on one."""
        return self.parts[0].due if self.parts else None

    def steer(self, twist: Array | None) -> None:
        """Move every part at ``twist`` (3,): vx, vy (m/s), ω (rad/s) in its own frame, whatever the goals are; None: goals again."""
        self._twist = twist
        for part in self.parts:
            part.steer(twist)

    def send(self, goal: Goal) -> None:
        """Put ``goal`` in the place of the present one, of the part that is nearest to it."""
        self.steer(None)
        self._trajectory = None
        if self.parts:
            min(self.parts, key=lambda part: float(norm(part.structure.pose[:2] - np.array(goal.position)))).send(goal)
        else:
            self.agenda.goals[:1] = [goal]

    def go_to(self, goal: Goal) -> None:
        """Go to ``goal``, with all parts, in place of the present one and all after it."""
        self.steer(None)
        self._trajectory = None
        over = bool(self.parts) and self.parts[0].goals.over
        self.agenda.send(goal, max(self.visits - over, 0))
        for part in self.parts:
            part.goals.replace(self.agenda.goals, part.memory.time if part.memory is not None else 0.0)
            part.order = None

    def follow(self, trajectory: Itinerary) -> float:
        """Have the first part follow ``trajectory`` instead of its goals; by which factor it is slowed, 1 while there is no part yet: the
        first that is made follows it.
        """
        self.steer(None)
        self._trajectory = None if self.parts else trajectory
        return self.parts[0].follow(trajectory) if self.parts else 1.0

    def _look(self, state: SwarmState, params: FormationParameters, map: Map | None, filter: SeparationFilter) -> None:
        """Make or change the structures if the parameters ask for others, once all of their robots are heard."""
        wanted = Wanted.of(params)
        if wanted != self._wanted:
            self._wanted = wanted
            try:
                self._asked, self._refused = designs(params, self._fleet.names, "control.formation", self._everybody), ""
            except InputError as error:
                self._refused = str(error)
        everybody = tuple(name for asked in self._asked for name in asked.names)
        kept = {name for part in self.parts if self.presumes for name in part.structure.names}
        if not self._asked or not state.valid[members(tuple(name for name in everybody if name not in kept), self._fleet.names)].all():
            return
        if not self.parts:
            whole = sorted_out(self._asked, state, self._fleet, params, map, filter, self.agenda.goals)
            if whole is not None:
                self.parts, self._sorting = [self._part(whole, [], state.time)], wanted
                self._formed, self.members = replace(wanted, split=()), everybody
        if self._sorting == wanted and not settled(self.parts[0]):
            return
        if self.parts and wanted.split == self._formed.split and not self._sorting:
            for part, asked in zip(self.parts, self._asked):
                part.change(reconfigure(asked, part.structure, self._fleet.names, state.position), state.time)
        else:
            self._regroup(state, params, keep=wanted.shape == self._formed.shape and bool(wanted.split))
        self._asked, self._formed, self.members = (), wanted, everybody

    def _with_standing(self, map: Map | None, state: SwarmState) -> Map | None:
        """The map on which robots that are in no part, and stand, are obstacles; not those of others that are let past."""
        outside = np.ones(len(self._fleet), bool)
        outside[members(self.crossing.under_way(self.parts), self._fleet.names)] = False
        for part in self.parts:
            outside[members(part.structure.names, self._fleet.names)] = False
        goals = [goal.position for goal in self.agenda.goals] + [place for part in self.parts for place in part.goals.positions]
        map = self._standing.on(map, state, outside, np.array(goals, float).reshape(-1, 2))
        for part in self.parts:
            part.obstacles = tuple(self._fleet.names[k] for k in self._standing.robots)
        return map

    def _regroup(self, state: SwarmState, params: FormationParameters, keep: bool) -> None:
        """Split or merge; ``keep``: a part that comes out of one structure keeps the points that it has there."""
        old, split, agenda = self.parts, bool(params.split), self.agenda
        stay = split and bool(self._formed.split)
        if old and not stay:
            agenda.behind = self.visits
        began = state.time if old or self._began is None else self._began
        made = [regrouped(asked, old, self._fleet.names, state, keep) for asked in self._asked]
        hands = agenda.deal(split, len(made), params.repeat, first=not old or (split and self._sorting is not None))
        self.parts, self._sorting = [], None
        for k, ((change, memory), goals) in enumerate(zip(made, hands)):
            part = self._part(change.structure, goals, began, memory)
            if old:
                part.change(change, state.time)
            part.goals.visits = old[k].goals.visits if stay and k < len(old) else agenda.behind if goals is agenda.goals else 0
            part.steer(self._twist)
            self.parts.append(part)
        if self._trajectory is not None:
            self.follow(self._trajectory)

    def _part(self, structure: Structure, goals: list[Goal], began: float, memory: FormationMemory | None = None) -> StructureController:
        part = StructureController(self._fleet, goals, self._period, self._own, structure, began, memory)
        part.planner.lead = LEAD if self.presumes else 0.0
        return part
