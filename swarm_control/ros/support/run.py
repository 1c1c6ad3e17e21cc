"""``swarm run``: start the nodes, watch them, and end with the same results as ``swarm simulate``."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from swarm_control.dashboard.browser import browse
from swarm_control.dashboard.security import Access
from swarm_control.errors import Failed
from swarm_control.hardware.robot import links
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.graph.parts import ALL, BASE, part
from swarm_control.ros.graph.plan import EXTERNAL, connected, plan
from swarm_control.ros.graph.real_names import topics_of
from swarm_control.ros.graph.spec import HOSTED, root_of
from swarm_control.ros.support.console import Console
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.scenario.groups import forms
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.setup import Setup
from swarm_control.terminal import signals
from swarm_control.world.names import robot_names

Take = Callable[[Any], None]

SLOW = 10.0
"""Time (s) after which the user is told which nodes have not reported yet."""

PATIENCE = 60.0
"""Longest wait (s) for the first reports of the nodes that must be there before the time of Stage or Gazebo runs."""


def run(
    loaded: Loaded, setup: Setup, *, changes: Sequence[str] = (), simulator: str = "embedded", speed: float = 1.0,
    until_arrival: bool = False, world: Path | None = None, window: bool | None = None, dashboard: Access | None = None, record: str = "",
    markers: bool = False, film: str = "", namespace: str = "", onboard: bool = False, which: str = ALL,
    keep: Take = lambda so_far: None, finish: Take = lambda outcome: None,
) -> Any:  # fmt: skip
    """Run a scenario as ROS 2 nodes, to its end or until it is interrupted; returns the runner's ``Outcome``.

    ``world``: the exported world with which Stage or Gazebo is to be started; ``window``: whether it opens one. ``dashboard``: where
    it listens; a browser is shown it where there is one. ``record``: MCAP file to record all messages in, or nothing. ``markers``:
    whether RViz and Foxglove are shown the swarm. ``film``: file for a film of robots that MuJoCo moves. ``namespace``: of the swarm in
    the graph. ``onboard``: whether each robot has nodes of its own; ``which`` of them run here, :data:`ALL` or :data:`BASE`. ``keep`` is
    called again and again with a function that tells the outcome so far, ``finish`` with the outcome; meanwhile no signal ends the
    process.
    Raises ``Failed`` when a node cannot be kept running, after ``finish`` if anything was heard. No process is left behind.
    """
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    console = Console()
    if simulator == "none" and loaded.scenario.hardware.wheels.link:
        links(loaded.scenario.hardware.wheels, setup.fleet, range(len(setup.fleet)))
    changes, drivers = connected(loaded, setup, changes, simulator)
    robots, root, real = robot_names(setup.fleet.names) if onboard else [], root_of(namespace), topics_of(loaded, setup, simulator)
    specs = plan(
        str(loaded.source), changes, simulator, speed=speed, formation=forms(loaded.scenario), watchers=1, drivers=drivers,
        world=world, window=window, dashboard=None if dashboard is None else dashboard.parameters, record=record,
        markers=markers, film=str(Path(film).absolute()) if film else "", namespace=namespace, onboard=robots, topics=real,
    )  # fmt: skip
    supervisor = Supervisor(specs := part(specs, which), console.say)
    with signals() as told:
        try:
            supervisor.start()
            from swarm_control.ros.support.observer import Observer

            source = "swarm_state" if simulator in ("embedded", "mujoco") else "odom"
            true = simulator == "mujoco" and not onboard
            observer = Observer(loaded, setup, source, simulator in EXTERNAL, true=true, root=root, onboard=robots, real=real)
            watch = _Watch(loaded, observer, supervisor, console, until_arrival, told, keep)
            if dashboard is not None:
                watch.invite(dashboard.address(dashboard.port))
            chain = {node.full_name for spec in specs if spec.own for node in spec.each if KINDS[node.executable].chain}
            failure = watch.run(chain if simulator in EXTERNAL else set())
        finally:
            supervisor.stop()
            console.end()
        outcome = watch.finish(finish)
    if which == BASE:
        console.say(f"swarm: the robots go on by themselves; to hold them: swarm stop{f' --namespace {root[1:]}' if root else ''}")
    if failure is not None:
        raise failure
    return outcome


class _Watch:
    """The loop of a run."""

    def __init__(
        self, loaded: Loaded, observer: Any, supervisor: Supervisor, console: Console, until_arrival: bool, told: list[int], keep: Take
    ) -> None:  # fmt: skip
        self._loaded, self._observer, self._supervisor, self._console = loaded, observer, supervisor, console
        self._until_arrival, self._told, self._keep = until_arrival, told, keep
        self._began = self._shown = time.monotonic()
        self._frames, self._polled = 0, 0.0
        self._address = ""

    def invite(self, address: str) -> None:
        """Tell where the dashboard is; it is opened as soon as it answers."""
        self._console.say(f"swarm: dashboard at {address}")
        self._address = address

    def run(self, nodes: set[str]) -> Failed | None:
        """Watch until the end; returns why it came too early, if it did. ``Failed`` before anything has been heard of the robots.

        What else is to run is started when these ``nodes`` have reported.
        """
        try:
            self._wait(nodes)
            self._supervisor.release()
            self._supervisor.moving = True
            while not self._told and not self._over():
                self._turn()
        except Failed as error:
            if not self._observer.frames:
                raise
            return error
        return None

    def _wait(self, nodes: set[str]) -> None:
        """Wait until these nodes have reported, though not forever, so that no simulator's time runs before they can command."""
        said = False
        while not self._told and (missing := nodes - self._observer.values.keys()) and time.monotonic() - self._began < PATIENCE:
            if not said and time.monotonic() - self._began > SLOW:
                self._console.say(f"swarm: waiting for {', '.join(sorted(missing))} before the simulator is started")
                said = True
            self._turn()

    def _turn(self) -> None:
        self._observer.spin(0.05)
        now = time.monotonic()
        if now - self._polled > 0.05:
            self._polled = now
            self._supervisor.poll()
            self._open()
            self._show(now)
            if self._observer.frames:
                self._keep(self.outcome)

    def _open(self) -> None:
        """Show the dashboard in a browser, once, without waiting for it."""
        if self._address and f"{HOSTED}/dashboard" in self._observer.values:
            address, self._address = self._address, ""
            browse(address)

    def _over(self) -> bool:
        observer, scenario = self._observer, self._loaded.scenario
        return bool(self._supervisor.over or observer.time >= scenario.duration - 1e-9 or (self._until_arrival and observer.done))

    def _show(self, now: float) -> None:
        pause = 1.0 if self._console.live else 5.0
        if now - self._shown >= pause:
            frames = self._observer.frames
            self._console.progress(self._observer.line(max(frames - self._frames, 0) / (now - self._shown)))
            self._shown, self._frames = now, frames

    def finish(self, finish: Take) -> Any:
        """Hand over the outcome, and end the observer; returns the outcome. ``Failed`` where of real robots nothing has been heard."""
        try:
            if self._observer.deaf:
                names = self._observer.setup.fleet.names
                where = f"{self._observer.known_as(topics.ODOM.of(names[0]))}{' …' if len(names) > 1 else ''}"
                raise Failed(f"{self._loaded.scenario.name}: no odometry has been heard on {where}, so there are no results")
            outcome = self.outcome()
            finish(outcome)
        finally:
            self._observer.close()
        return outcome

    def outcome(self) -> Any:
        """What there is."""
        from swarm_control.analysis.simulation import Outcome
        from swarm_control.ros.support.formation_status import problems_of

        observer, scenario = self._observer, self._loaded.scenario
        observer.settle()
        summary = observer.metrics.summary(
            scenario=scenario.name, seed=scenario.seed, duration=max(observer.time, 0.0), wall_time=time.monotonic() - self._began,
            collisions=observer.contacts, energy=None, results=observer.results, results_of=observer.results_of,
        )  # fmt: skip
        filtered, fenced = observer.interventions
        return Outcome(summary, observer.recorder, filtered, observer.series, fenced, problems_of(observer.values.values()))
