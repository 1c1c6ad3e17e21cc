"""A formation in a headless run: kept by one process for all robots, or by each robot for itself."""

from functools import partial

import numpy as np

from swarm_control.core.formation.fit import Fit, Fitted, fit
from swarm_control.core.formation.structure import Structure, members
from swarm_control.core.geometry import Array, norm
from swarm_control.core.pipeline import Formation, Tick
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.scenario.schema import Control, Scenario
from swarm_control.sim.keepers import Keepers
from swarm_control.sim.odometry import Odometry

SQUARED = Fit()


class FormationRun:
    """The minds of a run that keep the formation: one, or with ``simulator.onboard`` one per robot, each on odometry that it hears itself.

    ``keepers[0]`` stands for all where one answer is wanted.
    """

    def __init__(self, scenario: Scenario, fleet: Fleet) -> None:
        control, simulator = scenario.control, scenario.simulator
        minds: list[int | None] = list(range(len(fleet))) if simulator.onboard else [None]
        self._fleet = fleet
        self.keepers = [Keepers(fleet, scenario.goals, control.period, own) for own in minds]
        # the robots' noise is the same for all who hear it, the losses are each listener's own
        self._ears = [
            Odometry(
                simulator, control.period, control.safety.odometry_timeout, np.random.default_rng([scenario.seed, 3]), exact=True, own=own,
                losses=np.random.default_rng([scenario.seed, 4, own]),
            )
            for own in minds if own is not None
        ]  # fmt: skip
        self._heard: list[SwarmState] = []

    def keep(self, truth: SwarmState, measured: Array | None, control: Control, map: Map | None) -> Formation:
        """How the tick keeps the formation; ``measured`` (N,) s when what the tick hears was measured, None: now."""
        if not self._ears:
            return partial(self._hosted, stamps(measured, truth), control, map)
        self._heard = [ear.observe(truth) for ear in self._ears]
        when = [stamps(ear.measured, truth) for ear in self._ears]
        return partial(self._onboard, self._heard, when, control, map)

    def own(self, state: SwarmState) -> SwarmState:
        """``state`` with each onboard robot as it hears itself: it does not stop because somebody else has lost sight of it."""
        if not self._heard:
            return state
        pose, velocity, valid = (
            np.array([values[k] for k, values in enumerate(rows)])
            for rows in zip(*((heard.pose, heard.velocity, heard.valid) for heard in self._heard))
        )  # fmt: skip
        return SwarmState.of(state.time, pose, velocity, valid)

    def told(self, made: Tick) -> None:
        """What became of the twists in the filter; onboard each robot knows it of itself alone."""
        if not made.intervened.any():
            return
        for own, keeper in enumerate(self.keepers):
            if not self._ears:
                keeper.told(made.commands.twist)
            elif keeper.last is not None:
                keeper.told(np.where((np.arange(len(self._fleet)) == own)[:, None], made.commands.twist, keeper.last.command))

    def progress(self, control: Control) -> tuple[int, int, int]:
        """Goals that are behind all keepers, how many there are, all rounds together, and how many had to be given up."""
        missed = max(keeper.agenda.missed for keeper in self.keepers)
        return min(keeper.visits for keeper in self.keepers), self.keepers[0].total(control.formation), missed

    @property
    def structure(self) -> Structure | None:
        """The structure as it is now kept, its first part if it has split; None before it is imposed."""
        return next(iter(self.keepers[0].structures), None)

    def fits(self, truth: SwarmState) -> list[Fitted]:
        """Where the parts of the structure truly are, and how far each of their robots truly is from its point."""
        return [
            fit(part.points, truth.position[members(part.names, self._fleet.names)], np.ones(len(part)), part.pose, SQUARED)
            for part in self.keepers[0].structures
        ]  # fmt: skip

    def fitted(self, truth: SwarmState) -> Fitted | None:
        """The same of the first part alone; None before there is one."""
        return next(iter(self.fits(truth)), None)

    def error(self, truth: SwarmState) -> float | None:
        """The true formation error (m): mean distance of the robots from the structures fitted to their true positions."""
        found = self.fits(truth)
        return float(np.concatenate([fitted.distance for fitted in found]).mean()) if found else None

    def spread(self) -> float:
        """How far apart (m), at most, any two keepers believe the same robot's point to be; NaN when not about the same robots."""
        believed = [
            {name: point for part in keeper.structures for name, point in zip(part.names, part.world)} for keeper in self.keepers
        ]  # fmt: skip
        known = [points for points in believed if points]
        if not known or any(points.keys() != known[0].keys() for points in known):
            return float("nan")
        points = np.array([[one[name] for name in known[0]] for one in known])
        return float(norm(points[:, None] - points[None]).max())

    def _hosted(self, stamp: Array, control: Control, map: Map | None, state: SwarmState, deviation: Array) -> Array:
        made = self.keepers[0].step(state, stamp, control.formation, deviation, map)
        return np.zeros((len(self._fleet), 3)) if made is None else made.command

    def _onboard(
        self, heard: list[SwarmState], when: list[Array], control: Control, map: Map | None, state: SwarmState, deviation: Array
    ) -> Array:  # fmt: skip
        twist = np.zeros((len(self._fleet), 3))
        for k, keeper in enumerate(self.keepers):
            made = keeper.step(heard[k], when[k], control.formation, deviation, map)
            if made is not None:
                twist[k] = made.command[k]
        return twist


def stamps(measured: Array | None, state: SwarmState) -> Array:
    """When each robot's pose was measured (N,) s; −∞ for those never heard; ``measured`` None: nothing is ever late."""
    return np.where(state.valid, state.time, -np.inf) if measured is None else measured
