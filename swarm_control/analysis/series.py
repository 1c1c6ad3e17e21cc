"""What a run's trajectory cannot tell, tick by tick: what each behaviour was granted, who has arrived, how the formation holds."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.errors import InputError

FILE = "series.npz"
LIMIT = 20_000
"""Ticks that are kept; of a longer run every second, fourth, … ."""


class Series:
    """Values over time, of every tick, or of every second, fourth, … tick where all would be more than ``limit``.

    ``columns``: name → one value for each of ``time`` (s), NaN where there was none; at the end they may be missing.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.time: list[float] = []
        self.columns: dict[str, list[float]] = {}
        self._limit = limit
        self._ticks, self._stride = 0, 1

    def add(self, time: float, values: Mapping[str, float | None]) -> None:
        """Take note of ``values`` at ``time`` (s) of the next tick."""
        if len(self.time) == self._limit and self._ticks % self._stride == 0:
            self._thin()
        due = self._ticks % self._stride == 0
        self._ticks += 1
        if not due:
            return
        self.time.append(time)
        for name, value in values.items():
            column = self.columns.setdefault(name, [])
            column.extend([np.nan] * (len(self.time) - 1 - len(column)))
            column.append(np.nan if value is None else float(value))

    def arrays(self) -> dict[str, Array]:
        """``time`` and every column as arrays of one length, evenly spaced."""
        padded = {name: column + [np.nan] * (len(self.time) - len(column)) for name, column in self.columns.items()}
        return {name: np.array(values, float) for name, values in {"time": self.time, **padded}.items()}

    def _thin(self) -> None:
        """Keep every second tick of those that are kept, and half as many from now on."""
        for values in (self.time, *self.columns.values()):
            del values[1::2]
        self._stride *= 2

    def write(self, path: Path) -> None:
        """Write them to ``path``, as :func:`load_series` reads them."""
        with path.open("wb") as file:
            np.savez(file, **self.arrays())  # type: ignore[arg-type]


def load_series(path: Path) -> dict[str, Array]:
    """Read a ``series.npz``; nothing when there is none, ``InputError`` when it is damaged."""
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
    return {f"share/{name}": float(norm(own).mean()) for name, own in zip(names, share) if len(own)}
