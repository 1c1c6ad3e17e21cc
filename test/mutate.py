"""Do the tests notice when the code is wrong? Change one operator or number at a time, and run the tests that import the changed module.

``python test/mutate.py swarm_control/core swarm_control/gait --count 60 --seed 1 --jobs 2``, from the checkout's root. Every mutant has a
copy of the tree of its own, compiled kernels included. Printed are the mutants with their places, caught or not, and the share caught. A
mutant that changes no result (an equivalent one) is not caught by any test: whoever reads the list has to tell.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ("swarm_control", "test", "config", "worlds", "benchmarks", "docs", "launch", "pyproject.toml")
UNIT = (
    "core", "behaviours", "robots", "formation", "social", "gait", "safety", "scenario", "world", "runtime", "sim", "hardware", "analysis",
)  # fmt: skip
"""Folders of tests that run without ROS."""

OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult, ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or,
    ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
"""What becomes of an operator. Comparisons turn round: ``<`` to ``<=`` would change nothing but at one number."""


@dataclass(frozen=True)
class Mutant:
    """``source`` is the whole changed file; ``before`` and ``after`` what has changed in it."""

    path: Path
    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.before} -> {self.after}"


def changed(node: ast.AST) -> ast.AST | None:
    """The node with another operator or number; None: nothing to change here."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.BinOp | ast.BoolOp) and type(new.op) in OTHER:
        new.op = OTHER[type(new.op)]()
    elif isinstance(new, ast.Compare) and type(new.ops[0]) in OTHER:
        new.ops[0] = OTHER[type(new.ops[0])]()
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.USub | ast.Not):
        return new.operand
    elif isinstance(new, ast.Constant) and type(new.value) in (int, float):
        new.value = type(new.value)(2 * new.value if new.value else 1)
    else:
        return None
    return new


def places(tree: ast.AST) -> Iterator[ast.AST]:
    """What functions do: no defaults, no declarations of parameters."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield from (node for node in ast.walk(statement) if hasattr(node, "end_col_offset"))


def mutants(path: Path) -> list[Mutant]:
    """Every mutant of a file, each place once."""
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: dict[tuple[int, int], Mutant] = {}
    for node in places(ast.parse(text)):
        new = changed(node)
        if new is None:
            continue
        start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        before, after = text[start:end].decode(), f"({ast.unparse(new)})"
        found[start, end] = Mutant(path, node.lineno, before, after, (text[:start] + after.encode() + text[end:]).decode())
    return list(found.values())


def tests_of(path: Path) -> tuple[str, ...]:
    """Test files, relative to the root, that import the module; without any, the folder that mirrors the module's."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    parent, name = module.rsplit(".", 1)
    found = []
    for test in sorted(file for folder in UNIT for file in (ROOT / "test" / folder).rglob("test_*.py")):
        for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                whole = node.module == parent and name in {alias.name for alias in node.names}
                if whole or node.module == module:
                    found.append(str(test.relative_to(ROOT)))
                    break
    mirror = f"test/{path.relative_to(ROOT / 'swarm_control').parts[0]}"
    return tuple(found) or (mirror,)


def passes(tests: tuple[str, ...], mutant: Mutant | None, timeout: float) -> bool:
    """Whether the tests pass in a copy of the tree with this mutant; one that takes longer than ``timeout`` (s) does not."""
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        for name in KEPT:
            source = ROOT / name
            shutil.copytree(source, f"{folder}/{name}") if source.is_dir() else shutil.copy2(source, folder)
        if mutant is not None:
            (Path(folder) / mutant.path.relative_to(ROOT)).write_text(mutant.source, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | {"PYTHONPATH": folder}
        try:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders of the package")
    parser.add_argument("--count", type=int, default=60, help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at once")
    parser.add_argument("--timeout", type=float, default=900.0, help="s, for each mutant")
    parser.add_argument("--line", type=int, help="mutants of this line alone")
    options = parser.parse_args()
    files = sorted(file for path in options.paths for file in ([path.resolve()] if path.is_file() else path.resolve().rglob("*.py")))
    drawn = [mutant for file in files for mutant in mutants(file) if options.line in (None, mutant.line)]
    drawn = random.Random(options.seed).sample(drawn, min(options.count, len(drawn)))
    sets = sorted({tests_of(mutant.path) for mutant in drawn})
    with ThreadPoolExecutor(options.jobs) as pool:
        sound = dict(zip(sets, pool.map(lambda tests: passes(tests, None, options.timeout), sets)))
        for tests in (tests for tests in sets if not sound[tests]):
            print(f"fail without any mutant, left out: {' '.join(tests)}", flush=True)
        drawn = [mutant for mutant in drawn if sound[tests_of(mutant.path)]]
        caught = 0
        for mutant, survives in zip(drawn, pool.map(lambda one: passes(tests_of(one.path), one, options.timeout), drawn)):
            caught += not survives
            print(f"{'NOT CAUGHT' if survives else 'caught    '} {mutant}", flush=True)
    print(f"{caught} of {len(drawn)} caught: {100.0 * caught / max(len(drawn), 1):.1f} %")
    return 0 if drawn and caught >= 0.95 * len(drawn) else 1


if __name__ == "__main__":
    sys.exit(main())
