"""Hooke springs on a graph in d = 2 or 3 dimensions: energy, forces, rigidity, and where robots come to rest (Reif & Wang, section 5).

A spring between i and j holds the energy ``½ k (r_ij − l)²``. What is guaranteed depends on the natural lengths l:

- *All zero:* the energy is a quadratic form in the positions. With some vertices held by leading robots it has one minimum, and nothing
  else at rest, exactly if every vertex is joined to a leading one by a way of springs: :func:`embedding` solves for it. It is affine in
  the leading positions, so moving them by any affine map (shift, turn, scale, shear) moves all robots by that map. Being
  (d+1)-connected with d+1 leading robots in general position adds that, for almost all stiffnesses, no d+1 robots fall into a common
  hyperplane (Linial, Lovász & Wigderson 1988); a part that hangs on d others only falls into the plane through them.
- *Otherwise* the energy is not convex. Where the lengths are those of a placement, that placement and its rigid motions have energy
  zero, so none has less; others may have none either, and robots may come to rest in between. It is a strict minimum, up to rigid
  motion, if the rigidity matrix has full rank (:func:`is_rigid`), and reached from nearby. (d+1)-connected is not enough for that: it
  takes no more than ``(d+1) n / 2`` springs, and rigidity ``d n − d (d+1) / 2``. It is the only one of energy zero, in general position,
  if vertices can be added one by one with d+1 springs each to those before (``connectivity.trilaterated``); even then a start may
  come to rest elsewhere.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swarm_control.core.geometry import Array, IntArray


@dataclass(frozen=True)
class SpringGraph:
    """E springs between ``count`` vertices.

    ``ends`` (E, 2): the vertices that each joins; ``stiffness`` (E,) > 0, force per m; ``length`` (E,) m, natural, at least 0.
    """

    count: int
    ends: IntArray
    stiffness: Array
    length: Array

    @cached_property
    def incidence(self) -> Array:
        """(n, E): 1 where an edge begins at a vertex, −1 where it ends there."""
        edge, matrix = np.arange(len(self.ends)), np.zeros((self.count, len(self.ends)))
        matrix[self.ends[:, 0], edge] = 1.0
        matrix[self.ends[:, 1], edge] = -1.0
        return matrix


def springs(position: Array, ends: IntArray, stiffness: float = 1.0, natural: bool = True) -> SpringGraph:
    """Equal springs along the edges ``ends`` (E, 2), of the lengths that these have at ``position`` (n, d) m, or else of length zero."""
    length = np.linalg.norm(_along(position, ends), axis=-1) * natural
    return SpringGraph(len(position), ends, np.full(len(ends), stiffness), length)


def energy(springs: SpringGraph, position: Array) -> Array:
    """Energy ``Σ ½ k (r − l)²`` of positions (…, n, d) m → (…)."""
    stretch = np.linalg.norm(_along(position, springs.ends), axis=-1) - springs.length
    total: Array = 0.5 * (springs.stiffness * stretch**2).sum(axis=-1)
    return total


def forces(springs: SpringGraph, position: Array) -> Array:
    """Force (…, n, d) on each vertex at ``position`` (…, n, d) m: minus the energy's gradient; none between vertices that coincide."""
    along = _along(position, springs.ends)
    r = np.linalg.norm(along, axis=-1)
    pull = springs.stiffness * (1.0 - np.divide(springs.length, r, out=np.ones_like(r), where=r > 0.0))
    force = pull[..., None] * along
    total: Array = springs.incidence @ force
    return total


def rigidity_matrix(ends: IntArray, position: Array) -> Array:
    """How fast half the squared lengths change with the positions: (E, n d) m, for edges ``ends`` (E, 2) at ``position`` (n, d) m."""
    n, d = position.shape
    along, edge = _along(position, ends), np.arange(len(ends))
    matrix = np.zeros((len(ends), n, d))
    matrix[edge, ends[:, 0]] = -along
    matrix[edge, ends[:, 1]] = along
    return matrix.reshape(len(ends), n * d)


def freedom(ends: IntArray, position: Array, held: IntArray | None = None) -> int:
    """In how many independent ways vertices can move at first order without stretching a spring, besides rigid motions.

    With ``held`` vertices, which do not move, rigid motions that they leave open count as well.
    """
    n, d = position.shape
    matrix = rigidity_matrix(ends, position)
    if held is None:
        return int(n * d - _rank(matrix) - _rigid_motions(position))
    moving = np.setdiff1d(np.arange(n), held)
    return int(len(moving) * d - _rank(matrix.reshape(-1, n, d)[:, moving].reshape(len(ends), -1)))


def is_rigid(ends: IntArray, position: Array) -> bool:
    """Whether the placement is infinitesimally rigid: no first-order motion keeps all lengths but the rigid ones."""
    return freedom(ends, position) == 0


def laplacian(springs: SpringGraph) -> Array:
    """Stiffness-weighted Laplacian (n, n): ``½ Σ_d x_dᵀ L x_d`` is the energy of springs of length zero."""
    matrix: Array = (springs.incidence * springs.stiffness) @ springs.incidence.T
    return matrix


def is_anchored(springs: SpringGraph, leaders: IntArray) -> bool:
    """Whether every vertex is joined to one of the ``leaders`` by springs: the condition for one minimum at length zero."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(springs.ends)), tuple(springs.ends.T)), (springs.count, springs.count))
    count, label = connected_components(edges, directed=False)
    return bool(len(np.unique(label[leaders])) == count)


def embedding(springs: SpringGraph, leaders: IntArray, position: Array) -> Array:
    """The one place of least energy (n, d) m of springs of length zero whose ``leaders`` (L,) are at ``position`` (L, d) m.

    ``ValueError`` if a spring has a length, or if a vertex is joined to no leader, so that the minimum is not unique.
    """
    if springs.length.any():
        raise ValueError("springs with natural lengths found, expected lengths of zero")
    if not is_anchored(springs, leaders):
        raise ValueError("a vertex joined to no leading one found, expected springs that lead from each to a leading one")
    free = np.setdiff1d(np.arange(springs.count), leaders)
    matrix = laplacian(springs)
    result = np.empty((springs.count, position.shape[1]))
    result[leaders] = position
    result[free] = np.linalg.solve(matrix[np.ix_(free, free)], -matrix[np.ix_(free, leaders)] @ position)
    return result


def _along(position: Array, ends: IntArray) -> Array:
    """From the first to the second end of each edge (…, E, d)."""
    along: Array = position[..., ends[:, 1], :] - position[..., ends[:, 0], :]
    return along


def _rank(matrix: Array) -> int:
    return int(np.linalg.matrix_rank(matrix)) if matrix.size else 0


def _rigid_motions(position: Array) -> int:
    """Dimension of the rigid motions of a placement (n, d): shifts, and turns that move a point of it."""
    d = position.shape[1]
    span = _rank(position - position.mean(axis=0))
    return int(d + d * (d - 1) // 2 - (d - span) * (d - span - 1) // 2)
