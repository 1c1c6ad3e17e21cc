"""Compilation of hot loops: every kernel exists serial and parallel, and the number of robots chooses.

Threads cost more than they give below some ten thousand robots: to wake them takes 50 µs, and a tick has fifteen kernels. Each
iteration of a ``prange`` writes only its own row, so both forms give the same bits. Of numba's threading layers ``workqueue`` is
taken unless ``NUMBA_THREADING_LAYER`` says otherwise: its threads sleep when they wait. OpenMP's spin, and where other processes want
the processors a tick then takes many times as long.
"""

import functools
import hashlib
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import njit

if numba.config.THREADING_LAYER == "default":  # type: ignore[attr-defined]
    numba.config.THREADING_LAYER = "workqueue"  # type: ignore[attr-defined]

PARALLEL_FROM = 20_000
"""Number of robots from which the parallel form pays."""


class Kernel:
    """A compiled function, called as ``kernel(size, *arguments)``; compiled on first use and cached on disk."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__ = function.__doc__
        self.serial = jit(function)
        # numba's disk cache tells functions apart by their qualified name, not by their options
        twin = types.FunctionType(function.__code__, function.__globals__, function.__name__)
        twin.__qualname__ = function.__qualname__ + "_parallel"
        twin.__module__ = function.__module__
        self.parallel = jit(twin, parallel=True)

    def __call__(self, size: int, *arguments: Any) -> Any:
        """Run it for ``size`` robots."""
        return (self.parallel if size >= PARALLEL_FROM else self.serial)(*arguments)


def jit(function: Callable[..., Any], parallel: bool = False) -> Any:
    """Compile on first use and cache on disk a function that Python calls.

    numba's cache watches the file that a function is in, but not those of the functions that it calls and has inlined. So the
    stamp by which the cache tells whether it is out of date is extended to their files.
    """
    made = njit(cache=True, parallel=parallel)(function)
    file = getattr(getattr(made, "_cache", None), "_cache_file", None)
    if file is not None and hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, *(_stamp(path) for path in sorted(_sources(function))))
    return made


def _sources(function: Callable[..., Any]) -> set[str]:
    """Files of the compiled functions of this package that ``function`` calls, and that these call."""
    found: set[str] = set()
    for name in function.__code__.co_names:
        used = function.__globals__.get(name)
        if isinstance(used, types.ModuleType) and used.__name__.startswith("swarm_control"):
            found.add(str(used.__file__))
        elif callable(inner := getattr(used, "py_func", None)):
            found |= {inner.__code__.co_filename} | _sources(inner)
    return found


@functools.cache
def _stamp(path: str) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()
