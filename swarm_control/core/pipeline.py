"""One tick of the whole swarm, as the data flows: odometry → estimation → perception → behaviours → accumulation → motion model → cmd_vel.

The nodes run the same steps in processes of their own; :func:`tick` runs them in a row for ``swarm simulate`` and the library. Before it,
``core/state_estimator.py`` makes the state from what was heard (``runtime/observation.py``); after it, ``sim/`` or a robot's driver
moves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from swarm_control.core.accumulation import Accumulation, accumulate
from swarm_control.core.behaviour import BEHAVIOURS, active
from swarm_control.core.checked import rows, tell, unfit
from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.merge import merge_accumulated, merge_requests, merge_rows
from swarm_control.core.motion import Motion, drive
from swarm_control.core.perception import Perception
from swarm_control.core.state import ALONE, HELD, Accumulated, Commands, Neighbourhoods, Requests, Surroundings, SwarmState


class TickParameters(Protocol):
    """The parameters of a tick: what a scenario's ``control`` tree provides, plus one attribute per behaviour."""

    @property
    def perception(self) -> Perception: ...  # noqa: D102
    @property
    def accumulation(self) -> Accumulation: ...  # noqa: D102
    @property
    def motion(self) -> Motion: ...  # noqa: D102
    @property
    def separation_filter(self) -> Any: ...  # noqa: D102
    @property
    def safety(self) -> Any: ...  # noqa: D102
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


BRISK = 2.0
"""Stragglers that go alone to their flock's goal take up their velocity at this rate (1/s) at least: slower ones swing past narrow ways."""


FormationLaw = Callable[[SwarmState, Array], Array]
"""From the odometry, and accelerations (N, 2) m/s² to deviate by, to twists (N, 3) that keep a formation, robots' frames."""


@dataclass(frozen=True)
class Part:
    """A squad in a tick: its ``robots`` (indices), its parameters, what it knows besides its neighbours, and the formation it keeps."""

    robots: IntArray
    control: TickParameters
    around: Surroundings
    formation: FormationLaw | None = None


PerceptionStep = Callable[[SwarmState], Neighbourhoods]
"""From the odometry to whom each robot perceives, with delays, losses and noise: ``runtime/stages.py``."""


class MotionStep(Protocol):
    """The last steps, from accelerations (N, 2) m/s², world frame, to commands: motion model, separation filter, cap, fence, limits.

    Robots that keep a ``formation`` obey it and deviate by the accelerations. Also returned: where (N,) filter or fence acted.
    :func:`swarm_control.safety.command.move`; ``runtime/motion.py`` adds robots that have fallen silent.
    """

    def __call__(  # noqa: D102
        self, state: SwarmState, acceleration: Array, around: Surroundings, control: Any, formation: FormationLaw | None
    ) -> tuple[Commands, BoolArray]: ...


class ExternalStep(Protocol):
    """What somebody else wants: ``added`` to what behaviours request, or in place of it. See ``runtime/external_request.py``."""

    @property
    def added(self) -> bool: ...  # noqa: D102
    def acceleration(self, state: SwarmState, parts: Sequence[Part]) -> Array: ...  # noqa: D102


def tick(
    state: SwarmState, parts: Sequence[Part], perceive: PerceptionStep, move: MotionStep, external: ExternalStep | None = None
) -> Tick:  # fmt: skip
    """From the swarm's odometry to its velocity commands, each squad by its own parameters: ``parts`` hold every robot once."""
    seen = perceive(state)
    asked = parts if external is None or external.added else ()
    requests, accumulated, acceleration = desired_accelerations(state, seen, asked)
    if external is not None:
        acceleration = acceleration + external.acceleration(state, parts)
    commands, intervened = commanded(state, acceleration, parts, move)
    state.seen.clear()  # it takes room, and states may be kept for long
    return Tick(seen, requests, accumulated, commands, intervened)


