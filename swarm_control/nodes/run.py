"""``swarm run``: start the nodes, watch them, and end with the same results as ``swarm simulate``."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from swarm_control.nodes.console import Console
from swarm_control.nodes.plan import forms, plan
from swarm_control.nodes.supervisor import Supervisor
from swarm_control.scenario.loader import Loaded
from swarm_control.sim.setup import Setup


def run(
    loaded: Loaded, setup: Setup, *, changes: Sequence[str] = (), simulator: str = "embedded", speed: float = 1.0,
    until_arrival: bool = False,
) -> Any:  # fmt: skip
    """Run a scenario as ROS 2 nodes, to its end or until it is interrupted; returns the runner's ``Outcome``.

    Raises ``Failed`` when a node cannot be kept running. No process is left behind.
    """
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    console = Console()
    specs = plan(str(loaded.source), changes, simulator, speed=speed, formation=forms(loaded.scenario), watchers=1)
    supervisor = Supervisor(specs, console.say)
    with _signals() as told:
        try:
            supervisor.start()
            from swarm_control.nodes.observer import Observer

            observer = Observer(loaded, setup, "swarm_state" if simulator == "embedded" else "odom")
            watch = _Watch(loaded, observer, supervisor, console, until_arrival, told)
            watch.run()
        finally:
            supervisor.stop()
            console.end()
        outcome = watch.outcome()
        observer.close()
    return outcome


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM in a list while in this context."""
    told: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        told.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Watch:
    """The loop of a run."""

    def __init__(
        self, loaded: Loaded, observer: Any, supervisor: Supervisor, console: Console, until_arrival: bool, told: list[int]
    ) -> None:  # fmt: skip
        self._loaded, self._observer, self._supervisor, self._console = loaded, observer, supervisor, console
        self._until_arrival, self._told = until_arrival, told
        self._began = self._shown = time.monotonic()
        self._frames = 0

    def run(self) -> None:
        """Watch until the end."""
        polled = 0.0
        while not self._told and not self._over():
            self._observer.spin(0.05)
            now = time.monotonic()
            if now - polled > 0.05:
                polled = now
                self._supervisor.poll()
                self._show(now)

    def _over(self) -> bool:
        observer, scenario = self._observer, self._loaded.scenario
        return bool(observer.time >= scenario.duration - 1e-9 or (self._until_arrival and observer.done))

    def _show(self, now: float) -> None:
        pause = 1.0 if self._console.live else 5.0
        if now - self._shown >= pause:
            frames = self._observer.frames
            self._console.progress(self._observer.line((frames - self._frames) / (now - self._shown)))
            self._shown, self._frames = now, frames

    def outcome(self) -> Any:
        """What there is."""
        from swarm_control.sim.runner import Outcome

        observer, scenario = self._observer, self._loaded.scenario
        observer.settle()
        summary = observer.metrics.summary(
            scenario=scenario.name, seed=scenario.seed, duration=max(observer.time, 0.0), wall_time=time.monotonic() - self._began,
            collisions=observer.collisions, **observer.results,
        )  # fmt: skip
        return Outcome(summary, observer.recorder, int(observer.value("motion_model", "filter_interventions", 0)))
