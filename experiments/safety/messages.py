"""What comes of messages and parameters that make no sense, sent to a running graph."""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.errors import Failed
from swarm_control.scenario.loader import load_prepared

from . import PAGE

EACH, SETS, QUICK = 40, 100, 5
"""Messages for each topic, sets of parameters for each node; when it must be quick, of both."""

PAUSE = 0.02
"""Time (s) between two messages."""

DOMAIN = 87
SCENARIO = "flock_frame"
ROBOTS = 10
RECOVERY = 30.0
"""Longest time (s) until robots move again."""


@dataclass(frozen=True)
class Sown:
    """What came of it on one graph: messages ``sent``, by what is wrong with them; lines on nodes that ``ended``; sets of parameters that
    were ``set`` and ``refused``; after which time (s) robots moved ``again``, None: not.
    """

    sent: Counter[str]
    ended: list[str]
    set: int
    refused: int
    again: float | None


class Sower:
    """Sends messages from ``node``."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self._publishers: dict[str, Any] = {}

    def sow(self, message: Any) -> bool:
        """Send a ``BadMessage``; whether the middleware took it: it refuses to send more bytes than a type of fixed size can have."""
        from rclpy._rclpy_pybind11 import RCLError

        if message.name not in self._publishers:
            kind, qos = message.topic.kind, message.topic.publish_qos
            self._publishers[message.name] = self._node.create_publisher(kind, message.name, qos)
        with contextlib.suppress(RCLError):
            self._publishers[message.name].publish(message.data)
            return True
        return False

    def close(self) -> None:
        """Take back what is kept for late joiners."""
        for publisher in self._publishers.values():
            self._node.destroy_publisher(publisher)


@experiment("safety_messages", "nodes fed with messages and parameters that make no sense", PAGE, reported_on=range(100, 104))
def safety_messages(lab: Lab) -> Finding:
    """Real nodes; whatever they are sent, none may end, and robots go on."""
    seeds = lab.seeds(quick=1)
    found: dict[Seed, Sown] = {}
    for done, seed in enumerate(seeds, start=1):
        found[seed] = _graph(seed, *((QUICK, QUICK) if lab.quick else (EACH, SETS)))
        lab.progress(done, len(seeds))
    every = list(found.values())
    sent = sum((one.sent for one in every), Counter[str]())
    rows = tuple(
        (
            str(seed), str(one.sent.total()), str(len(one.ended)), f"{one.refused} of {one.set}",
            "not" if one.again is None else f"{one.again:.2f} s",
        )
        for seed, one in found.items()
    )  # fmt: skip
    return Finding(
        "Messages that make no sense",
        "Not in the papers.",
        ("seed", "messages", "nodes ended", "parameters refused", "moving again after"),
        rows,
        {
            "no node ends": not any(one.ended for one in every),
            "no wrong parameter is taken": all(one.refused == one.set for one in every),
            "robots move afterwards": all(one.again is not None for one in every),
        },
        (Bars("messages sent", "", tuple(sorted(sent)), {"": np.array([float(sent[what]) for what in sorted(sent)])}),),
        {"messages": float(sent.total()), "ended": float(sum(len(one.ended) for one in every))},
        "Messages for every topic that nodes read, of the kinds shown: broken bytes, absurd fields, rows and columns of clouds, and texts. "
        "Stops that were among them are let go before robots are watched. " + "; ".join(line for one in every for line in one.ended),
    )


def _graph(seed: Seed, each: int, sets: int) -> Sown:
    """``each`` messages for every topic, and ``sets`` of parameters for every node of one graph."""
    from swarm_control.ros.support.chaos import Chaos

    from .nonsense import bad_messages

    random = np.random.default_rng(int(seed))
    changes = [f"robots={ROBOTS}", f"seed={int(seed)}"]
    os.environ.update(ROS_DOMAIN_ID=str(DOMAIN), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    loaded, setup = load_prepared(SCENARIO, changes)
    with Chaos(loaded, setup, changes) as graph:
        if not graph.begin():
            raise Failed("no robot moved: " + " | ".join(graph.lines[-3:]))
        sower, sent = Sower(graph.robots), Counter[str]()
        for message in bad_messages(random, setup.fleet.names, each):
            sent[message.what] += sower.sow(message)
            graph.until(lambda: False, PAUSE)
        sower.close()
        answers = [answer for node in graph.nodes for answer in _settings(graph, random, node.spec, sets)]
        graph.robots.stops.release()
        again = graph.until(lambda: graph.robots.moving, RECOVERY)
        ended = [line for line in graph.lines if re.match("swarm: .*(restarted|ended)$", line)]
    return Sown(sent, ended, len(answers), sum(answers), again)


def _settings(graph: Any, random: np.random.Generator, spec: Any, count: int) -> Iterator[bool]:
    """Whether each of ``count`` sets of wrong parameters for a node was refused."""
    from rcl_interfaces.srv import SetParametersAtomically

    from .settings import bad_settings

    client = graph.robots.create_client(SetParametersAtomically, f"{spec.full_name}/set_parameters_atomically")
    graph.until(client.service_is_ready, RECOVERY)
    for settings in bad_settings(random, spec.executable, count):
        future = client.call_async(SetParametersAtomically.Request(parameters=list(settings.parameters)))
        graph.until(future.done, RECOVERY)
        yield future.done() and not future.result().result.successful
    graph.robots.destroy_client(client)
