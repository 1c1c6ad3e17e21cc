"""What a run's trajectory cannot tell, tick by tick: what each behaviour was granted, who has arrived, how the formation holds."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from swarm_control.analysis.npz import write_arrays
from swarm_control.core.geometry import Array, norm
from swarm_control.errors import InputError
from swarm_control.files import refuse_pipe

FILE = "series.npz"
LIMIT = 20_000
"""Ticks that are kept; of a longer run every second, fourth, … ."""


class Series:
    """Values over time, of every tick, or of every second, fourth, … tick where all would be more than ``limit``.

    A column has the room for all of them from its first value on, so that nothing grows while a run lasts.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._time, self._columns = np.full(limit, np.nan), dict[str, Array]()
        self._kept, self._ticks, self._stride = 0, 0, 1

    @property
    def time(self) -> Array:
        """Times (s) of the ticks that are kept."""
        return self._time[: self._kept]

    @property
    def columns(self) -> dict[str, Array]:
        """By name: one value for each of :attr:`time`, NaN where there was none."""
        return {name: column[: self._kept] for name, column in self._columns.items()}

    def add(self, time: float, values: Mapping[str, float | None]) -> None:
        """Take note of ``values`` at ``time`` (s) of the next tick."""
        if self._kept == self._limit and self._ticks % self._stride == 0:
            self._thin()
        due = self._ticks % self._stride == 0
        self._ticks += 1
        if not due:
            return
        for name in values:
            if name not in self._columns:
                self._columns[name] = np.full(self._limit, np.nan)
        self._time[self._kept] = time
        for name, column in self._columns.items():
            value = values.get(name)
            column[self._kept] = np.nan if value is None else value
        self._kept += 1

    def arrays(self) -> dict[str, Array]:
        """``time`` and every column as arrays of one length, evenly spaced."""
        return {name: values.copy() for name, values in {"time": self.time, **self.columns}.items()}

    def _thin(self) -> None:
        """Keep every second tick of those that are kept, and half as many from now on."""
        kept = self.arrays()
        self._kept = (self._kept + 1) // 2
        for name, values in {"time": self.time, **self.columns}.items():
            values[:] = kept[name][::2]
        self._stride *= 2

    def write(self, path: Path) -> None:
        """Write them to ``path``, as :func:`load_series` reads them."""
        write_arrays(path, {"time": self.time, **self.columns})


def load_series(path: Path) -> dict[str, Array]:
    """Read a ``series.npz``; nothing when there is none, ``InputError`` when it is damaged."""
    refuse_pipe(path)
    if not path.exists():
        return {}
    try:
        with np.load(path, allow_pickle=False) as data:
            found = {str(name): np.asarray(data[name], float) for name in data.files}
        assert all(column.shape == found["time"].shape for column in found.values())
        return found
    except Exception:  # whatever a damaged archive makes its reader raise
        raise InputError(str(path), "is damaged, expected columns of one length, time among them") from None


def mean_shares(names: Sequence[str], share: Array) -> dict[str, float]:
    """Mean magnitude (m/s²) over the robots of what each behaviour was granted, ``share`` (B, N, 2), as ``share/<behaviour>``."""
    means = norm(share).mean(axis=1) if share.shape[1] else ()
    return {f"share/{name}": float(mean) for name, mean in zip(names, means)}
