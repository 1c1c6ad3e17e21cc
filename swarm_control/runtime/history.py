"""What has happened to a flock so far."""

from collections.abc import Sequence
from dataclasses import replace

from swarm_control.runtime.mission_state import Entry


class History:
    """The ``entries``, in the order in which they began."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self.entries = list(entries)

    def of(self, kind: str) -> list[Entry]:
        """The entries of a ``kind``."""
        return [entry for entry in self.entries if entry.kind == kind]

    def begin(self, kind: str, name: str, time: float) -> None:
        """Something begins at ``time`` (s)."""
        self.entries.append(Entry(kind, name, time))

    def end(self, kind: str, time: float, fraction: float | None = None) -> None:
        """End the last entry of a ``kind``, if there is one; ``fraction``: share of the robots that had arrived."""
        for k in reversed(range(len(self.entries))):
            if self.entries[k].kind == kind:
                self.entries[k] = replace(self.entries[k], end=time, arrived_fraction=fraction)
                return
