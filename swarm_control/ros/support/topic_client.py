"""Topics of a running graph, for people: which there are, how often something comes, and a message of one's own."""

import time
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from swarm_control.errors import Failed
from swarm_control.ros.messages.typed import message_type
from swarm_control.ros.support.graph_client import GraphClient

SETTLED = 0.5
"""Time (s) within which the graph is found."""

WINDOW = 10_000
"""Messages whose intervals are looked at."""


class TopicClient(GraphClient):
    """Looks at topics and publishes on them; use as a context manager."""

    kind = "topic_client"

    def topics(self) -> list[tuple[str, str]]:
        """Names and types of all topics."""
        found, before = self.get_topic_names_and_types(), None
        while found != before:
            self._until(lambda: None, 2.0 * SETTLED)
            found, before = self.get_topic_names_and_types(), found
        return sorted((name, " ".join(kinds)) for name, kinds in found)

    def rate(self, topic: str, seconds: float, wait: float, tell: Callable[[str], None]) -> bool:
        """Tell each second how often messages come on ``topic``, for so many ``seconds`` (0: for ever), by this machine's clock.

        Whether any came within ``wait`` (s).
        """
        offers = self._until(lambda: self.get_publishers_info_by_topic(topic), wait)
        if not offers:
            return False
        offer = offers[0].qos_profile
        profile = QoSProfile(depth=100, reliability=offer.reliability, durability=offer.durability)
        came: deque[float] = deque(maxlen=WINDOW)
        self.create_subscription(message_type(offers[0].topic_type), topic, lambda data: came.append(time.monotonic()), profile, raw=True)
        if self._until(lambda: came, wait) is None:
            return False
        began = said = time.monotonic()
        while seconds == 0.0 or time.monotonic() < began + seconds:
            self.serve(0.1)
            if time.monotonic() >= said + 1.0:
                said += 1.0
                tell(rate_of(list(came)))
        return True

    def publish(self, topic: str, message: Any, times: int, rate: float, wait: float, latched: bool) -> int:
        """Publish ``message`` so many ``times`` (0: for ever), ``rate`` times a second, once somebody listens; how many listened then.

        ``Failed`` when nobody has come within ``wait`` (s). ``latched``: who comes later hears the last one, too.
        """
        durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
        profile = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=durability)
        publisher = self.create_publisher(type(message), topic, profile)
        self._until(lambda: publisher.get_subscription_count() or self.get_subscriptions_info_by_topic(topic), wait)
        if self._until(lambda: publisher.get_subscription_count(), SETTLED) is None:
            ends = {f"{end.node_name} for {end.topic_type}" for end in self.get_subscriptions_info_by_topic(topic)}
            found = f", but {', '.join(sorted(ends))}" if ends else f" within {wait:g} s"
            raise Failed(f"{topic}: nobody listened to such a message{found} (ROS_DOMAIN_ID {self.domain})")
        self._until(lambda: None, SETTLED)  # others may listen, too
        heard, due, sent = publisher.get_subscription_count(), time.monotonic(), 0
        while times == 0 or sent < times:
            publisher.publish(message)
            sent, due = sent + 1, due + 1.0 / rate
            while times != sent and (left := due - time.monotonic()) > 0.0:
                self.serve(left)
        publisher.wait_for_all_acked()
        return int(heard)

    def _until(self, found: Callable[[], Any], wait: float) -> Any:
        """What is ``found`` within ``wait`` (s); None: nothing."""
        end = time.monotonic() + wait
        while not (made := found()):
            if time.monotonic() >= end:
                return None
            self.serve(0.05)
        return made


def rate_of(came: list[float]) -> str:
    """How often messages came at these times (s), in one line."""
    if len(came) < 2:
        return "one message"
    gaps = [after - before for before, after in pairwise(came)]
    return f"{len(gaps) / (came[-1] - came[0]):.2f} Hz   interval {min(gaps):.4f} to {max(gaps):.4f} s   {len(came)} messages"
