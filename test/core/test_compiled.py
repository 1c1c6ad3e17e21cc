import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from test_pipeline import make, run

from swarm_control.core import compiled
from swarm_control.core.compiled import Kernel


def everything(made):
    return [
        made.seen.start, made.seen.index, made.seen.offset, made.seen.velocity, made.seen.distance, made.requests.acceleration,
        made.accumulated.total, made.accumulated.share, made.commands.twist, made.intervened,
    ]  # fmt: skip


@pytest.mark.parametrize("method", ["prioritised", "weighted"])
def test_serial_and_parallel_forms_give_the_same_bits(monkeypatch, method):
    state, around, control = make(7, **{"accumulation.method": method, "seek.weight": 0.2})
    made = {}
    for form, size in (("serial", 10**9), ("parallel", 0)):
        monkeypatch.setattr(compiled, "PARALLEL_FROM", size)
        made[form] = everything(run(state, around, control))
    assert all(np.array_equal(a, b) for a, b in zip(made["serial"], made["parallel"]))


def test_the_number_of_robots_chooses_the_form():
    kernel = Kernel.__new__(Kernel)
    kernel.serial, kernel.parallel = (SimpleNamespace(_dispatcher=lambda form=form: form) for form in ("serial", "parallel"))
    assert kernel(compiled.PARALLEL_FROM - 1) == "serial" and kernel(compiled.PARALLEL_FROM) == "parallel"


CALLER = """
from swarm_control.core.compiled import jit
from inner import inner

@jit
def outer(x):
    return inner(x) + 1.0
"""
INNER = """
from numba import njit

@njit(cache=True)
def inner(x):
    return {factor} * x
"""


def run_outer(folder: Path, factor: float) -> tuple[float, int]:
    """The value of ``outer(1.0)`` in a fresh process, and how often the cache on disk served it."""
    (folder / "inner.py").write_text(INNER.format(factor=factor))
    (folder / "outer.py").write_text(CALLER)
    code = "from outer import outer; print(outer(1.0), sum(outer.stats.cache_hits.values()))"
    root = Path(importlib.util.find_spec("swarm_control").origin).parents[1]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(folder), str(root))), "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=folder)
    value, hits = done.stdout.split()
    return float(value), int(hits)


def test_of_processes_that_start_together_one_compiles_and_the_others_take_that(tmp_path):
    (tmp_path / "alone.py").write_text(CALLER.replace("from inner import inner\n", "").replace("inner(x)", "x"))
    code = """
import multiprocessing, numba
def child(barrier):
    from alone import outer
    barrier.wait()
    assert outer(1.0) == 2.0
    print(sum(outer.stats.cache_misses.values()), sum(outer.stats.cache_hits.values()))
together = multiprocessing.get_context("fork")
barrier = together.Barrier(3)
children = [together.Process(target=child, args=(barrier,)) for _ in range(3)]
[process.start() for process in children]
[process.join() for process in children]
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path)), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split("\n")) == ["", "0 1", "0 1", "1 0"], done.stdout + done.stderr


def test_a_change_of_what_a_kernel_calls_in_another_file_is_noticed(tmp_path):
    assert run_outer(tmp_path, 2.0) == (3.0, 0)
    assert run_outer(tmp_path, 2.0) == (3.0, 1)
    assert run_outer(tmp_path, 50.0) == (51.0, 0)  # of another length: Python itself does not notice a change within a second else


def test_kernels_are_cached_elsewhere_when_the_package_can_not_be_written(tmp_path):
    """The cache goes to the user's own folder, and serves the next process."""
    package, home = tmp_path / "package", tmp_path / "home"
    home.mkdir()
    package.mkdir()
    (package / "kernel.py").write_text("from numba import njit\n\n@njit(cache=True)\ndef twice(x):\n    return 2.0 * x\n")
    (package / "__pycache__").write_text("a file, so that not even root can make this folder")
    code = "from kernel import twice; print(twice(2.0), sum(twice.stats.cache_hits.values()))"
    environment = os.environ | {"HOME": str(home), "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    for hits in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, cwd=home)
        assert done.stdout.split() == ["4.0", hits], done.stderr
    assert list(home.glob("**/*.nbi"))


@pytest.mark.study
def test_the_run_that_compiles_gives_the_bits_of_all_later_ones(tmp_path):
    """Sums that may be reordered are inlined: linked, they could be another function's copy, with other bits."""
    program = """
import hashlib
import swarm_control as sc
run = sc.Simulation("cluster", seed=3, duration=1.0).run()
print(hashlib.sha256(run.trajectory.pose.tobytes()).hexdigest())
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command, how = [sys.executable, "-c", program], {"env": environment, "capture_output": True, "text": True, "check": True}
    first, later = (subprocess.run(command, **how).stdout for _ in range(2))
    assert first == later and len(first.strip()) == 64
