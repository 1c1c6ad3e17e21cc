"""``swarm replay``: a player in the simulator's place, and the dashboard."""

import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from swarm_control.analysis.bags.runs import BagRun, read_bag
from swarm_control.dashboard.browser import browse
from swarm_control.dashboard.security import Access
from swarm_control.errors import InputError
from swarm_control.ros.graph.spec import HOSTED, NodeSpec
from swarm_control.ros.support.console import Console
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.tree import build
from swarm_control.scenario.yaml_text import dump_yaml
from swarm_control.terminal import signals

APART = 50
"""A replay's ROS domain is this far from the user's own, so that no running robot hears it."""


def replay(path: Path, speed: float, access: Access) -> None:
    """Play the bag at ``path`` into the dashboard until interrupted."""
    run = read_bag(path)
    console = Console()
    for line in run.notices:
        console.say(f"swarm: {line}")
    domain = (int(os.environ.get("ROS_DOMAIN_ID") or 0) + APART) % 101
    os.environ.update(ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    with tempfile.TemporaryDirectory() as folder, signals() as told:
        scenario = Path(folder) / f"{path.stem}.yaml"
        scenario.write_text(dump_yaml(scenario_of(run, path.stem, console.say)), encoding="utf-8")
        supervisor = Supervisor(specs(scenario, path, speed, access), console.say)
        try:
            supervisor.start()
            end = run.trajectory.time[-1]
            address = access.address(access.port)
            console.say(f"swarm: {len(run.trajectory.names)} robots, {end:.1f} s, at {address} (ROS domain {domain}); Ctrl-C ends it")
            browse(address)
            while not told:
                supervisor.poll()
                time.sleep(0.1)
        finally:
            supervisor.stop()
            console.end()


def scenario_of(run: BagRun, name: str, say: Callable[[str], None]) -> dict[str, object]:
    """The scenario that was recorded, without its world; for bags of others, or of other versions, one with as many robots."""
    bare = {"name": re.sub(r"\W", "_", name) or "replay"}
    poses = [[float(x), float(y), 0.0] for x, y in run.trajectory.pose[0, :, :2]]
    start = {"count": len(poses), "start": {"pattern": "poses", "poses": poses}}
    recorded = {**run.settings, "world": None, "robots": [{**dict((run.settings.get("robots") or [{}])[0]), **start}]}
    try:
        build(Scenario, recorded, "the recorded scenario")
    except InputError as error:
        say(f"swarm: {error}; played without it")
        recorded = {"robots": [start]}
    return {**bare, **recorded}


def specs(scenario: Path, path: Path, speed: float, access: Access) -> list[NodeSpec]:
    """The two processes. The player has the simulator's name, by which the dashboard knows whom it may pause."""
    words = ("--scenario", str(scenario))
    player = NodeSpec("player", "simulator", HOSTED, words, {"file": str(path.resolve()), "speed": float(speed)})
    shown = {"use_sim_time": True, "source": "swarm_state", **access.parameters}
    return [player, NodeSpec("dashboard", "dashboard", HOSTED, words, shown)]
