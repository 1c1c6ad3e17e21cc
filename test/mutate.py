"""Do the tests notice when the code is wrong? Change one operator at a time, and run the tests that run the changed line.

``python test/mutate.py swarm_control/core swarm_control/gait --count 60 --seed 1``, from the checkout's root; with ``--numbers`` numbers
are changed too. First all tests without ROS run once, to see which of them run which lines (`reached`); ``--reached FOLDER`` keeps what
was seen, or takes it from there. Each job has a copy of the tree, compiled kernels included. Printed are the mutants with their places,
caught or not, and the share caught. A mutant that changes no result (an equivalent one) is not caught by any test: whoever reads the list
has to tell, and notes it in ``equivalent_mutants.txt`` with the reason. Those are neither tried nor counted.
"""

import argparse
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from forked_pytest import forked_pytest, get_ready
from mutants import ROOT, Mutant, mutants
from reached import FOLDER, Reached

UNIT = (
    "core", "behaviours", "robots", "formation", "social", "gait", "safety", "scenario", "world", "runtime", "sim", "hardware", "analysis",
    "contract", "cli", "e2e/test_reference_runs.py", "e2e/test_reference_plans.py", "e2e/test_drawn_runs.py", "e2e/test_drawn_plans.py",
    "test_library.py",
)  # fmt: skip
"""Tests that run without ROS."""

TIMES = 4.0, 120.0
"""How long tests of the first set and of both may take together, s; a set that cannot notice costs that much for each mutant."""

PATIENCE = 10.0
"""A mutant that makes tests take so many times as long is caught."""

MISSED = "NOT CAUGHT"

EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
"""Mutants that change no result: a line each, ``path: before -> after  # why``."""


def observe(folder: Path) -> None:
    """Run all tests and keep which lines they run."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pytest", "-p", "reached", "-p", "no:cacheprovider", "-n", "auto", "--dist", "loadgroup"]
    environment = os.environ | {FOLDER: str(folder), "PYTHONPATH": str(ROOT / "test")}
    tests = [f"test/{name}" for name in UNIT]
    subprocess.run([*command, "-m", "not ros and not study", *tests], cwd=ROOT, env=environment, check=False)


def sets(mutant: Mutant, reached: Reached) -> Iterator[list[str]]:
    """Tests that run the mutant's line: those of the module's own folder first, and the quickest of each."""
    own = f"test/{mutant.path.parts[1]}/"
    tests = sorted(reached.tests(mutant.path, mutant.line), key=lambda test: (not test.startswith(own), reached.time(test)))
    spent, first = 0.0, 0
    for limit in TIMES:
        last = first
        while last < len(tests) and (last == 0 or spent + reached.time(tests[last]) <= limit):
            spent += reached.time(tests[last])
            last += 1
        if last > first:
            yield tests[first:last]
        first = last


class Copies:
    """Copies of the tree: one sound, and one for each job to be spoilt and put right again."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.sound = folder / "sound"
        self.spoilt = [folder / str(job) for job in range(jobs)]
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
        compiled = [file.relative_to(ROOT) for file in (ROOT / "swarm_control").rglob("__pycache__/*")]
        files = [*map(Path, listed.stdout.splitlines()), *compiled]
        for root in (self.sound, *self.spoilt):
            for file in files:
                if (ROOT / file).exists():
                    (root / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / file, root / file)


