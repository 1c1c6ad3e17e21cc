"""The result files of a run while it goes on: whatever ends its process, they tell of it up to a moment before."""

import contextlib
import math
import time
from collections.abc import Callable
from pathlib import Path

from swarm_control.analysis.report.results import PICTURE, write_data
from swarm_control.analysis.simulation import Outcome
from swarm_control.errors import InputError
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.tree import to_data
from swarm_control.scenario.yaml_text import dump_yaml

EVERY = 0.5
"""Time (s) between two checkpoints, where writing one takes little."""

SHARE = 0.05
"""Most that checkpoints may take of a run's time; where there is much to write, they are further apart."""


class Checkpoints:
    """Brings the result files in ``out`` up to date about twice a second, except for the picture, which is drawn at the end.

    The files are replaced as a whole, and together. When one cannot be written, ``say`` gets one line and there are no more checkpoints.
    """

    def __init__(self, out: Path, loaded: Loaded, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._out, self._loaded, self._say, self._clock = out, loaded, say, clock
        self._due = clock() + EVERY
        self._scenario = ""

    def __call__(self, outcome: Callable[[], Outcome]) -> None:
        """Write the ``outcome`` so far if it is time to; it is asked for only then."""
        began = self._clock()
        if began < self._due:
            return
        try:
            self._write(outcome())
        except InputError as error:
            self._due = math.inf
            self._say(f"swarm: {error}; the run goes on, its results are written at its end")
        else:
            ended = self._clock()
            self._due = ended + max(EVERY, (ended - began) / SHARE)

    def _write(self, outcome: Outcome) -> None:
        if not self._scenario:
            self._scenario = dump_yaml(to_data(self._loaded.scenario))
            with contextlib.suppress(OSError):  # a former run's picture is not taken for this one's
                (self._out / PICTURE).unlink()
        write_data(self._out, self._scenario, outcome.recorder, outcome.summary, outcome.series)
