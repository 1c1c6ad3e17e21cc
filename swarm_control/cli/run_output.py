"""What ``swarm simulate`` and ``swarm run`` say: how a run is getting on, and what came of it."""

import sys
import threading
import time
from pathlib import Path
from typing import Any

from swarm_control.errors import Failed, InputError
from swarm_control.terminal import tell


def finish(out: Path, loaded: Any, setup: Any, outcome: Any) -> None:
    """Write the results of a run into the folder ``out`` and say what came of it. ``Failed`` when they cannot be written."""
    from swarm_control.analysis.report.results import write_results

    try:
        written = write_results(out, loaded, setup, outcome.recorder, outcome.summary, outcome.series)
    except InputError as error:
        raise Failed(str(error)) from None
    s = outcome.summary
    arrived = "" if s["arrived_fraction"] is None else f", {100 * s['arrived_fraction']:.0f} % arrived"
    at = "" if s["arrival_time"] is None else f" (at {s['arrival_time']:.1f} s)"
    took = f"{s['duration']:.1f} s in {s['wall_time']:.1f} s"
    jams = f", {s['jams']} jams ({s['jam_time']:.0f} s)" if s["jams"] else ""
    known = s["collisions"] is not None
    collisions = f"{s['collisions']} collisions" if known else "collisions unknown (no simulator here counts them)"
    falls = f", {s['falls']} fell" if s.get("falls") else ""
    tell(f"{s['scenario']}: {s['robots']} robots, {took}{arrived}{at}, {collisions}{falls}{jams}")
    if outcome.problem and s["arrived_fraction"] != 1.0:
        tell(f"formation: {outcome.problem}")
    if not known and loaded.scenario.hardware.by_wheels_alone:
        tell("not known: where the robots truly are and who has arrived. Wheels that slip tell it wrong; hardware.tracker would tell")
    if outcome.interventions:
        tell(f"separation filter: {outcome.interventions} interventions")
    if outcome.fenced:
        tell(f"fence: {outcome.fenced} interventions")
    for path in written:
        tell(f"  {path}")


def warn(line: str) -> None:
    """Say a line on standard error, below the progress."""
    tell(f"\n{line}" if sys.stderr.isatty() else line, sys.stderr)


LONG = 5.0
"""A step that takes longer (s) is told of, and again each time that as much has passed."""


class RunProgress:
    """Shows a progress line on standard error, once a second; as a context, also one of a step that takes long."""

    def __init__(self, duration: float) -> None:
        self.duration = duration
        self.began = self.shown = self.ticked = time.monotonic()
        self._time, self._over = 0.0, threading.Event()

    def __enter__(self) -> "RunProgress":
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def __call__(self, frame: Any) -> None:
        """Look at one tick."""
        now = time.monotonic()
        self.ticked, self._time = now, frame.truth.time
        if now - self.shown < 1.0:
            return
        ways = (frame.controller.formation(number).planned for number in frame.controller.keeping)
        planned = "".join(f"   formation: {clock:.0f} of {lasting:.0f} s of its way" for clock, lasting in filter(None, ways))
        self._show(f"arrived {100 * frame.orders.arrived.mean():3.0f} %{planned}   {self._time / (now - self.began):.1f}× real time")

    def _show(self, text: str) -> None:
        self.shown = time.monotonic()
        tell(f"t = {self._time:6.1f} of {self.duration:g} s   {text}", sys.stderr, end="\r" if sys.stderr.isatty() else "\n")

    def _watch(self) -> None:
        while not self._over.wait(0.2 * LONG):
            now = time.monotonic()
            if now - max(self.ticked, self.shown) > LONG:
                self._show(f"this step has taken {now - self.ticked:.0f} s so far (formations plan ways, and loops are compiled once)")
