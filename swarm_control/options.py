"""Command lines whose errors are one line."""

import argparse
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the one line and exit with status 2."""
        self.exit(2, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


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
