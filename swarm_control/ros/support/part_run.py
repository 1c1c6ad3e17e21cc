"""``swarm run --part``: one robot's own nodes, or a simulator, on a computer that does not record the swarm."""

import os
import time
from collections.abc import Sequence

from swarm_control.errors import InputError
from swarm_control.ros.graph.parts import part
from swarm_control.ros.graph.plan import connected, plan
from swarm_control.ros.graph.real_names import topics_of
from swarm_control.ros.support.console import Console
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.scenario.groups import forms
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.setup import Setup
from swarm_control.terminal import signals
from swarm_control.world.names import robot_names

LOOK = 0.05
"""Time (s) between looks at the processes."""


def run_part(
    loaded: Loaded, setup: Setup, name: str, *, changes: Sequence[str] = (), simulator: str = "none", speed: float = 1.0,
    namespace: str = "",
) -> None:  # fmt: skip
    """Run a part of an onboard swarm, as :func:`~swarm_control.ros.graph.parts.part` has it, until it is interrupted.

    ``InputError`` for a part that there is not; ``Failed`` when a node cannot be kept running. No process is left behind.
    """
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    changes, drivers = connected(loaded, setup, changes, simulator)
    specs = plan(
        str(loaded.source), changes, simulator, speed=speed, formation=forms(loaded.scenario), drivers=drivers,
        onboard=robot_names(setup.fleet.names), namespace=namespace, topics=topics_of(loaded, setup, simulator),
    )  # fmt: skip
    console = Console()
    specs = part(specs, name)
    if not specs:
        raise InputError("--part", f"{name} found with --simulator {simulator}, which is started elsewhere; expected --simulator embedded")
    supervisor = Supervisor(specs, console.say)
    with signals() as told:
        try:
            supervisor.start()
            console.say(f"swarm: {name} of {loaded.scenario.name}: {len(specs)} processes, until they are interrupted")
            supervisor.release()
            while not told and not supervisor.over:
                supervisor.poll()
                time.sleep(LOOK)
        finally:
            supervisor.stop()
            console.end()
