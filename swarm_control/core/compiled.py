"""Compilation of hot loops: every kernel exists serial and parallel, and the number of robots chooses.

Threads cost more than they give below a few thousand robots. Each iteration of a ``prange`` writes only its own row, so both
forms give the same bits. Of numba's threading layers ``workqueue`` is taken unless ``NUMBA_THREADING_LAYER`` says otherwise: its
threads sleep when they wait. OpenMP's spin, and where other processes want the processors a tick then takes many times as long.
"""

import types
from collections.abc import Callable
from typing import Any

from numba import config, njit

if config.THREADING_LAYER == "default":
    config.THREADING_LAYER = "workqueue"

PARALLEL_FROM = 5000
"""Number of robots from which the parallel form pays."""


class Kernel:
    """A compiled function, called as ``kernel(size, *arguments)``; compiled on first use and cached on disk."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__ = function.__doc__
        self.serial = njit(cache=True)(function)
        # numba's disk cache tells functions apart by their qualified name, not by their options
        twin = types.FunctionType(function.__code__, function.__globals__, function.__name__)
        twin.__qualname__ = function.__qualname__ + "_parallel"
        twin.__module__ = function.__module__
        self.parallel = njit(cache=True, parallel=True)(twin)

    def __call__(self, size: int, *arguments: Any) -> Any:
        return (self.parallel if size >= PARALLEL_FROM else self.serial)(*arguments)
