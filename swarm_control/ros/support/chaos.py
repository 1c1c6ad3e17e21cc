"""Faults on a running graph: nodes are killed, held still or starved while robots drive, and what comes of it is measured.

The robots obey their last command for ever (:mod:`holding_robots`), so that nothing but the nodes stops them.
"""

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import IntArray
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.graph.plan import plan
from swarm_control.ros.graph.spec import HOSTED, NodeSpec
from swarm_control.ros.support.fault_result import ASKING, LONGEST, FaultResult
from swarm_control.ros.support.forked import Forked
from swarm_control.ros.support.holding_robots import HoldingRobots
from swarm_control.ros.support.supervisor import Starter, Supervised, Supervisor
from swarm_control.scenario.groups import forms
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.setup import Setup

FAULTS = ("kill", "hang", "kill two", "kill all forked", "starve")
"""SIGKILL of a node; SIGSTOP of a node; SIGKILL of two at once; of the process that nodes are forked from, with which they end; all
processors taken away for two seconds.
"""

STARTING, SETTLING, RECOVERY, RESTING = 90.0, 0.5, 30.0, 3.0
"""Longest time (s) until robots move first; time that they drive between faults; longest time until they move again, and to rest."""

STOPPING = 0.2
"""Robots may move without a command for as long as permission was asked for, and this longer (s) until they have heard that they must stop.
They need not rest when all is back before."""

STARVING = 2.0
"""How long (s) processors are taken away."""

HOLDING = 2.0
"""How long (s) it is watched whether a stop holds."""


class Chaos:
    """A graph of real nodes that is broken on purpose. Use as a context manager; ``starter`` starts nodes' processes."""

    def __init__(
        self, loaded: Loaded, setup: Setup, changes: Sequence[str] = (), onboard: bool = False, starter: Starter | None = None
    ) -> None:  # fmt: skip
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        self.lines: list[str] = []
        carried = setup.fleet.names if onboard else ()
        specs = plan(str(loaded.source), changes, "none", formation=forms(loaded.scenario), onboard=carried)
        self._supervisor = Supervisor(specs, self.lines.append, starter)
        self._supervisor.moving = True
        self._supervisor.start()
        self._homes = tuple(f"/{topics.robot_name(name)}" if onboard else HOSTED for name in setup.fleet.names)
        self.robots = HoldingRobots(loaded, setup, self._homes)

    def __enter__(self) -> "Chaos":
        return self

    def __exit__(self, *error: object) -> None:
        self._supervisor.stop()
        self.robots.close()

    @property
    def nodes(self) -> list[Supervised]:
        """The nodes' processes."""
        return self._supervisor.nodes

    def until(self, condition: Callable[[], bool], patience: float) -> float | None:
        """Serve until ``condition()`` holds; how long (s) that took, None if it was longer than ``patience`` (s)."""
        began = time.monotonic()
        while not condition():
            if time.monotonic() - began > patience:
                return None
            self.robots.spin(0.01)
            self._supervisor.poll()
        return time.monotonic() - began

    def begin(self) -> bool:
        """Wait until robots move."""
        return self.until(lambda: self.robots.moving, STARTING) is not None

    def fault(self, kind: str, targets: Sequence[Supervised], stop_after: float | None = None) -> FaultResult:
        """Let a fault happen to ``targets``; ask for a stop ``stop_after`` (s) it has, if that is wanted."""
        self.until(lambda: False, SETTLING)
        self.until(lambda: self.robots.moving, RECOVERY)
        self.robots.forget()
        before, began = self.robots.contacts, time.monotonic()
        names = tuple(node.spec.full_name for node in targets)
        served = in_need([node.spec for node in targets], self._homes)
        watched = RESTING if stop_after is None else stop_after
        with self._happening(kind, targets):
            rest = self._rest(began, served, watched) if len(served) else None
            confirmed, broken = (None, "") if stop_after is None else self._stop(began + stop_after)
        went_on = kind.startswith("kill") and self.robots.uncommanded <= self.robots.lease + STOPPING
        if len(served) and rest is None and watched > LONGEST and not went_on:
            broken = broken or f"robots still moved {watched:.2f} s later"
        everybody = served if len(served) else np.arange(len(self._homes))
        recovery = self.until(lambda: self._all_back() and bool(self.robots.under_way[everybody].any()), RECOVERY)
        since = None if recovery is None else time.monotonic() - began
        return FaultResult(kind, names, rest, since, self.robots.contacts - before, stop_after is not None, confirmed, broken)

    def _rest(self, began: float, robots: IntArray, patience: float) -> float | None:
        """How long (s) after ``began`` these robots stood; None: not within ``patience`` (s)."""
        if self.until(lambda: not self.robots.under_way[robots].any(), patience) is None:
            return None
        return max(float(self.robots.at_rest_since[robots].max()) - began, 0.0)

    def _stop(self, at: float) -> tuple[float | None, str]:
        """Ask for a stop ``at`` (s, monotonic); how long it took until it was confirmed, and what was wrong with it."""
        self.until(lambda: time.monotonic() >= at, RECOVERY)
        stops = self.robots.stops
        record = stops.stop()
        guards = {node.spec.full_name for node in self.nodes if node.spec.executable == "guard"}
        confirmed = self.until(lambda: not stops.missing(record) and guards <= stops.others.keys(), RECOVERY)
        if confirmed is None:
            return None, f"the stop was not confirmed by {', '.join(stops.missing(record))}"
        broken = "" if self.until(lambda: not self.robots.moving, RESTING) is not None else "robots moved after the stop was confirmed"
        if not broken and self.until(lambda: self.robots.moving, HOLDING) is not None:
            broken = "robots moved although they were stopped"
        stops.release(record)
        return confirmed, broken

    @contextlib.contextmanager
    def _happening(self, kind: str, targets: Sequence[Supervised]) -> Iterator[None]:
        hogs: list[Any] = []
        if kind == "starve":
            hogs = [multiprocessing.get_context("fork").Process(target=_hog, daemon=True) for _ in range(4 * (os.cpu_count() or 1))]
            for hog in hogs:
                hog.start()
        if kind == "kill all forked":
            self._supervisor.starter.server.process.kill()
        else:
            for node in targets:
                node.signal(signal.SIGSTOP if kind == "hang" else signal.SIGKILL)
        yield
        if hogs:
            self.until(lambda: not any(hog.is_alive() for hog in hogs), 2.0 * STARVING)
        for hog in hogs:
            hog.kill()
            hog.join()

    def _all_back(self) -> bool:
        return all(node.process.poll() is None for node in self.nodes)


