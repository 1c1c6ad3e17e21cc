"""Why a robot's odometry is not used although something comes: said once, by who stops the robot."""

import math
from collections.abc import Sequence
from typing import Any

from swarm_control.ros.graph import topics
from swarm_control.ros.support.frames import TELLING

LOOK = 1.0
"""Time (s) between looks."""

MOST = 20
"""Robots of which nothing has come whose topics are looked up in the graph at a time."""

MOST_TURNED = math.radians(30.0)
"""Standard deviation (rad) of a heading beyond which a robot stands, where covariances are used."""

EXPECTED = "nav_msgs/msg/Odometry"


class OdometryFaults:
    """Notes what is wrong with the odometry of the robots that a ``node`` serves, and says so once until it is right again."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self._names: Sequence[str] = node.setup.fleet.names
        self._odometry = node.loaded.scenario.hardware.odometry
        self._last: dict[int, tuple[float, float, bool, float, float]] = {}
        self._said: dict[int, str] = {}
        if node.kind in TELLING:
            node.every(LOOK, self.look)

    def note(
        self, robot: int, came: float, stamped: float, values: Sequence[float], deviation: tuple[float, float] = (0.0, 0.0)
    ) -> bool:  # fmt: skip
        """A message of ``robot`` (its number) came at a time (s), ``stamped`` with another, 0 for none, with these numbers.

        ``deviation``: how far (m, rad) it says itself that its position and heading may be off. Returned: whether that is little enough.
        """
        self._last[robot] = came, stamped, all(map(math.isfinite, values)), *deviation
        return not self._lost(*deviation)

    def _lost(self, deviation: float, turned: float) -> str:
        """What is said of odometry that may be off by so much (m, rad): nothing where that is little enough."""
        most, found = self._odometry.max_deviation, ""
        if most > 0.0 and not deviation <= most:
            found = f"that it may be off by {deviation:.2g} m, expected at most {most:g} m (hardware.odometry.max_deviation)"
        elif self._odometry.use_covariance and not turned <= MOST_TURNED:
            found = f"that its heading may be off by {math.degrees(turned):.2g}°, expected at most {math.degrees(MOST_TURNED):g}°"
        return f"says by its covariance {found}: the robot has to be located anew" if found else ""

    def look(self) -> None:
        """Say what is wrong now and has not been said."""
        served = [int(robot) for robot in self._node.served]
        silent = [robot for robot in served if robot not in self._last]
        for robot in (*(one for one in served if one in self._last), *silent[:MOST]):
            what = self._wrong(robot)
            if what and self._said.get(robot) != what[0]:
                topic = self._node.known_as(topics.ODOM.of(self._names[robot]))
                self._node.get_logger().error(f"{self._names[robot]} stands: {topic} {what[1]}")
            self._said[robot] = what[0] if what else ""

    def _wrong(self, robot: int) -> tuple[str, str] | None:
        """What is wrong: a word for the kind of fault, and what to say of the topic."""
        now, allowed = self._node.now, self._node.control.safety.odometry_timeout
        if robot not in self._last:
            return self._another_type(robot)
        came, stamped, finite, *deviation = self._last[robot]
        if now - came > max(allowed, LOOK):
            return None  # silent: the run's progress line names it
        if not finite:
            return "numbers", "has numbers that are not finite"
        if lost := self._lost(*deviation):
            return "lost", lost
        late = came - stamped
        if stamped > 0.0 and late > allowed:
            reason = "its clock is slow, or its link"
            return "late", f"is stamped {late:.1f} s before it comes, expected at most {allowed:g} s (safety.odometry_timeout): {reason}"
        return None

    def _another_type(self, robot: int) -> tuple[str, str] | None:
        ends = self._node.get_publishers_info_by_topic(self._node.rooted(topics.ODOM.of(self._names[robot])))
        kinds = sorted({end.topic_type for end in ends} - {EXPECTED})
        if not kinds or any(end.topic_type == EXPECTED for end in ends):
            return None
        return "type", f"is published as {' and '.join(kinds)}, expected {EXPECTED}"
