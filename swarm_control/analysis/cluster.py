"""Workers on other machines, by Dask.

The workers need this package in the same version. `Dask <https://distributed.dask.org>`_ sees to workers that are lost.
"""

import importlib
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import partial
from typing import Any, TypeVar

from swarm_control.analysis.pool import workers
from swarm_control.errors import InputError

T = TypeVar("T")

RETRIES = 3
"""How often Dask tries a piece of work again whose worker was lost."""

PATIENCE = 20.0
"""How long to look for a scheduler, s."""


def executors(jobs: int | None = None, cluster: str = "") -> Callable[[], Executor]:
    """What makes executors: ``jobs`` processes here (None: one for each core), or where ``cluster`` says.

    ``cluster``: the address of a Dask scheduler, as ``tcp://host:8786``, or the name of a queueing system that dask-jobqueue knows, as
    slurm; then ``jobs`` are asked of it, as its configuration says. ``InputError`` for another name.
    """
    return partial(workers, jobs) if not cluster else partial(DaskExecutor, cluster, jobs)


class DaskExecutor(Executor):
    """A Dask cluster as an executor of :mod:`concurrent.futures`; see :func:`executors`."""

    def __init__(self, cluster: str, jobs: int | None = None) -> None:
        where = f"--cluster {cluster}"
        distributed = _found("distributed", where)
        self._lost = distributed.scheduler.KilledWorker
        self._queue = None if "://" in cluster else _queue(cluster, where)
        if self._queue is not None:
            self._queue.scale(jobs=jobs or 1)
        try:
            self._client = distributed.Client(cluster if self._queue is None else self._queue, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            raise InputError(where, f"no scheduler found ({error}), expected the address of one, as in tcp://host:8786") from None
        self._executor = self._client.get_executor(retries=RETRIES, pure=False)

    def submit(self, work: Callable[..., T], /, *items: Any, **named: Any) -> "Future[T]":
        """Have ``work`` done on a worker. The future's exception is ``BrokenExecutor`` when Dask gives the work up."""
        inner, outer = self._executor.submit(work, *items, **named), Future[T]()
        inner.add_done_callback(partial(self._pass_on, outer))
        return outer

    def _pass_on(self, outer: "Future[T]", inner: "Future[T]") -> None:
        """Let one future end as another did."""
        if inner.cancelled():
            outer.set_exception(BrokenExecutor("the scheduler gave the work up"))
        elif (error := inner.exception()) is None:
            outer.set_result(inner.result())
        else:
            outer.set_exception(BrokenExecutor(f"{error}".split(".")[0]) if isinstance(error, self._lost) else error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Give up what has not been done; the workers of a scheduler by address stay."""
        self._executor.shutdown(wait=not cancel_futures)
        self._client.close()
        if self._queue is not None:
            self._queue.close()


def _found(module: str, where: str) -> Any:
    """An optional module; ``InputError`` where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.replace("_", "-")
        raise InputError(where, f"needs the package {package}: `pip install {package}`") from None


def _queue(name: str, where: str) -> Any:
    """The cluster class of dask-jobqueue for a queueing system."""
    dask_jobqueue = _found("dask_jobqueue", where)
    known = {one.removesuffix("Cluster").lower(): one for one in dir(dask_jobqueue) if one.endswith("Cluster") and one != "JobQueueCluster"}
    if name.lower() not in known:
        raise InputError(where, f"expected the address of a Dask scheduler, as in tcp://host:8786, or one of {', '.join(known)}")
    try:
        return getattr(dask_jobqueue, known[name.lower()])()
    except ValueError as error:
        raise InputError(where, f"{error}; see dask-jobqueue's configuration") from None
