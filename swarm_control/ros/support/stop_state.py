"""The emergency stop among nodes: what each knows of it, told to all others, and when it may be said that it is done.

Nodes tell each other on the latched topic ``/swarm/stop_state`` (``std_msgs/String``, JSON) which stops they know, a ``StopRecord``, and
whether all robots that they answer for are held. They do so whenever that changes. ``/swarm/stopped`` (``std_msgs/UInt32``) tells the same
in short for people and programs that look on: odd is stopped, even is running, and of two the larger is the newer.

A node that has just started does not know yet. It learns from the run's folder, from the first node that does know, or from nobody for
:data:`PATIENCE`; until then its robots must not move.
"""

import json
import os
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.task import Future
from std_msgs.msg import Bool, String, UInt32
from std_srvs.srv import SetBool

from swarm_control.ros.graph import topics
from swarm_control.ros.support.session import Session
from swarm_control.ros.support.stop_word import Said
from swarm_control.safety.stop_record import StopRecord

PATIENCE = 5.0
"""How long (s, real time) a node waits to be told, before it concludes that it is the first one."""

ANSWER = 3.0
"""Longest time (s, real time) until whoever asked for a stop is told whether it holds. A guard that was killed is back by then."""

LOOK = 0.1
"""Time (s) between looks at what is waited for."""


