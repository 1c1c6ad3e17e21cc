"""One tick of the whole swarm, as the data flows: odometry → perception → behaviours → accumulation → motion model → cmd_vel.

The nodes run the same four steps in processes of their own; :func:`tick` runs them in a row for ``swarm simulate``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from swarm_control.core.accumulation import Accumulation, accumulate
from swarm_control.core.behaviours import BEHAVIOURS, active
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.motion.barrier import Barrier
from swarm_control.core.motion.command import command, restrain
from swarm_control.core.motion.drive import drive
from swarm_control.core.motion.limits import Motion
from swarm_control.core.motion.safety import Safety
from swarm_control.core.perception import Perception, perceive
from swarm_control.core.state import Accumulated, Commands, Neighbourhoods, Requests, Surroundings, SwarmState


class Control(Protocol):
    """The parameters of a tick: what a scenario's ``control`` tree provides, plus one attribute per behaviour."""

    @property
    def perception(self) -> Perception: ...  # noqa: D102
    @property
    def accumulation(self) -> Accumulation: ...  # noqa: D102
    @property
    def motion(self) -> Motion: ...  # noqa: D102
    @property
    def separation_filter(self) -> Barrier: ...  # noqa: D102
    @property
    def safety(self) -> Safety: ...  # noqa: D102
    @property
    def period(self) -> float: ...  # noqa: D102


@dataclass(frozen=True)
class Tick:
    """Everything that one tick made, for plots, arrows and tuning. ``intervened`` (N,): where filter or fence acted."""

    seen: Neighbourhoods
    requests: Requests
    accumulated: Accumulated
    commands: Commands
    intervened: BoolArray


Formation = Callable[[SwarmState, Array], Array]
"""From the odometry, and accelerations (N, 2) m/s² to deviate by, to twists (N, 3) that keep a formation, robots' frames."""


def tick(
    state: SwarmState, around: Surroundings, control: Control, rng: np.random.Generator, formation: Formation | None = None,
    past: SwarmState | None = None,
) -> Tick:  # fmt: skip
    """From the swarm's odometry to its velocity commands; in a ``formation`` these come from it, and behaviours are deviations.

    ``past``: how robots see the others when ``perception.delay`` is not zero, see :class:`~swarm_control.core.perception.Memory`.
    """
    grid = None if around.map is None else around.map.grid
    seen = perceive(state, control.perception, rng, around.fleet.radius, past, grid)
    requests = request(state, seen, around, control)
    accumulated = accumulate(requests, around.fleet.max_acceleration, control.accumulation)
    acceleration = drive(state, accumulated.total, around.fleet, control.motion, control.period, around.society)
    commands, intervened = move(state, acceleration, around, control, formation)
    return Tick(seen, requests, accumulated, commands, intervened)


def move(
    state: SwarmState, acceleration: Array, around: Surroundings, control: Control, formation: Formation | None
) -> tuple[Commands, BoolArray]:  # fmt: skip
    """The motion step: obey the accelerations, or the formation that deviates by them; and where filter or fence acted."""
    limits = (around.fleet, around.map, control.motion, control.separation_filter, control.period, control.safety)
    if formation is None:
        return command(state, acceleration, *limits)
    return restrain(state, formation(state, acceleration), *limits)


def request(state: SwarmState, seen: Neighbourhoods, around: Surroundings, control: Control) -> Requests:
    """Ask every behaviour that has a weight what it wants; leading robots and those without valid odometry want nothing."""
    names = active(control)
    wanted = np.empty((len(names), len(state), 2))
    for k, name in enumerate(names):
        params = getattr(control, name)
        np.multiply(BEHAVIOURS[name].request(state, seen, around, params), params.weight, out=wanted[k])
    if not state.complete:
        wanted[:, ~state.valid] = 0.0
    if around.society is not None:
        wanted[:, around.society.leads] = 0.0
    return Requests(names, wanted)
