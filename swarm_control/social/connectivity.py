"""Graphs for springs: how connected one is, and graphs of d+1 connections with few edges.

An undirected graph is k-connected if it has more than k vertices and stays connected whichever k − 1 of them are taken away. By
Menger's theorem that is so exactly if any two vertices are joined by k ways that share nothing else.
"""

import numpy as np

from swarm_control.core.geometry import Array, IntArray


def is_connected(count: int, ends: IntArray, k: int) -> bool:
    """Whether the graph of ``count`` vertices and edges ``ends`` (E, 2) is k-connected, k ≥ 1.

    Even's test (1975) on maximal flows: k ways between any two of the first k vertices, and from these together to each other one.
    """
    if count <= k:
        return False
    if np.bincount(ends.ravel(), minlength=count).min(initial=k) < k:
        return False
    first = np.arange(k)
    pairs = [(i, j) for i in range(k) for j in range(i)]
    if any(_ways(count, ends, np.array([i]), j) < k for i, j in pairs):
        return False
    return all(_ways(count, ends, first, j) >= k for j in range(k, count))


def connectivity(count: int, ends: IntArray) -> int:
    """The largest k for which the graph is k-connected; 0 if it is not connected."""
    k = 0
    while is_connected(count, ends, k + 1):
        k += 1
    return k


def harary(count: int, k: int) -> IntArray:
    """Edges (E, 2) of Harary's graph on a ring of ``count`` > k ≥ 2 vertices: k-connected with ⌈k n / 2⌉ edges, the fewest possible.

    Each vertex is joined to the next ⌊k/2⌋ on either side, for an odd k also to the one across.
    """
    _enough(count, k)
    vertex = np.arange(count)
    edges = [(vertex, vertex + step) for step in range(1, k // 2 + 1)]
    if k % 2:
        half = np.arange((count + 1) // 2)
        edges.append((half, half + count // 2))
    return _tidy(np.concatenate([np.stack(pair, axis=1) for pair in edges]) % count)


def trilaterated(position: Array) -> IntArray:
    """Edges (E, 2) that join each vertex at ``position`` (n, d) m to the d+1 nearest before it; the first d+1 are all joined.

    The order is by distance from the first vertex. ``(d+1) n − (d+1)(d+2)/2`` edges: (d+1)-connected, and with lengths the only
    placement up to isometry if no d+1 vertices that one is joined to lie in a hyperplane. ``ValueError`` for fewer than d+2 vertices.
    """
    n, d = position.shape
    _enough(n, d + 1)
    order = np.argsort(np.linalg.norm(position - position[0], axis=1), kind="stable")
    edges = [(order[j], order[i]) for i in range(1, d + 1) for j in range(i)]
    for i in range(d + 1, n):
        before = order[:i]
        distance = np.linalg.norm(position[before] - position[order[i]], axis=1)
        edges += [(before[j], order[i]) for j in np.argsort(distance, kind="stable")[: d + 1]]
    return _tidy(np.array(edges))


def fewest(position: Array) -> IntArray:
    """Edges (2 n − 2, 2) between vertices at ``position`` (n, 2) m that are 3-connected and keep the shape, in general position.

    Four vertices are all joined. Each other one, by distance from the first, takes an edge's place: that between two vertices near it is
    taken away, and it is joined to both and to a third near one. Such graphs are globally rigid (Connelly 2005): with lengths, the
    placement is the only one up to isometry. ``ValueError`` for fewer than four vertices.
    """
    _enough(len(position), 3)
    order = np.argsort(np.linalg.norm(position - position[0], axis=1), kind="stable")
    edges = {(min(order[i], order[j]), max(order[i], order[j])) for i in range(4) for j in range(i)}
    for k in range(4, len(order)):
        new, before = order[k], order[:k]
        far = dict(zip(before.tolist(), np.linalg.norm(position[before] - position[order[k]], axis=1)))
        a, b = min(edges, key=lambda edge: (far[edge[0]] + far[edge[1]], edge))
        c = min((v for v in far if v not in (a, b)), key=lambda v: (far[v], v))
        edges.remove((a, b))
        edges |= {(min(new, v), max(new, v)) for v in (a, b, c)}
    return _tidy(np.array(sorted(edges)))


def _ways(count: int, ends: IntArray, source: IntArray, sink: int) -> int:
    """How many ways from ``source`` vertices to ``sink`` share no vertex but the sink (and a sole source)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    # vertex v enters at v and leaves at count + v; all begins at 2 count
    i, j = ends.T
    begin = 2 * count
    vertex = np.arange(count)
    room = np.ones(count, np.int32)
    if len(source) == 1:
        room[source] = count
    tail = np.concatenate((vertex, i + count, j + count, np.full(len(source), begin)))
    head = np.concatenate((vertex + count, j, i, source))
    capacity = np.concatenate((room, np.ones(2 * len(ends), np.int32), room[source])).astype(np.int32)
    graph = csr_array((capacity, (tail, head)), (begin + 1, begin + 1), dtype=np.int32)
    return int(maximum_flow(graph, begin, sink).flow_value)


def _tidy(edges: IntArray) -> IntArray:
    """Each edge once, its lower end first."""
    result: IntArray = np.unique(np.sort(edges, axis=1), axis=0).astype(np.int64)
    return result


def _enough(count: int, k: int) -> None:
    if count <= k:
        raise ValueError(f"{count} vertices found, expected more than {k}, as many as each is joined to")
