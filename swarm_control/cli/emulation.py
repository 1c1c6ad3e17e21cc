"""What ``swarm emulate`` shows and writes: the robots once a second, their contacts as they happen, and the truth."""

import csv
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.errors import InputError

PAUSE = 1.0
"""Time (s) between two looks at the robots, and at least between two lines about contacts."""

NAMED = 3
"""So many contacts are named in a line; of more their number is said."""


def opened(path: Path) -> Any:
    """The file that ``--truth`` names."""
    try:
        return path.open("w", newline="", encoding="utf-8")
    except OSError as error:
        raise InputError(f"--truth {path}", f"{error.strerror}; expected a file that can be written") from None


class Emulation:
    """Watches ``robots`` on their ``floor``; ``truth`` judges them, ``file`` is given their true poses; None: nobody does, nothing is."""

    def __init__(self, robots: list[Any], floor: Any, truth: Any, file: Any) -> None:
        self._robots, self._floor, self._truth, self._file = robots, floor, truth, file
        self._rows = csv.writer(file) if file else None
        self._shown, self._told = time.monotonic(), -math.inf
        self._lines, self._untold = 0, list[str]()
        if self._rows:
            self._rows.writerow(("time", "robot", "x", "y", "yaw", "left", "right"))

    def __call__(self, now: float) -> None:
        """Look at one turn; ``now`` is in s."""
        self._tell_contacts(now)
        if self._truth is not None:
            self._truth.look(now, self._floor.pose, any(any(robot.firmware.rates) for robot in self._robots))
        if self._rows:
            stamp = f"{time.time():.4f}"
            for robot in self._robots:
                numbers = (*robot.firmware.where, *robot.firmware.rates)
                self._rows.writerow((stamp, robot.name, *(f"{number:.6f}" for number in numbers)))
            self._file.flush()
        if now - self._shown >= PAUSE and sys.stderr.isatty():
            self._shown = now
            back = f"\x1b[{self._lines}A" if self._lines else ""
            print(back + "\n".join(f"{self.line(robot)}\x1b[K" for robot in self._robots), file=sys.stderr, flush=True)
            self._lines = len(self._robots)

    def _tell_contacts(self, now: float) -> None:
        """Say who has touched what since the last line about it."""
        self._untold += self._floor.begun
        if self._untold and now - self._told >= PAUSE:
            more = f" and {len(self._untold) - NAMED} more" if len(self._untold) > NAMED else ""
            print(f"contact: {', '.join(self._untold[:NAMED])}{more}", flush=True)
            self._untold, self._told, self._lines = [], now, 0

    def line(self, robot: Any) -> str:
        """A robot in one line."""
        (x, y, yaw), (left, right) = robot.firmware.where, robot.firmware.rates
        state = "stands" if robot.firmware.stopped else "driven"
        host = "connected" if robot.port.connected else "waiting"
        into, out = robot.into, robot.out
        lost = f"lost {into.dropped}+{out.dropped}, garbled {into.garbled}+{out.garbled}, unread {robot.firmware.bad}"
        return (
            f"{robot.name}  {host}, {state}   wheels {left:+6.2f} {right:+6.2f} rad/s   x {x:+.3f} y {y:+.3f} m "
            f"{round(math.degrees(yaw)):+d}°   {into.lines} lines in, {out.lines} out: {lost}"
        )

    def end(self, out: Path | None) -> None:
        """Say where the robots have got to, and what they truly did; write that into the folder ``out``, if there is one."""
        for robot in self._robots:
            print(self.line(robot), flush=True)
        collisions = self._floor.collisions
        for path in () if out is None else self._truth.write(out, collisions):
            print(f"  {path}")
        print(f"in truth: {int(collisions.sum())} contacts{self._arrival(collisions)}; {self._losses()}", flush=True)

    def _arrival(self, collisions: Any) -> str:
        made = {} if self._truth is None else self._truth.summary(collisions)
        if made.get("arrived_fraction") is None:
            return ""
        at = "" if made["arrival_time"] is None else f" (at {made['arrival_time']:.1f} s)"
        return f", {100 * made['arrived_fraction']:.0f} % arrived{at} in {made['duration']:.1f} s"

    def _losses(self) -> str:
        links = [link for robot in self._robots for link in (robot.into, robot.out)]
        lines, dropped, garbled = np.sum([(link.lines, link.dropped, link.garbled) for link in links], axis=0)
        return f"of {lines} lines {dropped} lost, {garbled} garbled"
