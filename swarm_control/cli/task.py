"""``swarm send``, ``swarm await`` and ``swarm cancel``: missions of a running swarm."""

import argparse
import math
import re
import sys
from typing import Any

from swarm_control.cli.needs_ros import needs_ros
from swarm_control.errors import Failed, InputError
from swarm_control.options import above_zero, setting
from swarm_control.ros.graph.spec import root_of
from swarm_control.terminal import tell

WAIT = 10.0
"""How long (s) the swarm has to answer, unless said otherwise."""


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    send = commands.add_parser(
        "send",
        description="Ask a running swarm, or one of its groups, for a task: go somewhere, take a shape, hold, begin a phase, let robots go "
        "to another swarm. Its name is printed first. Status 0: it was taken, and with --wait it is done.",
        epilog="Example: swarm send go 4,2 8,0,90 --group red --wait; swarm send form shape=line spacing=0.8; swarm send hold; "
        "swarm send phase return; swarm send leave robot_3",
    )
    kinds = send.add_subparsers(dest="kind", required=True, metavar="TASK")
    go = kinds.add_parser("go", description="Go to places, one after the other; the goals that were there before are dropped.")
    go._negative_number_matcher = re.compile(r"-\d|-\.\d")  # so that -3,2 is no option
    go.add_argument("places", metavar="X,Y[,HEADING]", nargs="+", type=place, help="m, and of a formation its heading there, degrees")
    form = kinds.add_parser("form", description="Take a formation, or change it.")
    form.add_argument("settings", metavar="NAME=VALUE", nargs="+", type=setting, help="parameter of control.formation, such as shape=line")
    hold = kinds.add_parser("hold", description="Hold the place where everybody is.")
    phase = kinds.add_parser("phase", description="Begin a phase of the scenario.")
    phase.add_argument("phase", metavar="NAME", help="of the phase")
    leave = kinds.add_parser("leave", description="Let others drive robots: they are neither commanded nor waited for, and kept clear of.")
    join = kinds.add_parser("join", description="Drive robots again that were away.")
    for parser in (leave, join):
        parser.add_argument("robots", metavar="ROBOT", nargs="+", help="its name in the scenario")
    for parser in (go, form, hold, phase, leave, join):
        if parser in (go, form, hold):
            parser.add_argument("--group", metavar="NAME", default="", help="whose task it is (default: the swarm's)")
        parser.add_argument(
            "--wait", metavar="S", nargs="?", type=above_zero, const=float("inf"), help="wait until it is done, for at most S"
        )
        _common(parser)
        parser.set_defaults(call=ask)
    what = "Wait until a task has ended. Status 0: it is done."
    wait = commands.add_parser("await", description=what, epilog="Example: swarm await 3f2a")
    wait.add_argument("id", metavar="TASK", help="its name, as swarm send printed it")
    wait.add_argument("--wait", metavar="S", type=above_zero, default=float("inf"), help="for at most S (default: for ever)")
    _common(wait)
    wait.set_defaults(call=watch)
    cancel = commands.add_parser(
        "cancel", description="Call off a task, or all; who was under way holds its place. For an emergency use swarm stop.",
        epilog="Example: swarm cancel 3f2a",
    )
    cancel.add_argument("id", metavar="TASK", nargs="?", default="", help="its name (default: all that are running)")
    _common(cancel)
    cancel.set_defaults(call=call_off)


def _common(parser: Any) -> None:
    parser.add_argument("--namespace", metavar="NAME", default="", help="of the swarm, where it has one")


def place(text: str) -> tuple[float, float, float]:
    """From ``x,y`` or ``x,y,heading``."""
    try:
        x, y, *heading = (float(part) for part in text.split(","))
        if len(heading) > 1 or not all(map(math.isfinite, (x, y, *heading))):
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} found, expected X,Y or X,Y,HEADING") from None
    return x, y, heading[0] if heading else 0.0


def _client(options: argparse.Namespace) -> Any:
    with needs_ros("swarm"):
        from swarm_control.ros.support.mission_client import MissionClient
    return MissionClient(root_of(options.namespace), WAIT)


def ask(options: argparse.Namespace) -> int:
    """Ask for a task, and wait for its end where that is wanted."""
    with _client(options) as client:
        match options.kind:
            case "go":
                found = client.go(options.places, options.group)
            case "form":
                found = client.form(options.group, **dict(options.settings))
            case "hold":
                found = client.hold(options.group)
            case "leave":
                found = client.leave(*options.robots)
            case "join":
                found = client.join(*options.robots)
            case _:
                found = client.begin_phase(options.phase)
        print(found.task.id, flush=True)
        if found.state == "refused":
            raise InputError("swarm send", found.text)
        return _ended(client, found.task.id, options.wait) if options.wait else 0


def watch(options: argparse.Namespace) -> int:
    """Wait until a task has ended."""
    with _client(options) as client:
        return _ended(client, options.id, options.wait)


def call_off(options: argparse.Namespace) -> int:
    """Call off a task, or all."""
    with _client(options) as client:
        ended = client.cancel(options.id)
    print(f"swarm: {', '.join(f'{one.task.id} {one.state}' for one in ended)}")
    return 0


def _ended(client: Any, id: str, wait: float) -> int:
    """Wait for a task's end; status 0 if it is done."""
    said: list[str] = []

    def progress(state: Any) -> None:
        known = client.state.groups.get(state.task.group, client.state.swarm)
        share = "" if known.arrived_fraction is None else f", {100.0 * known.arrived_fraction:.0f} % arrived"
        line = f"swarm: {id}: {state.task.kind} {state.state}{share}{f', {state.text}' if state.running and state.text else ''}"
        if said[-1:] != [line]:
            said.append(line)
            tell(line, sys.stderr)

    found = client.wait(id, wait, progress)
    if found.running:
        raise Failed(f"{id}: not done within {wait:g} s; it goes on (swarm cancel {id} calls it off)")
    print(f"{id} {found.state}{': ' if found.text else ''}{found.text}")
    return 0 if found.state == "succeeded" else 1
