"""Options that are whole numbers."""

import argparse

from swarm_control.errors import InputError


def whole(options: argparse.Namespace, key: str, least: int, most: int = 2**31) -> int:
    """An option that is a whole number; ``InputError`` for another."""
    text = str(getattr(options, key))
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise InputError(f"--{key.replace('_', '-')}", f"{text!r} found, expected a whole number from {least} to {most}")
    return int(text)
