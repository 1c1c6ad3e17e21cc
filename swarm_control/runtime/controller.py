"""The controller of a swarm: from observations to commands. ``simulate`` and the library run it whole; each node runs its stage of it."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swarm_control.core.geometry import Array
from swarm_control.core.ground import FreeGround
from swarm_control.core.pipeline import FormationLaw, Tick, tick
from swarm_control.core.state import Commands, Neighbourhoods, SwarmState
from swarm_control.core.state_estimator import StateEstimator
from swarm_control.runtime.external_request import ExternalRequest
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.motion import MotionStage
from swarm_control.runtime.observation import Observation
from swarm_control.runtime.orders import SwarmOrders
from swarm_control.runtime.stages import Knowledge, PerceptionStage
from swarm_control.runtime.task_board import TaskBoard
from swarm_control.runtime.task_orders import SwarmNews
from swarm_control.runtime.task_settings import set_by_task
from swarm_control.scenario.absent import absent, formation_of, without
from swarm_control.scenario.groups import controls_of, in_formation, squads
from swarm_control.scenario.safeguards import planned_filter, smoothed_noise
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup

if TYPE_CHECKING:
    from swarm_control.runtime.formation import FormationRun


@dataclass(frozen=True)
class Decision:
    """What one tick of the controller decided: the ``orders`` to the flocks, everything that the ``tick`` made, its ``commands`` last."""

    orders: SwarmOrders
    tick: Tick

    @property
    def commands(self) -> Commands:
        """What the robots are told."""
        return self.tick.commands


class Controller:
    """Perception, behaviours, accumulation, formations, motion and mission of a whole swarm.

    :attr:`controls` are the parameters as they now stand; they may be changed between ticks.
    """

    def __init__(self, scenario: Scenario, setup: Setup) -> None:
        self._scenario, self.controls = scenario, controls_of(scenario, scenario.name)
        self.squads = squads(scenario.groups, setup.society)
        self.mission = Mission(scenario, setup.society, self.squads, setup.grid)
        self.board = TaskBoard(scenario, self.mission, FreeGround(setup.grid), self._order)
        self._formations: dict[int, FormationRun] = {}
        self._fleet, self._period, self._simulator = setup.fleet, scenario.control.period, scenario.simulator
        self._perception = PerceptionStage(setup.fleet, self.squads, scenario.seed)
        self._knowledge = Knowledge(setup, self.squads, self.mission.flocks, setup.grid)
        self._motion = MotionStage(len(setup.fleet), scenario.simulator)
        self._estimator = StateEstimator(setup.fleet, scenario.control.period)
        self._motion.presume(self._estimator)
        self._kept: list[int] = []

    def tick(self, observed: Observation, external: ExternalRequest | None = None) -> Decision:
        """Decide what the robots do until the next tick, a ``period`` later; ``external``: what somebody else wants of them."""
        self.controls = controls = self.mission.controls(self.controls, observed.state.time)
        keeping = self.keeping
        heard, measured = observed.own() if keeping else (observed.state, observed.measured)
        state = self._estimator(heard, measured, controls.common.estimation, smoothed_noise(controls.common, self._simulator))
        away = absent(controls, self._fleet.names)
        heard, state = without(heard, away), without(state, away)
        orders = self.mission.update(heard, controls, self._progress(keeping), away)
        self.board.update(self.news(heard))
        for number in set(keeping) - set(self._kept):
            self.formation(number).catch_up(orders.of[number].goal_index)
        self._kept = keeping
        for number in keeping:
            self.formation(number).go_to(self.mission.directors[number].sent)
        laws = {number: self._law(number, observed) for number in keeping}
        made = tick(state, self._knowledge.parts(orders, controls, laws), self._perceive, self._motion, external)
        for number in keeping:
            self.formation(number).note_commands(made)
        self._estimator.note_commands(state.time, made.commands.twist)
        return Decision(orders, made)

    def news(self, state: SwarmState) -> SwarmNews:
        """How the swarm, in this ``state``, and its formations stand, for the :attr:`board`."""
        return SwarmNews(state, self.controls, {number: self.formation(number).news() for number in self.keeping})

    def _order(self, changes: dict[str, Any]) -> None:
        """What a task has changed: dotted name → value."""
        terms = self._scenario, self._fleet, self.squads, self.mission.flocks
        self.controls, _ = set_by_task(changes, self.controls, *terms)

    def _perceive(self, state: SwarmState) -> Neighbourhoods:
        return self._perception(state, self.controls, self._knowledge.grid)

    @property
    def keeping(self) -> list[int]:
        """Flocks (numbers) that keep a formation now."""
        return in_formation(self.mission.flocks, self.controls)

    def formation(self, flock: int) -> "FormationRun":
        """How a flock (its number) keeps its formation. Made when first asked for: few swarms keep one, and it loads slowly."""
        if flock not in self._formations:
            from swarm_control.runtime.crossing_ways import share
            from swarm_control.runtime.formation import FormationRun

            plant = self._simulator
            terms = self._period, plant.onboard, plant.noise_position, plant.agrees
            self._formations[flock] = FormationRun(self._fleet, self.mission.flocks[flock], *terms)
            if not plant.onboard:
                share([run.controllers[0] for run in self._formations.values()])
        return self._formations[flock]

    def _law(self, flock: int, observed: Observation) -> FormationLaw:
        """How a flock keeps its formation; all its squads obey the one step that it makes in a tick."""
        names = [self._fleet.names[robot] for robot in self.mission.flocks[flock].robots]
        formation = formation_of(self.controls, self.mission.flocks[flock].name, names)
        filter = planned_filter(self.controls, self.mission.flocks[flock].name, self._simulator, self._fleet)
        law = self.formation(flock).law(observed, formation, self._knowledge.map(self.mission.flocks[flock].squads[0]), filter)
        made: list[Array] = []

        def once(state: SwarmState, deviation: Array) -> Array:
            if not made:
                made.append(law(state, deviation))
            return made[0]

        return once

    def finished(self, state: SwarmState) -> Mission:
        """The mission as it stands if the swarm is in this ``state`` in the end; this one goes on unchanged."""
        mission = copy.deepcopy(self.mission)
        away = absent(self.controls, self._fleet.names)
        mission.update(without(state, away), self.controls, self._progress(self.keeping), away)
        return mission

    def _progress(self, keeping: list[int]) -> dict[int, tuple[int, int, int]]:
        """Of the flocks in formation: how far they have come."""
        found = {k: self.formation(k).progress(self.controls.of(self.mission.flocks[k].name)) for k in keeping}
        late = [k for k in found if (sent := self.mission.directors[k].sent) is not None and sent[0] != self.formation(k).sent]
        return found | dict.fromkeys(late, (0, 1, 0))

    def formation_errors(self, truth: SwarmState) -> dict[str, float]:
        """The true formation error (m) of each flock that keeps a structure now, by the flock's name."""
        found = {self.mission.flocks[k].name: self.formation(k).error(truth) for k in self.keeping}
        return {name: error for name, error in found.items() if error is not None}

    def formation_error(self, errors: Mapping[str, float]) -> float | None:
        """The mean of the flocks' errors (m) over all their robots; None where there is none."""
        known = [(len(flock.robots), errors[flock.name]) for flock in self.mission.flocks if flock.name in errors]
        return known[0][1] if len(known) == 1 else sum(n * e for n, e in known) / sum(n for n, _ in known) if known else None
