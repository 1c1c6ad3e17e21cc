"""A formation of a flock: kept by one controller for all its robots, or by each robot for itself."""

from functools import partial

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.pipeline import FormationLaw, Tick
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.formation.fit import Fit, Fitted, fit
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.structure import Structure, members
from swarm_control.runtime.consensus import Consensus
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.runtime.observation import Observation
from swarm_control.runtime.radio import RobotRadios
from swarm_control.runtime.task_orders import FormationNews
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.scenario.groups import Flock
from swarm_control.scenario.schema import Control, Goal

SQUARED = Fit()

PlanTerms = tuple[FormationParameters, Map | None, SeparationFilter]


class FormationRun:
    """Who keeps the formation of a ``flock`` on its way: one controller, or with ``onboard`` one for each of its robots.

    ``controllers[0]`` stands for all where one answer is wanted. ``agree``: robots do not all hear the same, and
    have to agree. ``sent``: the number of the goal that an operator has sent them to.
    """

    def __init__(self, fleet: Fleet, flock: Flock, period: float, onboard: bool = False, noise: float = 0.0, agree: bool = False) -> None:
        self._fleet = fleet
        everybody = tuple(fleet.names[k] for k in flock.robots)
        self._owners: list[int] | None = flock.robots.tolist() if onboard else None
        owners = self._owners or [None]
        self.controllers = [FormationController(fleet, flock.goals, period, own, everybody, noise) for own in owners]
        self.radio: RobotRadios | None = None
        self.sent = 0
        if self._owners is not None and agree:
            members = [Consensus(one, own, flock.robots, fleet, period) for one, own in zip(self.controllers, self._owners)]
            self.radio = RobotRadios(members, flock.robots, period)

    def law(self, observed: Observation, params: FormationParameters, map: Map | None, filter: SeparationFilter) -> FormationLaw:
        """How the tick keeps the formation on what is ``observed``: it estimates by itself where its robots are. ``filter``: at which plans
        must not be held up.
        """
        return partial(self._by_one if self._owners is None else self._by_each, observed, (params, map, filter))

    def note_commands(self, made: Tick) -> None:
        """What became of the twists in the filter; onboard each robot knows it of itself alone."""
        if not made.intervened.any():
            return
        if self._owners is None:
            self.controllers[0].note_commands(made.commands.twist)
            return
        for own, controller in zip(self._owners, self.controllers):
            if controller.last is not None:
                row = (np.arange(len(self._fleet)) == own)[:, None]
                controller.note_commands(np.where(row, made.commands.twist, controller.last.command))

    @property
    def planned(self) -> tuple[float, float] | None:
        """How far (s) robots are on a planned way and how long (s) it is, of the part with the most before it; None: no part is on one."""
        on = [(part.planner.way, part.memory) for part in self.controllers[0].parts]
        ways = [(memory.clock, way.schedule.duration) for way, memory in on if way is not None and memory is not None]
        return max(ways, key=lambda way: way[1] - way[0], default=None)

    def catch_up(self, goal: int) -> None:
        """Go on at this one of the goals, to which the flock has come without a formation."""
        for controller in self.controllers:
            controller.catch_up(goal)

    def go_to(self, sent: tuple[int, Goal] | None) -> None:
        """Go to the goal that an operator has ``sent`` the flock to, unless that has been done, by its number."""
        if sent is not None and sent[0] != self.sent:
            self.sent = sent[0]
            for controller in self.controllers:
                controller.go_to(sent[1])

    def news(self) -> FormationNews | None:
        """How it stands; None before there is a structure."""
        made = [one.last for one in self.controllers if one.last is not None]
        if self.structure is None or len(made) < len(self.controllers):
            return None
        problem = next(filter(None, (one.problem for one in self.controllers)), "")
        error = max(one.error for one in made)
        return FormationNews(self.structure.pose, len(self.controllers[0].structures), all(one.rest for one in made), problem, error)

    def progress(self, control: Control) -> tuple[int, int, int]:
        """Goals that are behind all controllers, how many there are, all rounds together, and how many had to be given up.

        Robots that most have dropped do not count.
        """
        kept = self.controllers
        if self._owners is not None:
            gone = np.mean([controller.dropped for controller in self.controllers], axis=0)[self._owners] > 0.5
            kept = [controller for controller, left in zip(kept, gone) if not left] or kept
        return min(controller.visits for controller in kept), kept[0].total(control.formation), max(one.agenda.missed for one in kept)

    @property
    def structure(self) -> Structure | None:
        """The structure as it is now kept, its first part if it has split; None before it is imposed."""
        return next(iter(self.controllers[0].structures), None)

    def fits(self, truth: SwarmState) -> list[Fitted]:
        """Where the parts of the structure truly are, and how far each of their robots truly is from its point."""
        return [
            fit(part.points, truth.position[members(part.names, self._fleet.names)], np.ones(len(part)), part.pose, SQUARED)
            for part in self.controllers[0].structures
        ]  # fmt: skip

    def fitted(self, truth: SwarmState) -> Fitted | None:
        """The same of the first part alone; None before there is one."""
        return next(iter(self.fits(truth)), None)

    def error(self, truth: SwarmState) -> float | None:
        """The true formation error (m): mean distance of the robots from the structures fitted to their true positions."""
        found = self.fits(truth)
        return float(np.concatenate([fitted.distance for fitted in found]).mean()) if found else None

    def spread(self) -> float:
        """How far apart (m), at most, any two controllers believe the same robot's point to be; NaN when not about the same robots."""
        believed = [
            {name: point for part in one.structures for name, point in zip(part.names, part.world)} for one in self.controllers
        ]  # fmt: skip
        known = [points for points in believed if points]
        if not known or any(points.keys() != known[0].keys() for points in known):
            return float("nan")
        points = np.array([[one[name] for name in known[0]] for one in known])
        return float(norm(points[:, None] - points[None]).max())

    def _by_one(self, observed: Observation, terms: PlanTerms, state: SwarmState, deviation: Array) -> Array:
        params, map, filter = terms
        made = self.controllers[0].step(observed.state, observed.stamps, params, deviation, map, filter)
        return np.zeros((len(self._fleet), 3)) if made is None else made.command

    def _by_each(self, observed: Observation, terms: PlanTerms, state: SwarmState, deviation: Array) -> Array:
        params, map, filter = terms
        twist, given = np.zeros((len(self._fleet), 3)), (params, deviation, map, filter)
        if self.radio is not None:
            self.radio.say(observed.state.time, params.estimate.timeout)
        for number, (k, controller) in enumerate(zip(self._owners or (), self.controllers)):
            heard = observed.each[k]
            if self.radio is None:
                made = controller.step(heard.state, heard.stamps, *given)
            else:
                made = self.radio.members[number].step(heard, self.radio.heard(heard.stamps, k), *given)
            if made is not None:
                twist[k] = made.command[k]
        return twist