class Trial:
    """Tries mutants in a copy of the tree, in a process of its own."""

    def __init__(self, sound: Path, root: Path, reached: Reached) -> None:
        self.sound, self.root, self.reached = sound, root, reached
        self.unsound: set[str] = set()
        get_ready()

    def noticed(self, mutant: Mutant) -> str:
        """A test that fails with the mutant; empty: none."""
        try:
            (self.root / mutant.path).write_text(mutant.source, encoding="utf-8")
            return next((test for tests in sets(mutant, self.reached) if (test := self._failing(tests))), "")
        finally:
            self._mend(mutant)

    def _failing(self, tests: list[str]) -> str:
        """The first test that fails in the copy, and passes in the sound one; empty: none. Tests that do not end in time fail together."""
        asked = [test for test in tests if test not in self.unsound]
        status, output = self._run(asked, self.root)
        if status is None:
            return "the time"
        said = [line.split(" ", 1)[1].split(" - ")[0] for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        failed = [test for test in asked for name in said if name in (test, test.partition("::")[0])]
        if status == pytest.ExitCode.USAGE_ERROR and not failed:
            sound, _ = self._run(asked, self.sound)
            if sound in (None, pytest.ExitCode.USAGE_ERROR):  # the tests are not those that were seen
                raise RuntimeError(output)
        if status and not failed:
            return "a crash"
        if not status or not self._run(failed[:1], self.sound)[0]:
            return failed[0] if failed else ""
        self.unsound.add(failed[0])
        return self._failing(asked)

    def _run(self, tests: list[str], root: Path) -> tuple[int | None, str]:
        return forked_pytest(tests, root, 120.0 + PATIENCE * sum(map(self.reached.time, tests)))

    def _mend(self, mutant: Mutant) -> None:
        """Undo the mutant and what Python and numba have kept of it: numba's index of a kernel holds but one version of its sources."""
        root = self.root
        shutil.copy2(self.sound / mutant.path, root / mutant.path)
        shutil.rmtree(root / ".hypothesis", ignore_errors=True)
        for kept in [*(root / "swarm_control").rglob("*.nb[ic]"), *root.glob(f"{mutant.path.parent}/__pycache__/{mutant.path.stem}.*.pyc")]:
            right = self.sound / kept.relative_to(root)
            if not right.exists():
                kept.unlink()
            elif (right.stat().st_size, right.stat().st_mtime_ns) != (kept.stat().st_size, kept.stat().st_mtime_ns):
                shutil.copy2(right, kept)


_trial: Trial
"""Of a process that tries mutants."""


def start(sound: Path, free: "multiprocessing.SimpleQueue[Path]", reached: Reached) -> None:
    """Begin a process that tries mutants in a copy that nobody else has."""
    global _trial
    _trial = Trial(sound, free.get(), reached)


def noticed(mutant: Mutant) -> str:
    """A test that notices the mutant; empty: none."""
    return _trial.noticed(mutant)


def drawn(options: argparse.Namespace) -> list[Mutant]:
    """The mutants that are asked for."""
    paths = [path.resolve() for path in options.paths]
    files = sorted(file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py")))
    same = {line.partition("  # ")[0] for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()}
    found = [
        mutant for file in files for mutant in mutants(file, options.numbers)
        if options.line in (None, mutant.line) and f"{mutant.path}: {mutant.before} -> {mutant.after}" not in same
    ]  # fmt: skip
    if options.again:
        said = options.again.read_text(encoding="utf-8").splitlines()
        return [mutant for mutant in found if f"{MISSED} {mutant}" in said]
    return random.Random(options.seed).sample(found, min(options.count, len(found)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders of the package")
    parser.add_argument("--count", type=int, default=60, help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--numbers", action="store_true", help="change numbers too")
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at once")
    parser.add_argument("--line", type=int, help="mutants of this line alone")
    parser.add_argument("--again", type=Path, help="what an earlier run has printed: the mutants that were not caught are tried again")
    parser.add_argument("--reached", type=Path, help="a folder that tells which tests run which lines, or is made to")
    options = parser.parse_args()
    tried, caught = drawn(options), 0
    os.environ.pop("NUMBA_CACHE_DIR", None)
    sys.dont_write_bytecode = False
    with tempfile.TemporaryDirectory(prefix="mutants") as folder:
        seen = options.reached or Path(folder) / "reached"
        if not seen.exists():
            observe(seen)
        copies, forking = Copies(Path(folder), options.jobs), multiprocessing.get_context("fork")
        free = forking.SimpleQueue()
        for root in copies.spoilt:
            free.put(root)
        with ProcessPoolExecutor(options.jobs, forking, start, (copies.sound, free, Reached(seen))) as pool:
            for mutant, test in zip(tried, pool.map(noticed, tried)):
                caught += bool(test)
                print(f"{'caught    ' if test else MISSED} {mutant}{f' by {test}' if test else ''}", flush=True)
    print(f"{caught} of {len(tried)} caught: {100.0 * caught / max(len(tried), 1):.1f} %")
    return 0 if tried and caught >= 0.95 * len(tried) else 1


if __name__ == "__main__":
    sys.exit(main())
