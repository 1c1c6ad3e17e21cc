"""Permission to command robots, on lease: who commands asks again and again, and may go on only while the guard has answered lately.

The holder of a lease numbers its requests. The guard grants the newest with its number and with all the stops that it knows. What is
granted to the request sent at t permits commands until t + ``duration``, by the holder's own clock. The guard heard the request after t, so
it knows by its own clock when that has passed. However messages are lost, late, doubled or out of order, and whoever is restarted:

- a holder that has said that it knows a stop holds its robots, and
- one that has not been heard for its ``duration`` commands no longer.

The guard calls a stop held when each holder is in one of these two cases (Gray and Cheriton 1989, "Leases"). Clocks need not agree; they
must only run at the same pace.
"""

from dataclasses import dataclass, field

from swarm_control.safety.stop_record import StopRecord

MANY = 1000
"""Requests whose times the holder of a lease remembers."""


@dataclass
class LeaseHolder:
    """One who commands robots. ``name``: of this process alone, so that what was granted to a former one is known as such."""

    name: str
    record: StopRecord = field(default_factory=StopRecord)
    beat: int = 0
    until: float = float("-inf")
    _ends: dict[int, float] = field(default_factory=dict)

    def ask(self, now: float, duration: float) -> int:
        """The number of a request for ``duration`` (s) that is sent ``now`` (s)."""
        self.beat += 1
        self._ends[self.beat] = now + duration
        if len(self._ends) > MANY:
            del self._ends[next(iter(self._ends))]
        return self.beat

    def hear(self, name: str, beat: int, record: StopRecord) -> None:
        """Take what the guard grants to request ``beat`` of the holder ``name``."""
        self.record = self.record.join(record)
        if name == self.name and beat in self._ends:
            self.until = max(self.until, self._ends[beat])

    def may_move(self, now: float) -> bool:
        """Whether robots may be commanded to move ``now`` (s)."""
        return now < self.until and not self.record.stopped


@dataclass
class Lease:
    """What the guard knows of a holder: until when (s) it may command at the latest, and the stops that it knows."""

    until: float
    record: StopRecord


@dataclass
class LeaseGranter:
    """The guard's side: who has asked, and what stops there are. ``record`` must be stored before it is told to anybody.

    ``blind_until``: so long (s) there may be holders of leases that a former guard has granted.
    """

    blind_until: float
    record: StopRecord = field(default_factory=StopRecord)
    leases: dict[str, Lease] = field(default_factory=dict)

    def hear(self, name: str, record: StopRecord, duration: float, now: float) -> None:
        """Take a request for ``duration`` (s) of the holder ``name``, who knows ``record``."""
        self.record = self.record.join(record)
        before = self.leases.get(name, Lease(now, StopRecord()))
        self.leases = {other: lease for other, lease in self.leases.items() if now < lease.until}
        self.leases[name] = Lease(max(before.until, now + duration), before.record.join(record))

    def held(self, now: float) -> bool:
        """Whether a stop holds all robots: every holder knows it, or its lease has ended."""
        return self.record.stopped and now >= self.blind_until and not self.loose(now)

    def loose(self, now: float) -> list[str]:
        """Holders that may still command robots and have not said that they know all stops."""
        return [name for name, lease in self.leases.items() if now < lease.until and not lease.record.covers(self.record)]

    def silent(self, now: float, ahead: float = 0.0) -> bool:
        """Whether no lease lasts longer than ``ahead`` (s) from now."""
        return all(now + ahead >= lease.until for lease in self.leases.values())
