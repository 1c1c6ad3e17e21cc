"""Command lines whose errors are one line."""

import argparse
import re
from typing import Any, NoReturn

from swarm_control.errors import nearest

CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)
"""What argparse says of a word that is not among those expected."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the one line and exit with status 2."""
        message = CHOICE.sub(_choice, message)
        self.exit(2, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


def _choice(found: re.Match[str]) -> str:
    return f"{found[1]!r} found{nearest(found[1], found[2].replace(chr(39), '').split(', '))}"


def setting(text: str) -> tuple[str, Any]:
    """From ``name=value``, the value as YAML."""
    import yaml

    name, equals, value = text.partition("=")
    try:
        found = yaml.safe_load(value)
    except yaml.YAMLError:
        equals = ""
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} found, expected NAME=VALUE")
    return name, found


def yaml_value(text: str) -> Any:
    """What a text says as YAML."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise argparse.ArgumentTypeError(f"{text!r} found, expected YAML") from None


def above_zero(text: str) -> float:
    """A number above zero."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not found > 0.0:
        raise argparse.ArgumentTypeError(f"{text!r} found, expected a number above 0")
    return found
