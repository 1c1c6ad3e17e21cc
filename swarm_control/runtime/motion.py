"""The motion stage: commands from accelerations or formations, with robots that have fallen silent in the way of the others."""

import math
from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.pipeline import FormationLaw
from swarm_control.core.state import Commands, Surroundings, SwarmState
from swarm_control.core.state_estimator import StateEstimator
from swarm_control.runtime.back_off import BackOff
from swarm_control.safety.command import move
from swarm_control.safety.separation_filter import SIGMAS, SeparationFilter
from swarm_control.scenario.safeguards import wary_filter
from swarm_control.scenario.schema import Control, Simulator


class MotionStage:
    """Makes commands for N robots; see :class:`~swarm_control.core.pipeline.MotionStep`.

    ``simulator``: how odometry and commands are spoilt, for which the separation filter keeps room; None: as its parameters say.
    Robots whose odometry is missing are told to stand. The others take them to be where they are presumed to be (:meth:`presume`): they
    must not be run into. While somebody has never been heard the others wait, for ``safety.start_timeout`` at most; where robots hear only
    those within ``simulator.radio_range``, for ``safety.odometry_timeout``.
    """

    def __init__(self, robots: int, simulator: Simulator | None = None) -> None:
        self._simulator = simulator
        self._back_off = BackOff(robots)
        self._estimator: StateEstimator | None = None
        self._begun = np.inf

    def __call__(
        self, state: SwarmState, acceleration: Array, around: Surroundings, control: Control, formation: FormationLaw | None = None
    ) -> tuple[Commands, BoolArray]:  # fmt: skip
        """Commands (N), and where filter or fence acted (N,)."""
        wary = control.separation_filter if self._simulator is None else wary_filter(control, self._simulator)
        if wary is not control.separation_filter:
            control = replace(control, separation_filter=wary)
        doubt = None if self._estimator is None else _doubt(self._estimator, control.separation_filter)
        if formation is None:
            acceleration = self._back_off(state, acceleration, around.fleet)
        if state.complete:
            return move(state if doubt is None else replace(state, doubt=doubt), acceleration, around, control, formation)
        presumed = state if self._estimator is None or self._estimator.presumed is None else self._estimator.presumed
        presumed = presumed if doubt is None else replace(presumed, doubt=doubt)
        law = None if formation is None else _on(state, formation)
        commands, intervened = move(presumed, acceleration, around, control, law)
        fenced = None if commands.fenced is None else commands.fenced & state.valid
        self._begun = min(self._begun, state.time if state.valid.any() else np.inf)
        near_only = self._simulator is not None and self._simulator.radio_range > 0.0
        patience = control.safety.odometry_timeout if near_only else control.safety.start_timeout
        waits = not presumed.complete and state.time - self._begun < patience
        held = waits & commands.twist.any(axis=1)
        obey = state.valid & ~held
        return Commands(np.where(obey[:, None], commands.twist, 0.0), fenced), (intervened | held) & state.valid

    def presume(self, estimator: StateEstimator) -> None:
        """Learn from the ``estimator`` where all that were ever heard are by now, and what is in doubt."""
        self._estimator = estimator


def _doubt(estimator: StateEstimator, params: SeparationFilter) -> Array | None:
    """What can be wrong with the estimate, None where nothing is in doubt; see :attr:`SwarmState.doubt`."""
    exact, said = params.latency == params.noise_velocity == params.noise_heading == 0.0, estimator.deviation
    if not params.enabled or (exact and estimator.left is None and said is None):
        return None
    heading = math.radians(params.noise_heading)
    position, heading = (params.noise, heading) if said is None else np.maximum((params.noise, heading), said).T
    off = estimator.doubt(params.latency, SIGMAS * params.noise_velocity, SIGMAS * heading)
    left = np.ones(len(off)) if estimator.left is None else estimator.left
    return np.column_stack((off, position * left, np.broadcast_to(heading, len(off))))


def _on(state: SwarmState, formation: FormationLaw) -> FormationLaw:
    """The formation's law on what is really heard: it knows of silence by itself."""
    return lambda presumed, deviation: formation(state, deviation)
