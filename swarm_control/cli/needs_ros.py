"""Commands that need ROS 2's Python packages say so where these are not installed."""

from collections.abc import Iterator
from contextlib import contextmanager

from swarm_control.errors import InputError


@contextmanager
def needs_ros(command: str) -> Iterator[None]:
    """Import here what needs ROS: ``InputError`` of the ``command`` where a module of it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(command, f"no {error.name} found, expected ROS 2's Python packages to be installed") from None
