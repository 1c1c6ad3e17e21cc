"""A scenario as an environment on arrays, one row for each robot."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.analysis.rl.policy_input import ObservationLayout, PolicyInput, nearest
from swarm_control.analysis.rl.reward import Reward, Transition, progress_minus_contacts
from swarm_control.analysis.simulation import Simulation
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.state import SwarmState
from swarm_control.runtime.external_request import KINDS, ExternalRequest
from swarm_control.scenario.schema import Scenario

TOUCH = 1e-3
"""Gap (m) up to which two footprints touch."""

Step = tuple[NDArray[np.float32], Array, bool, bool, dict[str, Any]]


class ArrayEnv:
    """A scenario in which a policy moves the robots.

    ``scenario``, ``robots``, ``duration`` (s) and ``set`` as of :class:`~swarm_control.analysis.simulation.Simulation`. ``action``: a
    ``velocity`` (m/s) or an ``acceleration`` (m/s²) for each robot along the world's axes, at most its top value; it is taken in place of
    what the behaviours request, or ``added`` to it. Motion model, separation filter, fence and limits come after it. ``layout``: see
    :class:`~.policy_input.ObservationLayout`; ``reward``: from a step to (N,); ``hold``: control periods in a step.
    """

    def __init__(
        self, scenario: str | Path | Scenario = "migrate_boxes", *, robots: int | None = None, duration: float | None = None,
        set: Mapping[str, Any] | None = None, action: str = "velocity", added: bool = False,
        layout: ObservationLayout | None = None, reward: Reward = progress_minus_contacts, hold: int = 1,
    ) -> None:  # fmt: skip
        if action not in KINDS:
            raise ValueError(f"action {action!r} found, expected one of {', '.join(KINDS)}")
        self._scenario, self._set = scenario, {**(set or {})}
        self._robots, self._duration = robots, duration
        self._kind, self._added, self._reward, self._hold = action, added, reward, max(hold, 1)
        self.layout = layout or ObservationLayout()
        self._rng = np.random.default_rng()
        self._begin(None)
        fleet = self.simulation.setup.fleet
        self.limit: Array = fleet.max_speed if action == "velocity" else fleet.max_acceleration
        """Greatest value (N,) of each robot's action in x and in y."""

    def _begin(self, seed: int | None) -> None:
        self.simulation = Simulation(self._scenario, robots=self._robots, seed=seed, duration=self._duration, set=self._set)
        setup = self.simulation.setup
        self._input = PolicyInput(self.layout, setup.grid)
        self._goal = self._goals()
        self._end = self.simulation.scenario.duration - 0.5 * self.simulation.scenario.control.period

    @property
    def names(self) -> tuple[str, ...]:
        """The robots' names (N,)."""
        return self.simulation.setup.fleet.names

    @property
    def size(self) -> int:
        """Numbers in a robot's observation."""
        return self.layout.size(self._input.walls is not None)

    def reset(self, seed: int | None = None) -> NDArray[np.float32]:
        """Begin an episode: observations (N, D). A ``seed`` settles this episode and all that follow it."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._begin(int(self._rng.integers(2**31)))
        return self._input.observe(self.simulation.state, self._goal)

    def step(self, action: Array) -> Step:
        """Let the robots obey ``action`` (N, 2): observations (N, D), rewards (N,), whether all goals are reached, whether time is up.

        Last a mapping with ``collisions`` so far, ``arrived`` (N,) and ``touching`` (N,). An action that is not finite counts as zero.
        """
        simulation, before, goal = self.simulation, self.simulation.state, self._goal
        most = self.limit[:, None]
        taken = np.clip(np.nan_to_num(np.asarray(action, float), posinf=0.0, neginf=0.0), -most, most)
        request = ExternalRequest(taken, self._kind, self._added)
        for _ in range(self._hold):
            simulation.step(request)
        assert simulation.last is not None
        orders, after = simulation.last.orders, simulation.state
        self._goal = self._goals()
        progress = np.nan_to_num(_distance(before, goal) - _distance(after, goal))
        touching = self._touching(after)
        step = Transition(before, after, taken, progress, touching, orders.arrived, after.time - before.time)
        info = {"collisions": int(simulation.plant.collisions.sum()), "arrived": orders.arrived, "touching": touching}
        ended, late = simulation.done, not simulation.done and simulation.time >= self._end
        return self._input.observe(after, self._goal), self._reward(step), ended, late, info

    def render(self) -> NDArray[np.uint8]:
        """The scene from above as an RGB picture (H, W, 3)."""
        from swarm_control.analysis.rl.picture import picture

        return picture(self.simulation.setup, self.simulation.state, self._goal)

    def _goals(self) -> Array:
        """Where each robot is to go (N, 2) m: its own place, or else its flock's goal; NaN without goals."""
        goal = np.full((len(self.names), 2), np.nan)
        mission = self.simulation.controller.mission
        for flock, director in zip(mission.flocks, mission.directors):
            present = director.goals[director.index] if director.goals else None
            if present is not None and present.each:
                goal[flock.robots] = np.reshape(present.each, (-1, 2))
            elif present is not None:
                goal[flock.robots] = present.position
        return goal

    def _touching(self, state: SwarmState) -> BoolArray:
        """Who touches another robot or a wall."""
        radius = self.simulation.setup.fleet.radius
        near = nearest(state.position, min(6, len(state) - 1))
        offset = state.position[near] - state.position[:, None]
        gap = np.hypot(offset[..., 0], offset[..., 1]) - radius[:, None] - radius[near]
        return np.asarray((gap.min(axis=1, initial=np.inf) < TOUCH) | (self._input.clearance(state, radius) < TOUCH))


def _distance(state: SwarmState, goal: Array) -> Array:
    return np.hypot(*(goal - state.position).T)