def desired_accelerations(
    state: SwarmState, seen: Neighbourhoods, parts: Sequence[Part]
) -> tuple[Requests, Accumulated, Array]:  # fmt: skip
    """What behaviours request, what each is granted, and the acceleration (N, 2) m/s², world frame, that robots want to have."""
    if not parts:
        nothing = np.zeros((len(state), 2))
        return Requests((), np.empty((0, *nothing.shape))), Accumulated((), nothing, np.empty((0, *nothing.shape))), nothing
    requests, accumulated, acceleration = zip(*(_desired(state, seen, part.around, part.control) for part in parts))
    return merge_requests(requests, parts), merge_accumulated(accumulated, parts), merge_rows(acceleration, parts)


def commanded(state: SwarmState, acceleration: Array, parts: Sequence[Part], move: MotionStep) -> tuple[Commands, BoolArray]:
    """The commands of all squads, and where (N,) filter or fence acted."""
    made = [move(state, acceleration, part.around, part.control, part.formation) for part in parts]
    twist = merge_rows([commands.twist for commands, _ in made], parts)
    fenced = merge_rows([np.zeros(len(state), bool) if one.fenced is None else one.fenced for one, _ in made], parts)
    return Commands(twist, fenced), merge_rows([intervened for _, intervened in made], parts)


def _desired(
    state: SwarmState, seen: Neighbourhoods, around: Surroundings, control: TickParameters
) -> tuple[Requests, Accumulated, Array]:  # fmt: skip
    """Behaviours → accumulation → desired acceleration, for one squad."""
    requests = request(state, seen, around, control)
    accumulated = accumulate(requests, around.fleet.max_acceleration, control.accumulation)
    if unfit(accumulated.total, state.valid) is not None:
        requests = _finite(requests)
        accumulated = accumulate(requests, around.fleet.max_acceleration, control.accumulation)
    held = _held(around)
    acceleration = drive(state, accumulated.total, around.fleet, control.motion, control.period, around.society, held)
    return requests, accumulated, acceleration


def _held(around: Surroundings) -> BoolArray | None:
    """Which robots (N,) are to stand; None: nobody."""
    held = None if around.lag is None else around.lag == HELD
    return held if held is not None and held.any() else None


def _finite(requests: Requests) -> Requests:
    """The requests with zeros where a behaviour's is not finite, which is told."""
    good = np.asarray(np.isfinite(requests.acceleration).all(axis=2, keepdims=True))
    for name, fine in zip(requests.names, good):
        if not fine.all():
            tell(f"behaviour {name}", "a request")
    return Requests(requests.names, np.where(good, requests.acceleration, 0.0))


def request(state: SwarmState, seen: Neighbourhoods, around: Surroundings, control: TickParameters) -> Requests:
    """Ask every behaviour that has a weight what it wants; leading robots, held ones and those without valid odometry want nothing.

    Where a behaviour attends to the robot's group, stragglers that go alone see none of it, and nobody of it sees them. What leads them to
    their flock's goal counts as :data:`BRISK` says.
    """
    names = active(control)
    wanted = np.empty((len(names), len(state), 2))
    limited = bool(control.perception.changed)
    around = around if around.limited == limited else replace(around, limited=limited)
    own = seen if around.squad is None else seen.keep(around.squad[seen.owner] == around.squad[seen.index])
    alone = None if around.lag is None or not (around.lag == ALONE).any() else around.lag == ALONE
    if alone is not None:
        own = own.keep(~alone[own.owner] & ~alone[own.index])
    led = alone if np.isfinite(around.target).all() else None
    for k, name in enumerate(names):
        params, behaviour = getattr(control, name), BEHAVIOURS[name]
        attended = seen if behaviour.attends == "everyone" else own
        wish = rows(behaviour.request(state, attended, around, params), len(state), 2, f"behaviour {name}", "its request")
        np.multiply(wish, params.weight, out=wanted[k])
        if alone is not None and behaviour.keeps_off_walls and control.separation_filter.enabled:
            wanted[k, alone] = 0.0
        if led is not None and behaviour.heeds_goals and 0.0 < (rate := params.weight * control.accumulation.gain) < BRISK:
            wanted[k, led] *= BRISK / rate
    if not state.complete:
        wanted[:, ~state.valid] = 0.0
    if around.society is not None:
        wanted[:, around.society.leads] = 0.0
    if (held := _held(around)) is not None:
        wanted[:, held] = 0.0
    return Requests(names, wanted)
