"""Who sees whom: within a radius and a field of view, not hidden, the nearest few, with delay, noise and loss.

Robot i perceives j when ‖x_j − x_i‖ ≤ r and |wrap(atan2(x_j − x_i) − θ_i)| ≤ FoV/2 (Adeola et al., §2.2) and, with ``occlusion``, nothing
is in between; of these the ``count`` nearest (Brogan & Hodgins, §3). A robot at the very same place has no bearing and is seen. Who has
fallen neither sees nor is seen.
"""

from collections import deque
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, norm
from swarm_control.core.grid import Grid
from swarm_control.core.parameters import param
from swarm_control.core.perception.look import border, look, look_around
from swarm_control.core.perception.sight import hidden
from swarm_control.core.state import Neighbourhoods, SwarmState

FEW = 32
"""Up to so many neighbours, comparing all of them with each other is the fastest way to the nearest."""

__all__ = ["DelayBuffer", "Perception", "border", "look", "look_around", "perceive"]


@dataclass(frozen=True)
class Perception:
    """Parameters of perception."""

    radius: float = param(1.5, "how far a robot sees others", unit="m", low=0.01, high=1000.0)
    field_of_view: float = param(360.0, "width of the view, centred on the heading", unit="deg", low=1.0, high=360.0)
    count: int = param(0, "how many of the nearest are attended to; 0 for all", low=0, high=1000)
    noise_position: float = param(0.0, "standard deviation of a seen neighbour's position", unit="m", low=0.0, high=10.0)
    noise_velocity: float = param(0.0, "standard deviation of a seen neighbour's velocity", unit="m/s", low=0.0, high=10.0)
    loss: float = param(0.0, "share of neighbours missed in each tick", low=0.0, high=1.0)
    occlusion: bool = param(False, "whether nearer robots, and walls, hide what is behind them")
    delay: float = param(0.0, "how old what a robot sees of the others is; itself it knows at once", unit="s", low=0.0, high=10.0)

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """Names of the parameters that differ from their defaults."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) != f.default)


class DelayBuffer:
    """Remembers the states that a swarm has been in for as long as somebody sees them late."""

    def __init__(self) -> None:
        self._states: deque[SwarmState] = deque()

    def recall(self, state: SwarmState, delay: float) -> SwarmState:
        """Return the newest state that is ``delay`` (s) old, or older, and note the present one; to be called once per tick.

        The first state stands for all before it. A state earlier than the last one begins a new run.
        """
        if delay <= 0.0 or (self._states and state.time < self._states[-1].time):
            self._states.clear()
        if delay <= 0.0:
            return state
        self._states.append(state)
        while len(self._states) > 1 and self._states[1].time <= state.time - delay + 1e-9:
            self._states.popleft()
        return self._states[0]


def perceive(
    state: SwarmState, params: Perception, rng: np.random.Generator, radius: Array | None = None, past: SwarmState | None = None,
    grid: Grid | None = None,
) -> Neighbourhoods:  # fmt: skip
    """Return whom each robot sees in ``state``; robots without valid odometry neither see nor are seen.

    ``radius`` (N,) m of the footprints and the map's ``grid`` are for occlusion alone. With a delay the swarm is seen as it was in
    ``past``, see :class:`DelayBuffer`: who sees whom is as it was then, and what a robot has moved itself since is allowed for. Raises
    ``ValueError`` where parameters ask for what is not given.
    """
    if (params.occlusion and radius is None) or (params.delay > 0.0 and past is None):
        raise ValueError("occlusion needs the robots' radius, delay their past state")
    then = _standing(state if past is None or params.delay == 0.0 else past)
    seen = look(then, params.radius, params.field_of_view)
    if params.occlusion and radius is not None:
        seen = seen.keep(~hidden(seen, then.pose, radius, grid))
    if then.time != state.time:
        seen = _since(seen, then, _standing(state))
    if params.loss > 0.0:
        seen = seen.keep(rng.random(len(seen.index)) >= params.loss)
    if params.count > 0:
        seen = seen.keep(_are_nearest(len(state), seen.start, seen.index, seen.distance, params.count))
    return _disturb(seen, params, rng)


def _standing(state: SwarmState) -> SwarmState:
    """The state without those who have fallen."""
    return state if state.fallen is None else replace(state, valid=state.valid & ~state.fallen)


def _since(seen: Neighbourhoods, then: SwarmState, now: SwarmState) -> Neighbourhoods:
    """What was seen ``then`` as it appears to robots that are ``now`` elsewhere and move otherwise."""
    seen = seen.keep(now.valid[seen.owner])
    offset = seen.offset - (now.position - then.position)[seen.owner]
    velocity = seen.velocity - (now.velocity - then.velocity)[seen.owner, :2]
    return Neighbourhoods(seen.start, seen.index, offset, velocity, norm(offset))


def _disturb(seen: Neighbourhoods, params: Perception, rng: np.random.Generator) -> Neighbourhoods:
    if params.noise_position == 0.0 and params.noise_velocity == 0.0:
        return seen
    offset = seen.offset + rng.normal(0.0, params.noise_position, seen.offset.shape)
    velocity = seen.velocity + rng.normal(0.0, params.noise_velocity, seen.velocity.shape)
    return Neighbourhoods(seen.start, seen.index, offset, velocity, np.hypot(offset[:, 0], offset[:, 1]))


def _are_nearest_loop(start, index, distance, count):  # type: ignore[no-untyped-def]
    """Which pairs are among the ``count`` nearest of their robot; ties go by index. In long rows only ties are compared pair by pair."""
    kept = np.empty(len(index), np.bool_)
    for i in prange(len(start) - 1):
        low, high = start[i], start[i + 1]
        cut = np.inf
        if high - low > max(count, FEW):
            cut = np.partition(distance[low:high], count - 1)[count - 1]
        for k in range(low, high):
            kept[k] = distance[k] < cut
            if distance[k] == cut or cut == np.inf:
                nearer = 0
                for m in range(low, high):
                    nearer += (distance[m] < distance[k]) | ((distance[m] == distance[k]) & (index[m] < index[k]))
                kept[k] = nearer < count
    return kept


_are_nearest = Kernel(_are_nearest_loop)
