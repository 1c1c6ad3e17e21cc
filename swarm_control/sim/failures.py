"""Robots that fail for a time."""

from collections.abc import Sequence

from swarm_control.core.state import Commands, Fleet
from swarm_control.scenario.schema import Failure


def obeyed(commands: Commands, fleet: Fleet, failures: Sequence[Failure], time: float) -> Commands:
    """What is left of ``commands`` at ``time`` (s): robots that have failed stand."""
    failed = [fleet.names.index(f.robot) for f in failures if f.start <= time + 1e-9 < f.end]
    if not failed:
        return commands
    twist = commands.twist.copy()
    twist[failed] = 0.0
    return Commands(twist)