class StopState:
    """What a node knows of stops. ``changed`` is called when the swarm is stopped, or let go.

    ``first``: the node knows from the start; it is the one that others wait for. ``guards``: nodes without whose word nothing is confirmed,
    which all others are told; those that say that they answer for robots must confirm it as well. ``relays``: such nodes that it has heard
    of before; who gives them, even none, tells others which ones the last node has named that knew any elsewhere: so who hears one guard
    knows of all. ``holds``: whether all robots that this node answers for are held; None: it answers for none. ``keep`` stores what is
    known, before anybody is told.
    """

    def __init__(
        self, node: Any, changed: Callable[[], None] | None = None, *, first: bool = False, guards: Sequence[str] = (),
        relays: Sequence[str] | None = None, holds: Callable[[], bool] | None = None, keep: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._node, self._changed, self._holds, self._keep = node, changed or (lambda: None), holds, keep
        self._name, self._own = node.place, tuple(sorted(guards))
        self.source = f"{self._name}.{os.getpid()}.{secrets.token_hex(4)}"
        self.others: dict[str, Said] = {}
        self._passes_on, self._relayed = relays is not None, tuple(sorted(relays or ()))
        self._listed = {self._name: frozenset((*guards, *self._relayed))}
        self.guards = {*guards, *self._relayed} - {self._name}
        self._waiting: list[tuple[float, StopRecord, Any]] = []
        self._deadline = time.monotonic() + PATIENCE
        known = remembered([*guards, *self._relayed, self._name])
        self.record, self._told = known or StopRecord(), first or known is not None
        if self.stopped:
            node.get_logger().warning(f"the swarm is stopped, as it was before this start: {', '.join(self._callers())}")
        self._publisher = topics.publisher(node, topics.STOP_STATE)
        self._number = topics.publisher(node, topics.STOPPED)
        self._last = ""
        topics.subscribe(node, topics.STOP_STATE, self._hear)
        node.every(LOOK, self.look)
        self.look()

    @property
    def known(self) -> bool:
        """Whether the node may go by :attr:`stopped`; until then its robots must not move."""
        if not self._told and time.monotonic() > self._deadline:
            self._told = True
        return self._told

    @property
    def stopped(self) -> bool:
        """Whether the swarm is stopped."""
        return self.record.stopped

    @property
    def word(self) -> str:
        """For the status: ``stopped``, ``running``, or ``waiting`` while the node does not know."""
        return "stopped" if self.stopped else "running" if self._told else "waiting"

    def stop(self) -> StopRecord:
        """Stop the swarm; what has to be confirmed."""
        self.adopt(self.record.stop(self.source))
        return self.record

    def release(self, seen: StopRecord | None = None) -> StopRecord:
        """Let go of the stops that somebody has ``seen``; None: of all that this node knows. What has to be confirmed."""
        self.adopt(self.record.release(self.record if seen is None else seen))
        return self.record

    def _callers(self) -> list[str]:
        """The nodes at which the stops that hold were asked for."""
        return sorted({source.split(".")[0] for source in self.record.holding()})

    def adopt(self, record: StopRecord) -> None:
        """Join ``record`` to what is known, and tell the others."""
        self._told, before, joined = True, self.stopped, self.record.join(record)
        if joined != self.record:
            self.record = joined
            self._keep()
        if self.stopped != before:
            by = f"asked for at {', '.join(self._callers())}" if self.stopped else "let go"
            self._node.get_logger().warning(f"the swarm is {'stopped' if self.stopped else 'running'}, {by}")
            self._changed()
        self.look()

    def missing(self, record: StopRecord) -> list[str]:
        """Nodes that have not yet confirmed ``record``: those that answer for robots, and if it is a stop, hold them."""
        if self._holds is None and not self.guards and not any(said.answers for said in self.others.values()):
            return ["anybody that commands robots"]
        own = [self._name] if self._holds is not None and record.stopped and not self._holds() else []
        found = [name for name, said in self.others.items() if said.answers and not said.confirms(record)]
        return sorted({*own, *found, *(name for name in self.guards if name not in self.others)})

    def look(self) -> None:
        """Tell what has changed, and answer those who wait."""
        if self.known:
            self._tell()
        now = time.monotonic()
        for item in list(self._waiting):
            deadline, record, future = item
            if now > deadline or not self.missing(record):
                self._waiting.remove(item)
                future.set_result(None)

    def _tell(self) -> None:
        held = self._holds is None or self._holds()
        text = Said(self.record, self._holds is not None, held, self._own, self._relayed).text(self._name)
        if text != self._last:
            self._last = text
            self._publisher.publish(String(data=text))
            self._number.publish(UInt32(data=self.record.number % (1 << 32)))

    def _hear(self, message: String) -> None:
        name, said = Said.parse(message.data)
        if name != self._name:
            self.others[name] = said
            self._list(name, said)
        self.adopt(said.record)

    def _list(self, name: str, said: Said) -> None:
        """Take note of the guards that somebody names."""
        space = name.rpartition("/")[0]
        changed = {name: frozenset((*said.guards, *said.relayed))}
        if self._passes_on and any(guard.rpartition("/")[0] != space for guard in said.guards):
            self._relayed = tuple(sorted(said.guards))
            changed[self._name] = frozenset((*self._own, *self._relayed))
        changed = {key: names for key, names in changed.items() if names != self._listed.get(key, frozenset())}
        if changed:
            self._listed.update(changed)
            self.guards = set().union(*self._listed.values()) - {self._name}
            self._keep()

    def serve(self, name: str = "stop") -> None:
        """Offer the service ``name``, and the topic of that name on which true stops the swarm. The answer comes when it is confirmed."""
        self._node.create_service(SetBool, name, self.answer)
        topics.subscribe(self._node, topics.STOP, self._hear_stop)

    def _hear_stop(self, message: Bool) -> None:
        if message.data:
            self.stop()

    async def answer(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """``/swarm/stop``: true stops everything at once and holds, false lets go of all stops that this node knows."""
        record = self.stop() if request.data else self.release()
        await self.wait(record)
        response.success, response.message = self.outcome(record, bool(request.data))
        return response

    def wait(self, record: StopRecord) -> Any:
        """A future that is done when ``record`` is confirmed, or when that has taken too long."""
        future: Any = Future()
        self._waiting.append((time.monotonic() + ANSWER, record, future))
        self.look()
        return future

    def outcome(self, record: StopRecord, stop: bool) -> tuple[bool, str]:
        """Whether what was asked for is done, and what to say."""
        missing = self.missing(record)
        if missing:
            return False, f"NOT CONFIRMED by {', '.join(missing[:8])}{' …' if len(missing) > 8 else ''}; it has been told to all that hear"
        if self.stopped == stop:
            return True, "stopped" if stop else "running"
        return False, "let go again by somebody" if stop else f"stopped again at {', '.join(self._callers())}"


def remembered(owners: Sequence[str]) -> StopRecord | None:
    """What guards of this run have stored; None: nothing."""
    texts = [text for owner in owners if (text := Session.mine().stored(owner)) is not None]
    found = StopRecord()
    for text in texts:
        found = found.join(StopRecord.from_data(json.loads(text)["record"]))
    return found if texts else None
