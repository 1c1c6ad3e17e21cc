"""What a node that commands robots asks of the guard in its namespace, over and over: the permission to go on."""

import json
import time
from typing import Any

from std_msgs.msg import String

from swarm_control.ros.graph import topics
from swarm_control.ros.support.command_publishers import CommandPublishers
from swarm_control.ros.support.stop_state import StopState
from swarm_control.safety.lease import LeaseHolder
from swarm_control.safety.stop_record import StopRecord

ASK = 0.05
"""Time (s) between requests."""

REMIND = 20
"""Every so many requests the robots' topics are told again."""

SLOW = 3.0
"""A lease lasts for at least so many ticks of a node that is slow, and :data:`ASK` more."""

LATE, FORGOTTEN = 1.5, 0.98
"""It lasts so many times as long as it took, lately, until the same guard granted a new one: the greatest such time, times this for
each grant since."""

BUSY = 1.5
"""But no longer than so many times the watchdog, however busy the machine."""

LONGEST = 5.0
"""In no case does it last longer than this (s)."""


class Permit:
    """Whether the robots that get the ``commands`` may move. ``guarded``: the guard is asked; else only ``stops`` count."""

    def __init__(self, node: Any, stops: StopState, commands: CommandPublishers, guarded: bool) -> None:
        self._node, self._stops, self._commands, self._guarded = node, stops, commands, guarded
        self._holder = LeaseHolder(stops.source)
        self._asked, self._introduced = -float("inf"), False
        self._took = self._late = 0.0
        self._guard, self._number = "", -1
        if guarded:
            self._request = topics.publisher(node, topics.LEASE_REQUEST)
            topics.subscribe(node, topics.LEASE_GRANT, self._hear)

    @property
    def duration(self) -> float:
        """For how long (s) a lease is asked: ``safety.watchdog``, or more if ticks take longer or the machine is busy."""
        watchdog = self._node.control.safety.watchdog
        return float(min(max(watchdog, SLOW * self._took + ASK, min(LATE * self._late, BUSY * watchdog)), LONGEST))

    def took(self, seconds: float) -> None:
        """A tick has taken this long (s)."""
        self._took = max(seconds, 0.9 * self._took)

    @property
    def granted(self) -> bool:
        """Whether robots may be commanded at all; they may have to stand all the same, as :attr:`StopState.stopped` says."""
        if not self._guarded:
            return self._stops.known
        return time.monotonic() < self._holder.until

    def look(self) -> None:
        """Ask again if it is time; to be called often."""
        now = time.monotonic()
        if not self._guarded or now - self._asked < ASK:
            return
        self._asked, duration = now, self.duration
        beat, known = self._holder.ask(now, duration), self._stops.record.counts
        data = {"name": self._holder.name, "beat": beat, "duration": duration, "record": known}
        if not self._introduced or self._commands.changed or beat % REMIND == 0:  # a guard that stands by answers nothing
            names, frames = self._commands.told
            data |= {"topics": names, "frames": frames}
            self._number, self._commands.changed = len(names), False
        self._request.publish(String(data=json.dumps(data)))

    def _hear(self, message: String) -> None:
        data = json.loads(message.data)
        record = StopRecord.from_data(data["record"])
        self._stops.adopt(record)
        left = self._holder.until - time.monotonic()
        self._holder.hear(data["name"], int(data["beat"]), record)
        if data["name"] == self._holder.name:
            late, same, self._guard = self.duration - left, data["by"] == self._guard, data["by"]
            self._late = max(late if same and late < LONGEST else 0.0, FORGOTTEN * self._late)
            self._introduced = data["topics"] == self._number
