"""Compilation of hot loops: every kernel exists serial and parallel, and the number of robots chooses.

Threads cost more than they give below some ten thousand robots: to wake them takes 50 µs, and a tick has fifteen kernels. Each
iteration of a ``prange`` writes only its own row, so both forms give the same bits. Of numba's threading layers ``workqueue`` is
taken unless ``NUMBA_THREADING_LAYER`` says otherwise: its threads sleep when they wait. OpenMP's spin, and where other processes want
the processors a tick then takes many times as long.

To divide by zero gives what it gives in numpy, infinity or no number, and raises nothing. A check before each division is a way out of
the function, and with those the compiler goes on counting references to arrays: the separation filter would take nearly twice as long.

numba itself is imported when the first kernel is called, not before: commands that compute nothing start without it. So ``njit`` and
``prange`` come from here; they mean what numba's mean.
"""

import contextlib
import fcntl
import functools
import struct
import types
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

PARALLEL_FROM = 20_000
"""Number of robots from which the parallel form pays."""

prange = range
"""In a compiled function numba's ``prange``."""


def bits_of(value: float) -> Any:
    """The bits of a floating-point number as a whole one; in compiled functions this costs nothing."""
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def float_of(bits: Any) -> float:
    """The floating-point number of these bits."""
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


class Compiled:
    """A function that is compiled on its first call, and cached on disk. ``specialised``: names in it that stand for other functions."""

    def __init__(
        self, function: Callable[..., Any], name: str = "", specialised: dict[str, Any] | None = None, **options: Any
    ) -> None:  # fmt: skip
        self.function, self._name, self._specialised, self._options = function, name, specialised or {}, options
        if "fastmath" in options:
            # each caller holds a copy, and which one is linked depends on what is in the cache; where sums may be reordered they differ
            self._options = {"forceinline": True, **options}
        self.__doc__ = function.__doc__
        self._dispatcher: Any = None

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher."""
        if self._dispatcher is None:
            self._dispatcher = self._compile()
        return self._dispatcher

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        return (self._dispatcher or self.dispatcher)(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def _compile(self) -> Any:
        numba = _numba()
        known = {**self.function.__globals__, **self._specialised}
        found = {name: known[name] for name in self.function.__code__.co_names if name in known}
        used = {name: value.dispatcher for name, value in found.items() if isinstance(value, Compiled)}
        for name, value in found.items():
            if isinstance(value, Hashable) and (meant := _meanings().get(value)):
                used[name] = meant
        # numba's cache on disk tells functions apart by their qualified name, not by their options or by what they call
        twin = types.FunctionType(self.function.__code__, {**known, **used}, self.function.__name__, self.function.__defaults__)
        twin.__qualname__ = self.function.__qualname__ + (f"_{self._name}" if self._name else "")
        twin.__module__, twin.__doc__ = self.function.__module__, self.function.__doc__
        made = numba.njit(cache=True, error_model="numpy", **self._options)(twin)
        made.compile = functools.partial(_once, made.compile, made)
        file = getattr(getattr(made, "_cache", None), "_cache_file", None)
        if file is not None and hasattr(file, "_source_stamp"):
            # numba watches the file that a function is in, but not those of the functions that it calls and has inlined, nor how it is made
            sources = sorted({__file__} | _sources(self.function, self._specialised))
            file._source_stamp = (file._source_stamp, *(_stamp(path) for path in sources))
        return made


class Kernel:
    """A compiled function, called as ``kernel(size, *arguments)``; compiled on first use and cached on disk.

    ``name`` and ``specialised`` make one of several kernels of the same code, in which names stand for other compiled functions.
    """

    def __init__(self, function: Callable[..., Any], name: str = "", **specialised: Any) -> None:
        self.__doc__ = function.__doc__
        self.serial = Compiled(function, name, specialised)
        self.parallel = Compiled(function, f"{name}_parallel" if name else "parallel", specialised, parallel=True)

    def __call__(self, size: int, *arguments: Any) -> Any:
        """Run it for ``size`` robots."""
        form = self.parallel if size >= PARALLEL_FROM else self.serial
        return (form._dispatcher or form.dispatcher)(*arguments)


def jit(function: Callable[..., Any]) -> Compiled:
    """Compile on first use, and cache on disk, a function that Python calls."""
    return Compiled(function)


def njit(cache: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator for functions that compiled functions call, with the ``options`` of numba's. They are always cached."""
    return functools.partial(Compiled, **options)


def _once(compiling: Callable[..., Any], made: Any, signature: Any) -> Any:
    """Compile, or take from the cache what another process has compiled: of several that start together one works, and the others wait.

    Numba's own lock comes first, so that threads of one process cannot wait for each other.
    """
    from numba.core.compiler_lock import global_compiler_lock

    folder = Path(made._cache.cache_path)
    with global_compiler_lock, contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # where nothing can be written nothing is kept, and there is nothing to wait for
            folder.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context((folder / f"{made.py_func.__qualname__}.lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        return compiling(signature)


@functools.cache
def _numba() -> Any:
    import numba

    if numba.config.THREADING_LAYER == "default":  # type: ignore[attr-defined]
        numba.config.THREADING_LAYER = "workqueue"  # type: ignore[attr-defined]
    return numba


@functools.cache
def _meanings() -> dict[Any, Any]:
    """What stands for something else in compiled functions."""
    from numba.core import types
    from numba.extending import intrinsic

    def cast(to: Any, of: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(to))

        return intrinsic(lambda typing, value: (to(of), generate))

    return {range: _numba().prange, bits_of: cast(types.uint64, types.float64), float_of: cast(types.float64, types.uint64)}


def _sources(function: Callable[..., Any], specialised: dict[str, Any] | None = None) -> set[str]:
    """Files of the compiled functions that ``function`` calls, and that these call."""
    found: set[str] = set()
    known = {**function.__globals__, **(specialised or {})}
    for name in function.__code__.co_names:
        used = known.get(name)
        inner = used.function if isinstance(used, Compiled) else getattr(used, "py_func", None)
        if callable(inner):
            further = used._specialised if isinstance(used, Compiled) else None
            found |= {inner.__code__.co_filename} | _sources(inner, further)
    return found


@functools.cache
def _stamp(path: str) -> bytes:
    import hashlib

    return hashlib.sha256(Path(path).read_bytes()).digest()
