"""Options that change a scenario, and what a scenario's user is told before it runs."""

import argparse
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError


def change_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that :func:`overrides` reads."""
    parser.add_argument("--world", metavar="FILE.world", help="a Stage world in place of the scenario's own")
    parser.add_argument("--robots", metavar="N", help="number of robots")
    parser.add_argument("--duration", metavar="S", help="how long it lasts, s")
    parser.add_argument("--seed", metavar="N", help="seed of every random number")
    parser.add_argument("--set", metavar="PATH=VALUE", action="append", default=[], help="change a value of the scenario; may be repeated")


def overrides(options: argparse.Namespace) -> list[str]:
    """The options that change the scenario, as ``PATH=VALUE``, in the order in which they apply; errors name the option."""
    from swarm_control.scenario.overrides import Override

    changes: list[str] = [Override(text) for text in options.set]
    if options.world:
        from swarm_control.scenario.setup import world_overrides

        option = f"--world {options.world}"
        try:
            found = world_overrides(Path(options.world), counted=options.robots is not None)
        except InputError as error:
            raise InputError(option, str(error).removeprefix(f"{options.world}: ")) from None
        changes += [Override(text, option) for text in found]
    for key in ("robots", "duration", "seed"):
        value = getattr(options, key)
        if value is not None:
            changes.append(Override(f"{key}={value}", f"--{key} {value}"))
    return changes


def notices_of(loaded: Any, setup: Any) -> list[str]:
    """What there is to know of a scenario and its setup before it runs, settings that contradict each other last."""
    from swarm_control.scenario.consistency import contradictions_of
    from swarm_control.scenario.groups import controls_of

    warnings = contradictions_of(controls_of(loaded.scenario, str(loaded.source)))
    return [*setup.notices, *(f"warning: {text}" for text in warnings)]
