"""The motion stage: commands from accelerations or formations, with robots that have fallen silent in the way of the others."""

from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.pipeline import FormationLaw
from swarm_control.core.state import Commands, Surroundings, SwarmState
from swarm_control.runtime.back_off import BackOff
from swarm_control.safety.command import move
from swarm_control.scenario.schema import Control


class MotionStage:
    """Makes commands for N robots; see :class:`~swarm_control.core.pipeline.MotionStep`.

    ``noise`` (m): standard deviation of the positions that are heard, for which the separation filter keeps room.
    Robots whose odometry is missing are told to stand. The others take them to be where they are presumed to be (:meth:`presume`): they
    must not be run into. While somebody has never been heard the others wait, for ``safety.odometry_timeout`` at most.
    """

    def __init__(self, robots: int, noise: float = 0.0) -> None:
        self._noise = noise
        self._back_off = BackOff(robots)
        self._presumed: SwarmState | None = None
        self._begun = np.inf

    def __call__(
        self, state: SwarmState, acceleration: Array, around: Surroundings, control: Control, formation: FormationLaw | None = None
    ) -> tuple[Commands, BoolArray]:  # fmt: skip
        """Commands (N), and where filter or fence acted (N,)."""
        if control.separation_filter.noise < self._noise:
            control = replace(control, separation_filter=replace(control.separation_filter, noise=self._noise))
        if formation is None:
            acceleration = self._back_off(state, acceleration, around.fleet)
        if state.complete:
            return move(state, acceleration, around, control, formation)
        presumed = state if self._presumed is None else self._presumed
        law = None if formation is None else _on(state, formation)
        commands, intervened = move(presumed, acceleration, around, control, law)
        fenced = None if commands.fenced is None else commands.fenced & state.valid
        self._begun = min(self._begun, state.time if state.valid.any() else np.inf)
        waits = not presumed.complete and state.time - self._begun < control.safety.odometry_timeout
        held = waits & commands.twist.any(axis=1)
        obey = state.valid & ~held
        return Commands(np.where(obey[:, None], commands.twist, 0.0), fenced), (intervened | held) & state.valid

    def presume(self, state: SwarmState | None) -> None:
        """Take note of where all that were ever heard are by now, see :class:`~swarm_control.core.estimation.StateEstimator`."""
        self._presumed = state


def _on(state: SwarmState, formation: FormationLaw) -> FormationLaw:
    """The formation's law on what is really heard: it knows of silence by itself."""
    return lambda presumed, deviation: formation(state, deviation)
