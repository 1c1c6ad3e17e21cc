"""What came of faults on a running graph, in numbers and words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LONGEST = 1.0
"""Time (s) within which all robots must stand when a node that they need is gone."""

ASKING = 1.5
"""Stops are asked for within this time (s) after a fault: it is not noticed yet, robots are at rest, or nodes are back."""


@dataclass(frozen=True)
class FaultResult:
    """What came of one fault. ``rest`` (s): until all robots stood; None: they need not. ``recovery`` (s): until they moved again; None:
    they did not. ``asked``: whether a stop was asked for meanwhile; ``confirmed`` (s): until it was.
    ``broken``: what must not be, in words.
    """

    kind: str
    targets: tuple[str, ...]
    rest: float | None
    recovery: float | None
    contacts: int
    asked: bool = False
    confirmed: float | None = None
    broken: str = ""

    @property
    def bad(self) -> bool:
        """Whether something was not as it must be."""
        return bool(self.broken or self.contacts or self.recovery is None or (self.rest or 0.0) > LONGEST)

    def __str__(self) -> str:
        def told(word: str, seconds: float | None) -> list[str]:
            return [] if seconds is None else [f"{word} {seconds:.2f} s"]

        stop = told("stop confirmed", self.confirmed)
        parts = [*told("at rest", self.rest), *stop, *told("moving again", self.recovery), f"{self.contacts} contacts", self.broken]
        missing = ["did not recover"] if self.recovery is None else []
        return f"{self.kind} {' '.join(self.targets)}: {', '.join(filter(None, [*parts, *missing]))}"


def summary(found: Sequence[FaultResult]) -> dict[str, str]:
    """The faults' numbers in words."""

    def spread(values: Sequence[float | None]) -> str:
        known = [value for value in values if value is not None]
        if not known:
            return "none"
        half, most = np.percentile(known, [50, 99])
        return f"p50 {half:.2f} s, p99 {most:.2f} s, max {max(known):.2f} s ({len(known)})"

    lost = [result for result in found if result.broken]
    back = sum(result.recovery is not None for result in found)
    return {
        "time to rest": spread([result.rest for result in found]), "stop confirmed after": spread([result.confirmed for result in found]),
        "moving again after": spread([result.recovery for result in found]), "contacts": str(sum(result.contacts for result in found)),
        "recovered": f"{back} of {len(found)}", "not as it must be": str(len(lost)),
    }  # fmt: skip
