"""Do the tests notice when the code is wrong? Change one operator at a time, and run the tests that could notice.

``python test/mutate.py swarm_control/core swarm_control/gait --count 60 --seed 1 --jobs 2``, from the checkout's root; with ``--numbers``
numbers are changed too. Run are the tests of ``test/e2e/test_reference_*.py``, those that import the changed module and, where both
pass, what else is in the folder that mirrors the module's, and the library's. Each job has a copy of the tree, compiled kernels included.
Printed are the mutants with their places, caught or not, and the share caught. A mutant that changes no result (an equivalent one) is not
caught by any test: whoever reads the list has to tell.
"""

import argparse
import ast
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from mutants import ROOT, Mutant, mutants

KEPT = ("swarm_control", "test", "config", "worlds", "benchmarks", "docs", "launch", "pyproject.toml")
UNIT = (
    "core", "behaviours", "robots", "formation", "social", "gait", "safety", "scenario", "world", "runtime", "sim", "hardware", "analysis",
)  # fmt: skip
"""Folders of tests that run without ROS."""

REFERENCE = "test/e2e/test_reference_runs.py", "test/e2e/test_reference_plans.py"
RUNS, LIBRARY = Path("swarm_control/analysis/simulation.py"), "test/test_library.py"
"""The broad tests, the module by which they run the others, and the test of the library's face."""

OPEN = "behaviours", "robots"
"""Folders of what is registered: the contract's tests run over them, too."""


def importing(path: Path) -> list[str]:
    """Test files, relative to the root, that import the module."""
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    parent, name = module.rsplit(".", 1)
    tests = sorted(file for folder in (*UNIT, "contract") for file in (ROOT / "test" / folder).rglob("test_*.py"))
    return [str(test.relative_to(ROOT)) for test in tests if {(module, ""), (parent, name)} & imports(test)]


@cache
def imports(path: Path) -> set[tuple[str, str]]:
    """What a file imports, by module and name; modules themselves with an empty one."""
    lines = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom) and node.module]
    return {(str(line.module), name) for line in lines for name in ("", *(alias.name for alias in line.names))}


def stages(path: Path) -> list[tuple[str, ...]]:
    """Test files that could notice a change of the module, in the order in which they are tried: the likeliest and quickest first."""
    direct = tuple(importing(path))
    folders = ["contract"] if path.stem.startswith("contract") else [path.parts[1], *(["contract"] if path.parts[1] in OPEN else [])]
    mirror = sorted(str(test.relative_to(ROOT)) for folder in folders for test in (ROOT / "test" / folder).rglob("test_*.py"))
    first = [REFERENCE, direct] if path in behind_runs() else [direct, REFERENCE]
    return [*first, (*(test for test in mirror if test not in direct), LIBRARY)]


@cache
def behind_runs() -> set[Path]:
    """The modules that a simulation imports, now or later."""
    found, waiting = set[Path](), [RUNS]
    while waiting:
        path = waiting.pop()
        if path in found or not (ROOT / path).exists():
            continue
        found.add(path)
        for parts in imports(ROOT / path):
            module = Path(*".".join(parts).strip(".").split("."))
            waiting += [module.with_suffix(".py"), module / "__init__.py"]
    return found


