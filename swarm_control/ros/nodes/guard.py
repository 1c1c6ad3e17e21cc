"""Node ``guard``: permission to command robots, the emergency stop, and a watchdog that stops robots for whom nobody asks any more.

It knows no scenario and depends on no other node. Who commands robots tells it their topics. A second one stands by: it grants nothing, but
stops robots and keeps stops as the first does, so that any two processes may die at once.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import ClassVar

from sensor_msgs.msg import Joy
from std_msgs.msg import String

from swarm_control.options import Parser
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.spec import HOSTED
from swarm_control.ros.support import session
from swarm_control.ros.support.base_node import BaseNode, serve
from swarm_control.ros.support.parent import orphaned
from swarm_control.ros.support.stop_publishers import StopPublishers
from swarm_control.ros.support.stop_state import StopState
from swarm_control.safety.lease import LeaseGranter
from swarm_control.safety.stop_record import StopRecord

LOOK = 0.06
"""Time (s) after the last request, and then again and again, at which it is looked whether permission has run out."""

AGAIN = 0.1
"""Time (s) after which robots are told to stop once more."""

AHEAD = 0.03
"""Robots are told to stop this long (s) before the permission to command them ends: nobody has asked to renew it in time."""

LONGEST = 5.0
"""Longest lease (s) that is granted."""

ENOUGH = 10.0
"""Robots that nobody commands are told to stop for this long (s); then others may drive them."""

FAREWELL = 0.5
"""Time (s) that the other nodes of a run have to end, when whoever started them has died."""


class GuardNode(BaseNode):
    """Grants leases to who commands robots, keeps stops, stops robots that are commanded no more, and ends processes that hang."""

    kind: ClassVar[str] = "guard"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        base = bool(self.option("base", True, "whether it may let robots go without having heard of anybody"))
        self._grants = bool(self.option("grants", True, "whether it permits robots to be commanded; one that stands by does not"))
        self._button = int(self.option("stop_button", 1, "button of the joystick on /joy that stops the swarm; -1: none"))
        self._name = self.place
        self._robots = StopPublishers(self)
        self._zeros = self._killed = 0
        self._pressed = False
        self._told = self._asked = -float("inf")
        self._grant = topics.publisher(self, topics.LEASE_GRANT)
        text = self.session.stored(self._name)
        memory = {} if text is None else json.loads(text)
        self._longest = float(memory.get("longest", 0.0))
        self._granter = LeaseGranter(time.monotonic() + self._longest)
        guards = memory.get("guards", ())
        self.stops = StopState(self, self._look, first=base, relays=guards, holds=self._holds, keep=self._store)
        if memory:
            self._robots.watch_over(memory["topics"], memory["frames"])
            self._asked = time.monotonic()
        self._store()
        if self.space == HOSTED:
            self.stops.serve()
        topics.subscribe(self, topics.LEASE_REQUEST, self._hear)
        if self._button >= 0:
            topics.subscribe(self, topics.JOY, self._hear_joystick)
        self._watchdog = self.every(LOOK, self._look)
        self.every(session.LOOK, self._end_hung)
        self.every(1.0, self.report)

    @classmethod
    def arguments(cls, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the node's own command line."""
        return Parser(prog=cls.kind, description=cls.__doc__).parse_args(argv)

    def _store(self) -> None:
        """Keep what is known, before anybody is told."""
        self._granter.record = self.stops.record
        data = {
            "record": self.stops.record.counts, "longest": self._longest, "topics": self._robots.topics, "frames": self._robots.frames,
            "guards": sorted(self.stops.guards),
        }  # fmt: skip
        self.session.store(self._name, json.dumps(data))

    def _holds(self) -> bool:
        """Whether all robots are held, and stay so whatever dies: what is not kept may be forgotten."""
        return self._granter.held(time.monotonic()) and not self.session.failure

    def _hear(self, message: String) -> None:
        """Somebody asks for permission to command robots."""
        data, now = json.loads(message.data), time.monotonic()
        duration = float(data["duration"])
        if not 0.0 < duration <= LONGEST:
            raise ValueError(f"a lease of {duration} s asked for, expected at most {LONGEST} s")
        if "topics" in data and self._robots.watch_over(data["topics"], data["frames"]):
            self._store()
        record = StopRecord.from_data(data["record"])
        if duration > self._longest:
            self._longest = duration
            self._store()
        self.stops.adopt(record)
        self._granter.hear(str(data["name"]), record, duration, now)
        self._asked = now
        self._watchdog.reset()
        if self.stops.known and self._grants and self._robots.reach_all(now):
            answer = {"name": data["name"], "beat": data["beat"], "record": self.stops.record.counts, "topics": len(self._robots.topics)}
            self._grant.publish(String(data=json.dumps({**answer, "by": self.stops.source})))

    def _hear_joystick(self, message: Joy) -> None:
        before, self._pressed = self._pressed, len(message.buttons) > self._button and bool(message.buttons[self._button])
        if self._pressed and not before:
            self.stops.stop()

    def _look(self) -> None:
        """Stop robots whose commander asks no more, and those of one that does not know yet that the swarm is stopped."""
        now = time.monotonic()
        silent = self._granter.silent(now, AHEAD) and now - self._asked < ENOUGH
        if (silent or (self.stops.stopped and self._granter.loose(now))) and now - self._told > AGAIN:
            self._stop_robots()
        self.stops.look()

    def _stop_robots(self) -> None:
        self._told = time.monotonic()
        self._zeros += self._robots.stop()

    def _end_hung(self) -> None:
        """End processes in the guard's namespace that hang, who stands by the guard alone; who has started them starts them again."""
        space = self._name.rpartition("/")[0]
        for one in self.session.end_hung(space, lambda name: self._grants or name.endswith("/guard")):
            self._killed += 1
            self.get_logger().error(f"{one.name} has not answered for {one.silence:.1f} s; ended")

    def report(self) -> None:
        """Robots, whether somebody commands them, and how often they had to be stopped."""
        commanded = not self._granter.silent(time.monotonic())
        values = {"robots": len(self._robots.topics), "commanded": commanded, "stops_told": self._zeros, "processes_ended": self._killed}
        self.status.write(values, self.stops.word, "ok" if commanded and not self.stops.stopped else "warn")

    def close(self) -> None:
        """Leave no robot moving; when whoever started the nodes has died, see them end."""
        self._stop_robots()
        alone, deadline = orphaned(AGAIN), time.monotonic() + FAREWELL
        while alone and any(self.session.members()) and time.monotonic() < deadline:
            self._stop_robots()
            time.sleep(AHEAD)
        if alone:
            self.session.end_members()
            self._stop_robots()
        if not any(self.session.members()):
            self.session.end()


def main() -> int:
    """Run the node."""
    return serve(GuardNode)


if __name__ == "__main__":
    sys.exit(main())
