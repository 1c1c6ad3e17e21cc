"""pytest in a process that is forked from one in which all but the package is imported: a run costs its tests, and hardly anything else."""

import importlib
import os
import signal
import sys
import tempfile
import threading
from pathlib import Path

IMPORTED = (
    "hypothesis.extra.numpy", "hypothesis.strategies", "mujoco", "numba.np.ufunc", "numba.typed", "numpy", "pytest", "scipy.interpolate",
    "scipy.linalg", "scipy.ndimage", "scipy.optimize", "scipy.sparse.csgraph", "scipy.spatial", "scipy.stats", "shapely.ops", "yaml",
)  # fmt: skip
"""What tests and package import, and takes long."""

OPTIONS = ("-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider")

PACKAGE = "swarm_control"

FAILED = 70
"""Exit status of a process in which pytest itself failed."""


def get_ready() -> None:
    """Import what is slow to import, once, in the process that forks."""
    for name in IMPORTED:
        importlib.import_module(name)
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def forked_pytest(tests: list[str], root: Path, patience: float) -> tuple[int | None, str]:
    """Exit status and output of pytest up to the first failure, with the package and the tests below ``root``. A process that does not end
    within ``patience`` s is killed, with all that it has started: None. Who forks has one thread.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        process = os.fork()
        if not process:
            _run(tests, root, said.fileno())
        ended = threading.Timer(patience, os.killpg, (process, signal.SIGKILL))
        ended.start()
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        late = not ended.is_alive()
        ended.cancel()
        ended.join()
        said.seek(0)
        return (None if late else status), said.read()


def _run(tests: list[str], root: Path, said: int) -> None:
    """Of the forked process: it imports the package anew, from ``root``."""
    try:
        os.setpgid(0, 0)
        os.dup2(said, 1)
        os.dup2(said, 2)
        os.chdir(root)
        here = Path(__file__).parent
        sys.path[:] = [str(root), *(path for path in sys.path if Path(path).resolve() not in (here, here.parent))]
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
        os.environ["PYTHONPATH"] = str(root)
        import pytest

        status = int(pytest.main([*OPTIONS, *tests]))
    except BaseException as error:
        print(error)
        status = FAILED
    sys.stdout.flush()
    os._exit(status)
