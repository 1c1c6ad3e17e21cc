"""The emergency stop's memory, as nodes keep it, pass it on and put it together.

Every source (a process that was asked to stop the swarm) counts its stops. A record says of each source how many stops it has called and
how many of these have been let go. The swarm is stopped while any source has called more than were let go. Two records are joined by
taking the larger of each count. So it does not matter in which order, how late or how often records come (a state-based CRDT: Shapiro
et al. 2011, "Conflict-free replicated data types"), and an old one undoes nothing. Who lets go names a record: the stops that he has seen.
A stop that he has not seen holds on.
"""

import json
from dataclasses import dataclass

MOST = 10_000
"""Sources that a record may have."""

Count = tuple[str, int, int]
"""A source, how many stops it has called, and how many of these have been let go."""


@dataclass(frozen=True)
class StopRecord:
    """Which stops have been called and let go. ``counts``: by source, sorted, 0 ≤ let go ≤ called, called ≥ 1."""

    counts: tuple[Count, ...] = ()

    @property
    def stopped(self) -> bool:
        """Whether a stop holds."""
        return any(called > gone for _, called, gone in self.counts)

    @property
    def number(self) -> int:
        """Odd while stopped, even else, and larger in every record that knows more."""
        return 2 * sum(called + gone for _, called, gone in self.counts) + self.stopped

    def join(self, other: "StopRecord") -> "StopRecord":
        """What both know together."""
        if self.counts == other.counts or not other.counts:
            return self
        found = {source: (called, gone) for source, called, gone in self.counts}
        for source, called, gone in other.counts:
            before = found.get(source, (0, 0))
            found[source] = max(called, before[0]), max(gone, before[1])
        return StopRecord(tuple((source, *pair) for source, pair in sorted(found.items())))

    def covers(self, other: "StopRecord") -> bool:
        """Whether it knows all that ``other`` knows."""
        return self.join(other) == self

    def stop(self, source: str) -> "StopRecord":
        """With one more stop, called by ``source``: a name that no other process has, nor the same one before a restart."""
        return self.join(StopRecord(((source, 1 + max((c for s, c, _ in self.counts if s == source), default=0), 0),)))

    def release(self, seen: "StopRecord") -> "StopRecord":
        """With all the stops let go that somebody has ``seen``."""
        return self.join(StopRecord(tuple((source, called, called) for source, called, _ in seen.counts)))

    def holding(self) -> list[str]:
        """The sources whose stops hold."""
        return [source for source, called, gone in self.counts if called > gone]

    def to_text(self) -> str:
        """As one line of JSON."""
        return json.dumps(self.counts)

    @classmethod
    def from_data(cls, data: object) -> "StopRecord":
        """The record in plain data, as :meth:`to_text` writes it; ``ValueError`` when there is none."""
        if not isinstance(data, list):
            raise ValueError(f"{type(data).__name__} found, expected a list of sources with two counts")
        if len(data) > MOST:
            raise ValueError(f"{len(data)} sources of stops found, expected at most {MOST}")
        found = dict[str, tuple[int, int]]()
        for item in data:
            good = isinstance(item, list) and len(item) == 3 and isinstance(item[0], str) and all(type(count) is int for count in item[1:])
            if not good or not 0 <= item[2] <= item[1] < 1 << 53 or item[1] < 1:
                raise ValueError(f"{str(item)[:60]} found, expected a source, the stops it has called, and how many of them were let go")
            called, gone = found.get(item[0], (0, 0))
            found[item[0]] = max(item[1], called), max(item[2], gone)
        return cls(tuple((source, *pair) for source, pair in sorted(found.items())))

    @classmethod
    def from_text(cls, text: str) -> "StopRecord":
        """The record in a line of JSON; ``ValueError`` when there is none."""
        return cls.from_data(json.loads(text))
