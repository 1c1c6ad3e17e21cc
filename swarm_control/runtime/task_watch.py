"""How long what tasks wait for has been so: robots in their places, at rest, or getting nowhere."""

from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import SwarmState
from swarm_control.runtime.task_orders import FormationNews

SETTLED = 1.0
"""A formation that has kept its places for so long (s) since its nodes know the new ones has taken them."""

CLOSE, LINGERED = 0.05, 20.0
"""So has one whose robots have been within so much (m) of them, on average, for so long (s): on the move, and where poses are not exact, it
never rests."""

WAY, LONG = 0.1, 30.0
"""Of robots none of which has got so far (m) for so long (s) a task says that they get nowhere; they may be waiting for one that failed."""

STANDS, RESTED = 0.05, 0.5
"""Robots of a flock that is held stand when none has been faster (m/s) for so long (s)."""

STOPPED, NOWHERE = "the swarm is stopped", f"its robots have got nowhere for {LONG:g} s"
"""What a running task says while it is so."""


class TaskWatch:
    """Watches the robots of running tasks, by the tasks' names."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self._places: dict[str, tuple[Array, float]] = {}

    def lasts(self, what: str, true: bool, time: float, long: float) -> bool:
        """Whether something has been ``true`` for so ``long`` (s)."""
        self._since[what] = self._since.get(what, time) if true else time
        return true and time - self._since[what] >= long

    def formed(self, id: str, formation: FormationNews | None, settled: bool, time: float) -> bool:
        """Whether a formation, whose nodes have ``settled`` on the parameters that task ``id`` has set, has taken its places."""
        if formation is None or formation.problem:
            settled = False
        rests = self.lasts(id, settled and formation is not None and formation.rest, time, SETTLED)
        return self.lasts(f"{id} about", settled and formation is not None and formation.error <= CLOSE, time, LINGERED) or rests

    def stands(self, id: str, state: SwarmState) -> bool:
        """Whether the robots of a flock that is held have come to rest; where velocities are noisy, whether they stay where they are."""
        speed = norm(state.velocity[:, :2])[state.valid]
        rest = self.lasts(id, bool(len(speed) and speed.max() <= STANDS), state.time, RESTED)
        _, since = self._places.get(id, (None, state.time))
        return rest or (len(speed) > 0 and state.time - since >= LINGERED)

    def trouble(self, id: str, state: SwarmState, stopped: bool) -> str:
        """Why a task that is running may take long; empty: nothing is known."""
        before, since = self._places.get(id, (state.position, state.time))
        if stopped or norm(state.position - before).max(initial=0.0) > WAY or since > state.time:
            before, since = state.position, state.time
        self._places[id] = before, since
        return STOPPED if stopped else NOWHERE if state.time - since > LONG else ""

    def forget(self, id: str) -> None:
        """The task is over."""
        self._places.pop(id, None)
        for what in ("", " about", " without a way"):
            self._since.pop(f"{id}{what}", None)
