"""The least deformed sequence of a formation's arrangements along a path."""

import heapq

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array
from swarm_control.formation.routing.bending import Fits, fits

LATE = 1.0
"""What it costs to begin 1 m further along, in metres of full deformation."""

CHANGE, STAND = 0.2, 2.0
"""What a change of the deformation by 1 costs, in metres of full deformation: under way, and where the formation stands meanwhile."""


def sequence(along: Fits, ds: float, reach: int, latest: int, stand: bool, most: float = np.inf) -> tuple[Array | None, float]:
    """Where to begin and which level to have where: (Q, 2) of sample and level, ending at the last sample and level 0; and its cost.

    None: it costs at least so much, infinitely much where there is no way; the search ends at a cost of ``most``. Levels fit for ``reach``
    samples before and behind, too: for sequences that are smoothed over as many.

    From one sample to the next it stays at a level or goes to a neighbour of it; where the robots may ``stand`` meanwhile, it may change
    at one place, too. The cost is the integral of the deformation over samples ``ds`` (m) apart, a little for each change, and
    :data:`LATE` for each m that it begins further along; it begins at sample ``latest`` at the latest. Dijkstra's search from the end
    asks only for what it needs to know.
    """
    levels = along.levels
    begin, follow, cost, over = _search(along.known, along.terms, levels.share, levels.toward, (ds, reach, latest, stand, most))
    if over or not np.isfinite(cost):
        return None, float(cost)
    found = [begin]
    while follow[found[-1]] != found[-1][0] * len(levels.share) + found[-1][1]:
        k, level = divmod(int(follow[found[-1]]), len(levels.share))
        found.append((k, level))
    return np.array(found), float(cost)


@njit(cache=True)
def _sound(known, terms, k, level, reach):  # type: ignore[no-untyped-def]
    last = known.shape[0] - 1
    if not fits(known, terms, k, level):
        return False
    if k == last:
        return True
    for other in range(max(k - reach, 0), min(k + reach, last) + 1):  # noqa: SIM110, compiled code knows no all()
        if not fits(known, terms, other, level):
            return False
    return True


@njit(cache=True)
def _search(known, terms, share, toward, rules):  # type: ignore[no-untyped-def]
    """The first sample and level, the state that follows on each (K, L), as ``k·L + level``, the end on itself, the cost, and whether the
    search ended before it was known.
    """
    ds, reach, latest, stand, most = rules
    samples, levels = known.shape
    child, sibling = np.full(levels, -1, np.int64), np.full(levels, -1, np.int64)
    for level in range(levels - 1, 0, -1):
        sibling[level], child[toward[level]] = child[toward[level]], level
    cost, done = np.full((samples, levels), np.inf), np.zeros((samples, levels), np.bool_)
    follow = np.zeros((samples, levels), np.int64)
    cost[samples - 1, 0], follow[samples - 1, 0] = 0.0, (samples - 1) * levels
    queue = [(0.0, samples - 1, 0)]
    least, begin = np.inf, (0, 0)
    while len(queue):
        c, k, level = heapq.heappop(queue)
        if c >= least:
            break
        if c >= most:
            return begin, follow, c, True
        if done[k, level]:
            continue
        done[k, level] = True
        if not _sound(known, terms, k, level, reach):
            continue
        if k <= latest and c + LATE * ds * k < least:
            least, begin = c + LATE * ds * k, (k, level)
        for other in (level, toward[level]):
            _relax(queue, cost, follow, (c, k, level, other), share, ds, stand)
        other = child[level]
        while other >= 0:
            _relax(queue, cost, follow, (c, k, level, other), share, ds, stand)
            other = sibling[other]
    return begin, follow, least, False


@njit(cache=True)
def _relax(queue, cost, follow, edge, share, ds, stand):  # type: ignore[no-untyped-def]
    """Come to a state of cost ``c`` from a level that is its neighbour, at the sample before or on the spot."""
    c, k, level, other = edge
    change, state = abs(share[other] - share[level]), k * len(share) + level
    before, here = c + ds * share[other] + CHANGE * change, c + STAND * change
    if k and before < cost[k - 1, other]:
        cost[k - 1, other], follow[k - 1, other] = before, state
        heapq.heappush(queue, (before, k - 1, other))
    if stand and here < cost[k, other]:
        cost[k, other], follow[k, other] = here, state
        heapq.heappush(queue, (here, k, other))
