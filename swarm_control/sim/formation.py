"""A formation in a headless run: kept by one process for all robots, or by each robot for itself."""

from functools import partial

import numpy as np

from swarm_control.core.formation.fit import Fit, Fitted, fit
from swarm_control.core.formation.structure import Structure, members, place
from swarm_control.core.geometry import Array, norm
from swarm_control.core.pipeline import Formation, Tick
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.scenario.schema import Control, Scenario
from swarm_control.sim.keeper import Keeper
from swarm_control.sim.odometry import Odometry

SQUARED = Fit()


class FormationRun:
    """The keepers of a run: one, or with ``simulator.onboard`` one per robot, each on odometry that it hears itself.

    ``keepers[0]`` stands for all where one answer is wanted.
    """

    def __init__(self, scenario: Scenario, fleet: Fleet) -> None:
        control, simulator = scenario.control, scenario.simulator
        minds: list[int | None] = list(range(len(fleet))) if simulator.onboard else [None]
        self._fleet = fleet
        self.keepers = [Keeper(fleet, scenario.goals, control.period, own) for own in minds]
        # the robots' noise is the same for all who hear it, the losses are each listener's own
        self._ears = [
            Odometry(
                simulator, control.period, control.safety.odometry_timeout, np.random.default_rng([scenario.seed, 3]), exact=True, own=own,
                losses=np.random.default_rng([scenario.seed, 4, own]),
            )
            for own in minds if own is not None
        ]  # fmt: skip

    def keep(self, truth: SwarmState, measured: Array | None, control: Control) -> Formation:
        """How the tick keeps the formation; ``measured`` (N,) s when what the tick hears was measured, None: now."""
        if not self._ears:
            return partial(self._hosted, stamps(measured, truth), control)
        heard = [ear.observe(truth) for ear in self._ears]
        when = [stamps(ear.measured, truth) for ear in self._ears]
        return partial(self._onboard, heard, when, control)

    def told(self, made: Tick) -> None:
        """What became of the twists in the filter."""
        if made.intervened.any():
            for keeper in self.keepers:
                keeper.told(made.commands.twist)

    def progress(self, control: Control) -> tuple[int, int]:
        """Goals that all keepers have reached, and how many there are, all rounds together."""
        return min(keeper.visits for keeper in self.keepers), self.keepers[0].total(control.formation)

    @property
    def structure(self) -> Structure | None:
        """The structure as it is now kept; None before it is imposed."""
        return self.keepers[0].structure

    def fitted(self, truth: SwarmState) -> Fitted | None:
        """Where the structure truly is, and how far each of its robots truly is from its point."""
        if self.structure is None:
            return None
        position = truth.position[members(self.structure.names, self._fleet.names)]
        return fit(self.structure.points, position, np.ones(len(position)), self.structure.pose, SQUARED)

    def error(self, truth: SwarmState) -> float | None:
        """The true formation error (m): mean distance of the robots from the structure fitted to their true positions."""
        found = self.fitted(truth)
        return None if found is None else found.error

    def spread(self) -> float:
        """How far apart (m), at most, any two keepers believe the same point of the structure to be."""
        known = [keeper.structure for keeper in self.keepers if keeper.structure is not None]
        if not known or any(len(s) != len(known[0]) for s in known):
            return float("nan")
        points = np.array([place(s.points, s.pose)[np.argsort(s.names)] for s in known])
        return float(norm(points[:, None] - points[None]).max())

    def _hosted(self, stamp: Array, control: Control, state: SwarmState, deviation: Array) -> Array:
        made = self.keepers[0].step(state, stamp, control.formation, deviation)
        return np.zeros((len(self._fleet), 3)) if made is None else made.command

    def _onboard(self, heard: list[SwarmState], when: list[Array], control: Control, state: SwarmState, deviation: Array) -> Array:
        twist = np.zeros((len(self._fleet), 3))
        for k, keeper in enumerate(self.keepers):
            made = keeper.step(heard[k], when[k], control.formation, deviation)
            if made is not None:
                twist[k] = made.command[k]
        return twist


def stamps(measured: Array | None, state: SwarmState) -> Array:
    """When each robot's pose was measured (N,) s; −∞ for those never heard; ``measured`` None: nothing is ever late."""
    return np.where(state.valid, state.time, -np.inf) if measured is None else measured
