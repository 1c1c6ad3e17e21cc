"""``swarm doctor``."""

import argparse
from collections.abc import Iterable, Iterator
from typing import Any

from swarm_control.cli.needs_ros import needs_ros
from swarm_control.cli.scenario_options import change_options, overrides
from swarm_control.options import above_zero
from swarm_control.terminal import tell

MANY = 12
"""More robots than these are counted where they are in order, and named only where not."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "doctor", epilog="Example: swarm doctor my_robots.yaml --seconds 5",
        description="Look whether this machine is ready and, with a scenario, whether its real robots are: topics, rate and age of "
        "odometry, frames, clocks, links. Each line says what was found, and what to do where something is amiss. Status 1 where there is "
        "an error. To be called before the run: robots whose wheels are driven over links are reached for by it.",
    )  # fmt: skip
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?", help="the scenario of the robots; without it, this machine alone")
    change_options(parser)
    parser.add_argument("--seconds", metavar="S", type=above_zero, default=3.0, help="how long to listen to the robots (default: 3)")
    parser.add_argument("--namespace", metavar="NAME", default="", help="of the swarm in the graph, as for swarm run")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Print what is found; status 1 where there is an error."""
    from swarm_control.cli.machine import machine_checks
    from swarm_control.hardware.checkup import ERROR
    from swarm_control.scenario.loader import load_prepared

    prepared = load_prepared(options.scenario, overrides(options)) if options.scenario else None
    made = _print("this machine", machine_checks())
    if prepared is not None:
        loaded, setup = prepared
        made += _print(f"{len(setup.fleet)} robots of {loaded.scenario.name}", _robots(loaded.scenario, setup, options))
    errors = sum(check.level == ERROR for check in made)
    tell(f"{errors} error{'s' if errors > 1 else ''}" if errors else "ready")
    return 1 if errors else 0


def _print(title: str, checks: Iterable[Any]) -> list[Any]:
    """Print each as soon as it is known."""
    tell(title)
    made = []
    for check in checks:
        made.append(check)
        tell(f"  {check.level:7}  {check.what}")
        if check.remedy:
            tell(f"           → {check.remedy}")
    return made


def _robots(scenario: Any, setup: Any, options: argparse.Namespace) -> Iterator[Any]:
    """What is found of the robots."""
    from swarm_control.hardware.checkup import OK, Check

    with needs_ros("swarm doctor"):
        from swarm_control.ros.graph.spec import root_of
        from swarm_control.ros.support.checkup_client import CheckupClient
    in_order, robots = 0, len(setup.fleet)
    yield from _links(scenario, setup)
    with CheckupClient(root_of(options.namespace)) as client:
        for check, whole in _topics(client, scenario, setup, options.seconds):
            in_order += whole
            if not whole or robots <= MANY:
                yield check
    if in_order and robots > MANY:
        yield Check(OK, f"{in_order} more robots are in order")


def _links(scenario: Any, setup: Any) -> Iterator[Any]:
    """Whether wheels can be reached."""
    if scenario.hardware.wheels.link:
        from swarm_control.hardware.link_checks import check_link
        from swarm_control.hardware.robot import links

        for name, link in zip(setup.fleet.names, links(scenario.hardware.wheels, setup.fleet, range(len(setup.fleet)))):
            yield check_link(name, link)


def _topics(client: Any, scenario: Any, setup: Any, seconds: float) -> Iterator[tuple[Any, bool]]:
    """What is heard of the robots, and whether it is in order with a robot."""
    from swarm_control.hardware import checkup
    from swarm_control.scenario.topic_names import topic_names

    hardware, control, names = scenario.hardware, scenario.control, setup.fleet.names
    named = {key: topic_names(getattr(hardware.topics, key), names, f"hardware.topics.{key}") for key in ("odom", "cmd_vel")}
    odom, commands = ([f"{'/' * hardware.topics.shared}{topic}" for topic in named[key]] for key in ("odom", "cmd_vel"))
    if hardware.wheels.link or hardware.tracker.source != "none":  # which publish odometry only when they run
        client.listen([], 0.0)
        odom = []
        if hardware.tracker.source != "none":
            yield client.tracker_check(hardware.tracker, names), False
    heard = client.listen(odom, seconds) if odom else []
    others = [topic for topic in client.all_odometry() if topic not in named["odom"]]
    known = client.frames_known(sorted({frame for one in heard for frame in one.frames}))
    for k, name in enumerate(names):
        checks = []
        if odom:
            timing = checkup.check_odometry(odom[k], heard[k], control.period, control.safety.odometry_timeout, others, client.domain)
            frame = checkup.check_frame(sorted(heard[k].frames), client.world, hardware.odometry.frame, known, client.hears_tf)
            checks += [timing, *([frame] if frame else [])]
        if not hardware.wheels.link:
            listening, driving = client.heard_as(commands[k]), client.who_publishes(commands[k])
            checks.append(checkup.check_commands(commands[k], listening, driving, hardware.topics.stamped, client.domain))
        for check in checks:
            yield checkup.Check(check.level, f"{name}: {check.what}", check.remedy), all(one.level == checkup.OK for one in checks)
    placed = [k for k, one in enumerate(heard) if one.position is not None]
    where = [heard[k].position for k in placed]
    for check in checkup.check_places([names[k] for k in placed], where, setup.fleet.radius[placed], hardware.odometry.frame):
        yield check, False
