"""What a node tells the others about stops, as JSON on ``/swarm/stop_state``."""

import json
import re
from dataclasses import dataclass

from swarm_control.safety.stop_record import StopRecord

MOST = 10_000
"""Guards that a node may name."""


@dataclass(frozen=True)
class Said:
    """What a node has said last: the stops it knows, whether it answers for robots, whether these are held, and the ``guards`` without
    whose word no stop is confirmed. ``relayed``: such guards that somebody else has named.
    """

    record: StopRecord
    answers: bool
    held: bool
    guards: tuple[str, ...] = ()
    relayed: tuple[str, ...] = ()

    def text(self, node: str) -> str:
        """The message of a ``node``."""
        data = {"node": node, "answers": self.answers, "held": self.held, "record": self.record.counts}
        return json.dumps({**data, "guards": self.guards, "relayed": self.relayed})

    @classmethod
    def parse(cls, text: str) -> tuple[str, "Said"]:
        """The node of a message, and what it says. ``ValueError``, ``TypeError`` or ``KeyError`` when it makes no sense."""
        data = json.loads(text)
        record, node = StopRecord.from_data(data["record"]), data["node"]
        guards, relayed = (data.get(key, []) for key in ("guards", "relayed"))
        for names in (guards, relayed):
            if not isinstance(names, list) or len(names) > MOST:
                raise ValueError(f"guards {str(names)[:60]!r} found, expected a list of at most {MOST} nodes")
        for name in (node, *guards, *relayed):
            if not isinstance(name, str) or not re.fullmatch(r"(/\w+)+", name):  # whom nobody could ask would never confirm a stop
                raise ValueError(f"node {str(name)[:60]!r} found, expected a node's full name")
        return node, cls(record, bool(data["answers"]), bool(data["held"]), tuple(guards), tuple(relayed))

    def confirms(self, record: StopRecord) -> bool:
        """Whether the node knows ``record``, and holds its robots if that is a stop."""
        return self.record.covers(record) and (self.held or not self.record.stopped)