class Copies:
    """Copies of the tree: one sound, and one for each job to be spoilt and put right again."""

    def __init__(self, folder: Path, jobs: int, timeout: float, sets: int) -> None:
        self.sound, self.timeout, self.sets = folder / "sound", timeout, sets
        self.free: queue.Queue[Path] = queue.Queue()
        self._sound: dict[str, bool] = {}
        for root in (self.sound, *(folder / str(job) for job in range(jobs))):
            for name in KEPT:
                shutil.copytree(ROOT / name, root / name) if (ROOT / name).is_dir() else shutil.copy2(ROOT / name, root)
            if root != self.sound:
                self.free.put(root)

    def failing(self, tests: tuple[str, ...], root: Path) -> str:
        """The first test that fails in a copy of the tree; empty: none. Tests that do not end in time fail together."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", "-m", "not study", *tests]
        left_out = ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")
        environment = {name: value for name, value in os.environ.items() if name not in left_out} | {"PYTHONPATH": str(root)}
        try:
            done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=self.timeout, check=False)
        except subprocess.TimeoutExpired:
            return " ".join(tests)
        said = [line.split(" ", 1)[1].split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return "" if done.returncode == 0 else (said or [" ".join(tests)])[-1]

    def noticed(self, mutant: Mutant) -> str:
        """A test that fails with the mutant and passes without; empty: none."""
        root = self.free.get()
        try:
            (root / mutant.path).write_text(mutant.source, encoding="utf-8")
            found = (self._first(tests, root) for tests in stages(mutant.path)[: self.sets] if tests)
            return next((test for test in found if test), "")
        finally:
            self._mend(root, mutant)
            self.free.put(root)

    def _first(self, tests: tuple[str, ...], root: Path) -> str:
        """The first of the tests that fails here and passes in the sound copy; empty: none. What fails in both does not hide the others."""
        failing = ""
        while left := [test for test in tests if self._sound.get(test, True)]:
            known = [f"--deselect={test}" for test, sound in list(self._sound.items()) if not sound and "::" in test]
            last, failing = failing, self.failing((*left, *known), root)
            if not failing or self._passes(failing):
                return failing
            if failing == last or " " in failing.partition("[")[0]:  # nothing that could be left out
                break
        return ""

    def _passes(self, test: str) -> bool:
        """Whether the test passes in the sound copy."""
        if test not in self._sound:
            self._sound[test] = not self.failing((test,) if "[" in test else tuple(test.split()), self.sound)
        return self._sound[test]

    def _mend(self, root: Path, mutant: Mutant) -> None:
        """Undo the mutant and what Python and numba have kept of it: numba's index of a kernel holds but one version of its sources."""
        shutil.copy2(self.sound / mutant.path, root / mutant.path)
        shutil.rmtree(root / ".hypothesis", ignore_errors=True)
        for kept in [*(root / "swarm_control").rglob("*.nb[ic]"), *root.glob(f"{mutant.path.parent}/__pycache__/{mutant.path.stem}.*.pyc")]:
            right = self.sound / kept.relative_to(root)
            if not right.exists():
                kept.unlink()
            elif (right.stat().st_size, right.stat().st_mtime_ns) != (kept.stat().st_size, kept.stat().st_mtime_ns):
                shutil.copy2(right, kept)


def drawn(options: argparse.Namespace) -> list[Mutant]:
    """The mutants that are asked for."""
    paths = [path.resolve() for path in options.paths]
    files = sorted(file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py")))
    found = [mutant for file in files for mutant in mutants(file, options.numbers) if options.line in (None, mutant.line)]
    return random.Random(options.seed).sample(found, min(options.count, len(found)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders of the package")
    parser.add_argument("--count", type=int, default=60, help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--numbers", action="store_true", help="change numbers too")
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at once")
    parser.add_argument("--timeout", type=float, default=900.0, help="s, for each of the three sets of tests")
    parser.add_argument("--line", type=int, help="mutants of this line alone")
    parser.add_argument("--quick", action="store_true", help="without the last set: what survives may yet be noticed by it")
    options = parser.parse_args()
    tried, caught = drawn(options), 0
    with tempfile.TemporaryDirectory(prefix="mutants") as folder, ThreadPoolExecutor(options.jobs) as pool:
        copies = Copies(Path(folder), options.jobs, options.timeout, 2 if options.quick else 3)
        for mutant, test in zip(tried, pool.map(copies.noticed, tried)):
            caught += bool(test)
            print(f"{'caught    ' if test else 'NOT CAUGHT'} {mutant}{f' by {test}' if test else ''}", flush=True)
    print(f"{caught} of {len(tried)} caught: {100.0 * caught / max(len(tried), 1):.1f} %")
    return 0 if tried and caught >= 0.95 * len(tried) else 1


if __name__ == "__main__":
    sys.exit(main())
