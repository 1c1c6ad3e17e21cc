"""Node ``recorder``: writes every message of the graph into an MCAP file, as ``ros2 bag`` and Foxglove read it."""

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any, ClassVar

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from swarm_control.analysis.bags.writer import BagWriter
from swarm_control.errors import InputError
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.scenario.setup import Setup
from swarm_control.scenario.tree import to_data
from swarm_control.scenario.yaml_text import dump_yaml

LEFT_OUT = ("/rosout", "/parameter_events")
"""Topics that say nothing of the swarm."""

LOOK = 0.1
"""Time (s) between looks for topics that are new."""

DEPTH = 100
"""Messages that may wait to be written."""


class RecorderNode(SwarmNode):
    """Records all topics that there are and that appear, at the time of the node's clock."""

    kind: ClassVar[str] = "recorder"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        path = self.option("file", "", "MCAP file to be written")
        if not path:
            raise InputError("file", "nothing found, expected the MCAP file to be written, as in -p file:=run.mcap")
        self._bag = BagWriter(self._free(Path(path)), about(self.scenario, self.setup), self.get_logger().error)
        self._heard: dict[str, Any] = {}
        self._unknown: set[str] = set()
        self.every(LOOK, self._look)

    def _free(self, path: Path) -> Path:
        """The file; after a restart in the same run, which must leave alone what was recorded before, another one beside it."""
        name = self.place
        starts = int(self.session.stored(name) or 0)
        self.session.store(name, str(starts + 1))
        return path if starts == 0 else path.with_name(f"{path.stem}_{starts}{path.suffix}")

    def _look(self) -> None:
        for topic, _ in self.get_topic_names_and_types():
            name = self.within(topic)
            if name is None or topic in self._heard or name in LEFT_OUT or topic in self._unknown:
                continue
            publishers = self.get_publishers_info_by_topic(topic)
            if not publishers:
                continue
            told = publishers[0].topic_type
            kind = message_type(told)
            if kind is None:
                self._unknown.add(topic)
                self.get_logger().warning(f"{topic}: {told} is not installed; not recorded")
                continue
            self._heard[topic] = self._subscribe(name, told, kind, [info.qos_profile for info in publishers])

    def _subscribe(self, topic: str, name: str, kind: type, offered: list[QoSProfile]) -> Any:
        """Ask for the best that all publishers offer."""
        reliable = all(qos.reliability == ReliabilityPolicy.RELIABLE for qos in offered)
        latched = all(qos.durability == DurabilityPolicy.TRANSIENT_LOCAL for qos in offered)
        qos = QoSProfile(
            depth=DEPTH, reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        )  # fmt: skip
        return self.create_subscription(kind, topic, lambda data: self._bag.write(topic, name, self.now, data, latched), qos, raw=True)

    def report(self) -> None:
        """How much has been recorded."""
        self.status.write({"messages": self._bag.messages, "topics": len(self._heard)})

    def close(self) -> None:
        """Make the file whole."""
        self._bag.close()


def about(scenario: Any, setup: Setup) -> dict[str, str]:
    """What a bag says of itself: the resolved scenario and the robots' names in their order."""
    return {"scenario": dump_yaml(to_data(scenario)), "robots": " ".join(setup.fleet.names)}


def message_type(name: str) -> type | None:
    """The class of a message type ``package/msg/Name``; None when it is not installed."""
    package, _, short = name.partition("/msg/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), short, None)
    except ImportError:
        return None


def main() -> int:
    """Run the node."""
    return serve(RecorderNode)


if __name__ == "__main__":
    sys.exit(main())
