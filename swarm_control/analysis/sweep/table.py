"""The table of a sweep: a row for each run, a column for each parameter and each measure; and what many seeds say together."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.intervals import interval
from swarm_control.files import replacing

Row = Mapping[str, Any]

MANY = 4
"""Different values from which on a rank correlation says something."""


def row_of(key: str, values: Mapping[str, Any], seed: int, summary: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a run: ``run``, the parameters by path, ``seed``, and the summary's measures; those of a group as ``groups.red.…``.

    A measure that has the name of a parameter, as ``duration``, is called ``summary.duration``.
    """
    row = {"run": key, **{path: _cell(value) for path, value in values.items()}, "seed": seed}
    measures = {name: value for name, value in _flat(summary) if name not in ("seed", "error")}
    renamed = {f"summary.{name}" if name in row else name: value for name, value in measures.items()}
    return {**row, **renamed, "error": summary.get("error")}


def _flat(summary: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in summary.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        elif not isinstance(value, (list, tuple)):
            yield before + key, value


def _cell(value: Any) -> Any:
    """A value as a column can hold it: lists and mappings as text."""
    return value if value is None or isinstance(value, (bool, int, float, str)) else json.dumps(value)


def columns_of(rows: Sequence[Row]) -> list[str]:
    """The columns that have a value in some row, in the order in which the rows have them; ``error`` last."""
    found = dict.fromkeys(key for row in rows for key, value in row.items() if value is not None)
    found.pop("error", None)
    return [*found, "error"]


def write_csv(path: Path, rows: Sequence[Row]) -> Path:
    """Write the table as CSV; what a run does not have is empty."""
    columns = columns_of(rows)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_parquet(path: Path, rows: Sequence[Row]) -> Path | None:
    """Write the table as Parquet, with a type for each column; None where pyarrow is not installed."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return None
    columns = {name: _typed([row.get(name) for row in rows]) for name in columns_of(rows)}
    with replacing(path) as temporary:
        parquet.write_table(pa.table(columns), temporary)
    return path


def _typed(cells: Sequence[Any]) -> list[Any]:
    """Cells of one type, as Parquet wants them: numbers, truth values, or texts where there are several kinds."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) <= 1:
        return list(cells)
    if kinds == {int, float}:
        return [None if cell is None else float(cell) for cell in cells]
    return [None if cell is None else str(cell) for cell in cells]


@dataclass(frozen=True)
class Mean:
    """A mean over ``count`` runs, and half the width of its 95 % interval (Student's t); None where one run does not tell."""

    value: float
    half: float | None
    count: int

    def __str__(self) -> str:
        return f"{self.value:.4g}" + ("" if self.half is None else f" ± {self.half:.2g}")


def mean_of(rows: Sequence[Row], measure: str) -> Mean | None:
    """The mean of a measure over the runs that have it; None when none has."""
    found = np.array([float(row[measure]) for row in rows if row.get(measure) is not None])
    if not len(found):
        return None
    return Mean(float(found.mean()), interval(found) if len(found) > 1 else None, len(found))


def combinations_of(rows: Sequence[Row], paths: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """The rows by their values of the parameters ``paths``, in the order in which these come."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[path] for path in paths), []).append(row)
    return found


def measures_that_vary(rows: Sequence[Row], known: Sequence[str], most: int = 6) -> list[str]:
    """Those of the ``known`` measures that differ between runs, the first ``most``; the first that there is where none does."""
    there = [name for name in known if any(isinstance(row.get(name), (int, float)) for row in rows)]
    return [name for name in there if len({row.get(name) for row in rows}) > 1][:most] or there[:1]


def rank_correlation(rows: Sequence[Row], path: str, measure: str) -> float | None:
    """Spearman's rank correlation of a parameter with a measure; None where either has fewer than four values, or is no number."""
    from scipy.stats import spearmanr

    pairs = [(row[path], row[measure]) for row in rows if row.get(measure) is not None]
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for pair in pairs for value in pair)
    if not numbers or any(len(set(values)) < MANY for values in zip(*pairs)) or not pairs:
        return None
    return float(spearmanr(*zip(*pairs)).statistic)
