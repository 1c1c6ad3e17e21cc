"""``swarm topic`` and ``swarm pub``: topics of a running graph, for those without ros2cli."""

import argparse
import sys
from typing import Any

from swarm_control.cli.needs_ros import needs_ros
from swarm_control.errors import InputError
from swarm_control.options import above_zero, yaml_value
from swarm_control.world.names import is_topic

TOPIC = "name of a topic, for instance /swarm/swarm_state"


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    parser = commands.add_parser(
        "topic",
        description="List the topics of a running graph, or measure how often messages come on one.",
        epilog="Example: swarm topic hz /robot_0/odom",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|hz")
    actions.add_parser("list", description="Print names and types of all topics.").set_defaults(call=show)
    rate = actions.add_parser("hz", description="Print each second how often messages come, by this machine's clock.")
    rate.add_argument("topic", metavar="TOPIC", type=_topic, help=TOPIC)
    rate.add_argument("--seconds", metavar="S", type=above_zero, default=0.0, help="for how long, s; without it until interrupted")
    rate.add_argument("--wait", metavar="S", type=above_zero, default=10.0, help="how long to wait for the first message, s")
    rate.set_defaults(call=measure)
    put = commands.add_parser(
        "pub",
        description="Publish a message on a topic, once somebody listens.",
        epilog="Example: swarm pub /robot_0/cmd_vel geometry_msgs/msg/Twist '{linear: {x: 0.05}}' --rate 10",
    )
    put.add_argument("topic", metavar="TOPIC", type=_topic, help=TOPIC)
    put.add_argument("kind", metavar="TYPE", help="its type, for instance geometry_msgs/msg/Twist")
    put.add_argument("values", metavar="VALUES", nargs="?", type=yaml_value, default={}, help="fields as YAML; the others are as they come")
    put.add_argument("--rate", metavar="HZ", type=above_zero, default=1.0, help="how often, 1/s")
    put.add_argument("--times", metavar="N", type=int, default=0, help="so many times; 0: until interrupted")
    put.add_argument("--once", action="store_const", const=1, dest="times", help="--times 1")
    put.add_argument("--latched", action="store_true", help="keep it for who comes later, as maps and goals are")
    put.add_argument("--wait", metavar="S", type=above_zero, default=10.0, help="how long to wait for somebody who listens, s")
    put.set_defaults(call=publish)


def _topic(text: str) -> str:
    if not is_topic(text if text.startswith("/") else f"/{text}"):
        raise argparse.ArgumentTypeError(f"{text!r} found, expected {TOPIC}")
    return text


def _client() -> Any:
    """A client of the graph; ``InputError`` where ROS is not installed."""
    with needs_ros("swarm topic"):
        from swarm_control.ros.support.topic_client import TopicClient
    return TopicClient()


def show(options: argparse.Namespace) -> int:
    """Print all topics."""
    with _client() as client:
        found = client.topics()
    width = max((len(name) for name, _ in found), default=0)
    for name, kind in found:
        print(f"{name:<{width}}  {kind}")
    return 0


def measure(options: argparse.Namespace) -> int:
    """Print how often messages come; status 1 when none does."""
    with _client() as client:
        heard = client.rate(options.topic, options.seconds, options.wait, lambda line: print(line, flush=True))
    if not heard:
        print(f"swarm: no message on {options.topic} within {options.wait:g} s", file=sys.stderr)
    return 0 if heard else 1


def publish(options: argparse.Namespace) -> int:
    """Publish a message; status 1 when nobody listens."""
    if options.times < 0:
        raise InputError("--times", f"{options.times} found, expected a whole number from 0")
    with _client() as client:
        from swarm_control.ros.messages.typed import message_of, message_type

        message = message_of(message_type(options.kind), options.values)
        heard = client.publish(options.topic, message, options.times, options.rate, options.wait, options.latched)
    print(f"swarm: published on {options.topic}, to {heard} who listened")
    return 0
