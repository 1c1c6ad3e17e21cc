"""Results of functions that take long, remembered for as long as they are asked for again and again."""

from collections.abc import Callable, Hashable
from typing import Any

KEPT = 4
"""So many results of each function are remembered: where a goal moves on every tick, old fields do not pile up."""
MOST = 32
"""So many results are remembered in all: functions may come and go, too."""

_NONE = object()


class Memo:
    """What functions made of one thing, by function and further arguments; what has not been asked for the longest is forgotten first."""

    def __init__(self) -> None:
        self._results: dict[tuple[Hashable, ...], Any] = {}

    def once(self, make: Callable[..., Any], of: Any, key: tuple[Hashable, ...]) -> Any:
        """``make(of, *key)``, made only if it is not remembered."""
        entry = (make, *key)
        result = self._results.pop(entry, _NONE)
        if result is _NONE:
            result = make(of, *key)
            self._forget(make)
        self._results[entry] = result
        return result

    def _forget(self, make: Callable[..., Any]) -> None:
        """Room for one more result of ``make``."""
        same = [entry for entry in self._results if entry[0] == make]
        if len(same) >= KEPT:
            del self._results[same[0]]
        elif len(self._results) >= MOST:
            del self._results[next(iter(self._results))]