def in_need(gone: Sequence[NodeSpec], homes: Sequence[str]) -> IntArray:
    """Which robots cannot go on without these nodes: those with one of a chain in the namespace where their commands are made, which
    ``homes`` tells for each robot. Who carries its own nodes, guards among them, goes on without those of the base.
    """
    nodes = [node for spec in gone for node in spec.each]
    spaces = {node.namespace for node in nodes if KINDS[node.executable].chain and node.name not in ("director", "standby")}
    return np.flatnonzero([home in spaces for home in homes])


def draw(random: np.random.Generator, nodes: Sequence[Supervised]) -> tuple[str, list[Supervised]]:
    """A fault at random, and whom it happens to."""
    kind = str(random.choice(FAULTS))
    if kind == "kill all forked":
        return kind, [node for node in nodes if isinstance(node.process, Forked)]
    count = {"kill two": min(2, len(nodes)), "starve": 0}.get(kind, 1)
    return kind, [nodes[k] for k in random.choice(len(nodes), count, replace=False)]


def campaign(graph: Chaos, count: int, seed: int, stops: float) -> Iterator[FaultResult]:
    """``count`` faults at random, ``stops`` (share) of them with a stop at a random moment. Ends early when robots no longer move."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        kind, targets = draw(random, graph.nodes)
        after = float(random.uniform(0.0, ASKING)) if random.random() < stops else None
        result = graph.fault(kind, targets, after)
        yield result
        if result.recovery is None:
            return


def _hog() -> None:
    """Take a processor away for a while."""
    end = time.monotonic() + STARVING
    while time.monotonic() < end:
        pass
