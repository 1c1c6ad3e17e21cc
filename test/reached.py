"""Which tests run which lines of the package: a plugin for pytest (``-p reached``), and what it has found.

coverage.py tells who runs a line of Python. A compiled function counts as run, whole and with the compiled functions that it calls, by
whoever calls it from Python. What is run while a test's fixtures are made counts for the whole file of tests: they may share it. What
the package's functions remember is forgotten before each test, or only the first would be seen to run them.
"""

import functools
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

_remembering = []


def _noted(decorate):
    """A decorator that remembers results, and is itself remembered."""

    @functools.wraps(decorate)
    def noted(*given, **more):
        made = decorate(*given, **more)
        if hasattr(made, "cache_clear"):
            _remembering.append(made)
            return made
        return _noted(made)

    return noted


functools.cache, functools.lru_cache = _noted(functools.cache), _noted(functools.lru_cache)  # before the package is imported

from swarm_control.core import compiled  # noqa: E402

ROOT = Path(__file__).parents[1]
FOLDER = "REACHED"
"""The environment's name for the folder that the findings go to."""


class Recorder:
    """Notes for each test that passes how long it takes and which lines it runs; a file for each worker."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / f"{os.environ.get('PYTEST_XDIST_WORKER', 'only')}.json"
        self._coverage = coverage.Coverage(data_file=None, source=[str(ROOT / "swarm_control")], config_file=False)
        self._times: dict[str, float] = {}
        self._kernels = defaultdict[int, set[str]](set)
        self._functions: dict[int, compiled.Compiled] = {}
        self._context = ""
        for form in (compiled.Compiled, compiled.Kernel):
            form.__call__ = self._noting(form.__call__)
        self._coverage.start()

    def _noting(self, call):
        def noted(made, *arguments):
            function = made.serial if isinstance(made, compiled.Kernel) else made
            if isinstance(function, compiled.Compiled):
                self._functions[id(function)] = function
                self._kernels[id(function)].add(self._context)
            return call(made, *arguments)

        return noted

    def _switch(self, context: str) -> None:
        self._context = context
        self._coverage.switch_context(context)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        for made in _remembering:
            if made.__module__.startswith("swarm_control"):
                made.cache_clear()
        self._switch(item.nodeid.partition("::")[0])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item):
        self._switch(item.nodeid)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self._times[report.nodeid] = report.duration

    def pytest_unconfigure(self):
        self._coverage.stop()
        data = self._coverage.get_data()
        lines = defaultdict[str, defaultdict[int, set[str]]](lambda: defaultdict(set))
        for file in data.measured_files():
            for line, contexts in data.contexts_by_lineno(file).items():
                lines[str(Path(file).relative_to(ROOT))][line] |= set(contexts)
        for key, contexts in self._kernels.items():
            for path, first, last in spans(self._functions[key]):
                for line in range(first, last + 1):
                    lines[path][line] |= contexts
        names = sorted(set().union(*(contexts for found in lines.values() for contexts in found.values())))
        number = {name: index for index, name in enumerate(names)}
        kept = {
            path: {line: [number[name] for name in contexts if name] for line, contexts in found.items()} for path, found in lines.items()
        }
        self._file.write_text(json.dumps({"times": self._times, "names": names, "lines": kept}), encoding="utf-8")


def spans(function: compiled.Compiled) -> Iterator[tuple[str, int, int]]:
    """File, first and last line of a compiled function and of all that it calls."""
    waiting, seen = [function], set()
    while waiting:
        made = waiting.pop()
        if id(made) in seen:
            continue
        seen.add(id(made))
        code = made.function.__code__
        if Path(code.co_filename).is_relative_to(ROOT):
            yield str(Path(code.co_filename).relative_to(ROOT)), code.co_firstlineno, max(line for *_, line in code.co_lines() if line)
        known = {**made.function.__globals__, **made._specialised}
        waiting += [known[name] for name in code.co_names if isinstance(known.get(name), compiled.Compiled)]


def ungrouped(test: str) -> str:
    """A test's name without that of its group, which workers append to it."""
    name, at, group = test.rpartition("@")
    return name if at and "]" not in group else test


def pytest_configure(config):
    """Record in workers; in the process that leads them there is nothing to see."""
    if "PYTEST_XDIST_WORKER" in os.environ or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Recorder(Path(os.environ[FOLDER])))


class Reached:
    """What was found: the tests that run a line, the quickest first."""

    def __init__(self, folder: Path) -> None:
        self._times: dict[str, float] = {}
        self._lines = defaultdict[str, defaultdict[int, set[str]]](lambda: defaultdict(set))
        for file in folder.glob("*.json"):
            found = json.loads(file.read_text(encoding="utf-8"))
            found["names"] = [ungrouped(name) for name in found["names"]]
            self._times |= {ungrouped(test): time for test, time in found["times"].items()}
            for path, lines in found["lines"].items():
                for line, contexts in lines.items():
                    self._lines[path][int(line)] |= {found["names"][context] for context in contexts}
        self._files = defaultdict[str, list[str]](list)
        for test in self._times:
            self._files[test.partition("::")[0]].append(test)

    def tests(self, path: Path, line: int) -> list[str]:
        """Tests that run a line and pass."""
        contexts = self._lines[str(path)][line]
        tests = {test for context in contexts for test in ([context] if "::" in context else self._files[context])}
        return sorted(tests & self._times.keys(), key=lambda test: (self._times[test], test))

    def time(self, test: str) -> float:
        """How long a test takes, s."""
        return self._times[test]
