"""From many requests to one acceleration, and what each behaviour got of it: weighted, prioritised, or one for all."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from swarm_control.core.behaviour import BEHAVIOURS
from swarm_control.core.compiled import Kernel, prange
from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.parameters import param
from swarm_control.core.state import Accumulated, Requests


@dataclass(frozen=True)
class Accumulation:
    """Parameters of the accumulation."""

    method: str = param("prioritised", "how requests are put together", choices=("prioritised", "weighted", "greatest"))
    priority: tuple[str, ...] = param(
        (), "behaviours by urgency, the most urgent first; those not named follow, by their own priorities", choices=BEHAVIOURS
    )  # fmt: skip
    gain: float = param(1.0, "multiplies all weights", low=0.0, high=1000.0)


def accumulate(requests: Requests, limit: Array, params: Accumulation) -> Accumulated:
    """Put ``requests`` together within the robots' maximum accelerations ``limit`` (N,) m/s².

    ``weighted``: the sum, shortened to the limit. ``prioritised``: in order of urgency, adding magnitudes, until the limit is
    reached; the last one is trimmed to fit and the rest get nothing (Adeola et al. alg. 6). ``greatest``: the greatest request,
    shortened to the limit, and the rest get nothing (Reif & Wang §2.2).
    """
    n = requests.acceleration.shape[1]
    if params.method == "weighted":
        total, share = _weighted(n, requests.acceleration, params.gain, limit)
    elif params.method == "greatest":
        total, share = _weighted(n, _greatest(requests.acceleration), params.gain, limit)
    else:
        total, share = _prioritised(n, requests.acceleration, params.gain, limit, _sequence(requests.names, params.priority))
    return Accumulated(requests.names, total, share)


def _greatest(request: Array) -> Array:
    """Requests (B, N, 2) of which each robot's greatest is left, the first of equals."""
    size = np.hypot(request[..., 0], request[..., 1])
    chosen = np.arange(len(request))[:, None] == size.argmax(axis=0) if len(request) else size > 0.0
    return np.where(chosen[..., None], request, 0.0)


@lru_cache(maxsize=16)
def _sequence(names: tuple[str, ...], priority: tuple[str, ...]) -> IntArray:
    """In which order the requests of ``names``, which come by their behaviours' own priorities, are granted."""
    urgent = [name for name in priority if name in names]
    rest = [name for name in names if name not in urgent]
    return np.array([names.index(name) for name in urgent + rest], np.int64)


def _weighted_loop(request, gain, limit):  # type: ignore[no-untyped-def]
    behaviours, n, _ = request.shape
    share = np.empty_like(request)
    total = np.zeros((n, 2))
    for i in prange(n):
        x, y = 0.0, 0.0
        for b in range(behaviours):
            x += gain * request[b, i, 0]
            y += gain * request[b, i, 1]
        length = np.sqrt(x * x + y * y)
        scale = limit[i] / length if length > limit[i] else 1.0
        total[i, 0], total[i, 1] = x * scale, y * scale
        for b in range(behaviours):
            share[b, i, 0] = gain * request[b, i, 0] * scale
            share[b, i, 1] = gain * request[b, i, 1] * scale
    return total, share


def _prioritised_loop(request, gain, limit, sequence):  # type: ignore[no-untyped-def]
    n = request.shape[1]
    share = np.zeros_like(request)
    total = np.zeros((n, 2))
    for i in prange(n):
        left = limit[i]
        for b in sequence:
            x, y = gain * request[b, i, 0], gain * request[b, i, 1]
            length = np.sqrt(x * x + y * y)
            scale = left / length if length > left else 1.0
            share[b, i, 0], share[b, i, 1] = x * scale, y * scale
            total[i, 0] += x * scale
            total[i, 1] += y * scale
            left -= length * scale
            if left <= 0.0:
                break
    return total, share


_weighted = Kernel(_weighted_loop)
_prioritised = Kernel(_prioritised_loop)
