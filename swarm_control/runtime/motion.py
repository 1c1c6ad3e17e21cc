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
    Robots whose odometry is missing are told to stand. The others take them to stand where they were last heard: they must not be run into.
    Tell it with :meth:`hear` what is heard, before anything is estimated from it.
    """

    def __init__(self, robots: int, noise: float = 0.0) -> None:
        self._noise = noise
        self._back_off = BackOff(robots)
        self._pose, self._seen = np.zeros((robots, 3)), np.zeros(robots, bool)

    def __call__(
        self, state: SwarmState, acceleration: Array, around: Surroundings, control: Control, formation: FormationLaw | None = None
    ) -> tuple[Commands, BoolArray]:  # fmt: skip
        """Commands (N), and where filter or fence acted (N,)."""
        if control.separation_filter.noise < self._noise:
            control = replace(control, separation_filter=replace(control.separation_filter, noise=self._noise))
        if formation is None:
            acceleration = self._back_off(state, acceleration, around.fleet)
        presumed = self.presumed(state)
        if presumed is state:
            return move(state, acceleration, around, control, formation)
        law = None if formation is None else _on(state, formation)
        commands, intervened = move(presumed, acceleration, around, control, law)
        fenced = None if commands.fenced is None else commands.fenced & state.valid
        return Commands(np.where(state.valid[:, None], commands.twist, 0.0), fenced), intervened & state.valid

    def hear(self, state: SwarmState) -> None:
        """Take note of where robots were heard."""
        self._pose = np.where(state.valid[:, None], state.pose, self._pose)
        self._seen |= state.valid

    def presumed(self, state: SwarmState) -> SwarmState:
        """The state in which robots that have fallen silent stand where they were last heard; those never heard are nowhere."""
        if state.complete:
            return state
        pose = np.where(state.valid[:, None], state.pose, self._pose)
        return SwarmState.of(state.time, pose, np.where(state.valid[:, None], state.velocity, 0.0), self._seen, state.fallen)


def _on(state: SwarmState, formation: FormationLaw) -> FormationLaw:
    """The formation's law on what is really heard: it knows of silence by itself."""
    return lambda presumed, deviation: formation(state, deviation)
