"""Control landmarks: static robots whose forces make others take up a wished density (the control robots of Reif & Wang 1999, §4.1).

Each pushes those away that are nearer than its reach L, by ``k (L − r)``: a spring that acts up to its own length. Such a force has no
pole, so robots pass over landmarks freely. Their energies ``½ k (L − r)²`` add up to any smooth landscape; wanted is the one in which a
robot costs the same everywhere: what the others' repulsion costs at the wished density (:func:`~.lattice.cost`), upside down. Outside of
the wished density it rises with the distance, so that robots come in from all around. Strengths k ≥ 0 are found by least squares.
"""

from dataclasses import dataclass, replace

import numpy as np

from swarm_control.core.geometry import Array, hexagonal_lattice, norm
from swarm_control.social.wished_density import WishedDensity

FINE, COARSE = 250, 90
"""Most landmarks: where robots are wished and just beside, and further out."""
OVERLAP = 2.0
"""Reach of a landmark over the distance to the next."""
RIM = 2.5
"""How far beside the wished density landmarks are as dense as in it, in robots' spacings."""
OUTSIDE = 0.3
"""Weight of places where no robots are wished."""
PER_REACH = 6.0
"""Places along a landmark's reach at which energies are compared."""
RAYS, HOLD = 72, 1.5
"""Directions in which pushes outwards are looked at, and how much stronger than these robots are drawn home."""
LEAST = 1e-3
"""A landmark weaker than this share of the strongest is left out."""


@dataclass(frozen=True)
class ControlLandmarks:
    """M landmarks at ``place`` (M, 2) m: each pushes robots nearer than ``reach`` (M,) m away by ``strength`` (M,) 1/s² per m.

    All robots farther than ``radius`` (m) from ``centre`` (2,) are drawn back by ``home`` 1/s² per m.
    """

    place: Array
    reach: Array
    strength: Array
    centre: Array
    radius: float
    home: float

    def energy(self, position: Array) -> tuple[Array, Array]:
        """Energy (N,) m²/s² of robots at ``position`` (N, 2) m, and the force (N, 2) m/s² on each."""
        away = position[:, None] - self.place
        r = np.hypot(away[..., 0], away[..., 1])
        inside = np.maximum(self.reach - r, 0.0)
        out = position - self.centre
        far = np.hypot(out[:, 0], out[:, 1])
        over = np.maximum(far - self.radius, 0.0)
        push = (self.strength * inside / np.maximum(r, 1e-9))[..., None] * away
        pull = (self.home * over / np.maximum(far, 1e-9))[:, None] * out
        return 0.5 * (self.strength * inside**2).sum(axis=1) + 0.5 * self.home * over**2, push.sum(axis=1) - pull


def laid_out(wished: WishedDensity, slope: float) -> ControlLandmarks:
    """Landmarks for a wished density, on two hexagonal lattices, still without strength; beside it energy is to rise by ``slope`` m/s²."""
    centre, radius = wished.circle
    radius += RIM * wished.apart
    points, outside = wished.points, wished.outside.ravel()
    close = points[outside <= RIM * wished.apart]
    step = max(1.3 * wished.apart, float(np.sqrt(len(close) * wished.cell**2 / FINE)))
    fine = _within(centre, radius + step, step)
    fine = fine[_distance(close, fine) < 0.6 * OVERLAP * step]
    wide = max(3.0 * step, float(np.sqrt(np.pi * radius**2 / COARSE)))
    coarse = _within(centre, radius + wide, wide)
    place = np.concatenate((fine, coarse))
    reach = OVERLAP * np.repeat([step, wide], [len(fine), len(coarse)])
    return ControlLandmarks(place, reach, np.zeros(len(place)), centre, radius, slope / (OVERLAP * step))


def fitted(controls: ControlLandmarks, wished: WishedDensity, landscape: Array, slope: float) -> ControlLandmarks:
    """The landmarks with the strengths whose energy is nearest to a ``landscape`` (H, W) m²/s² where robots are wished, but for a constant.

    Outside of it the energy wanted is ``slope`` (m/s²) times the distance, which counts less.
    """
    from scipy.optimize import nnls

    points, target, weight = _wanted(controls, wished, landscape, slope)
    r = np.linalg.norm(points[:, None] - controls.place, axis=-1)
    share = 0.5 * np.maximum(controls.reach - r, 0.0) ** 2
    one = np.ones((len(points), 1))
    found, _ = nnls(np.hstack((share, one, -one)) * weight[:, None], target * weight, maxiter=60 * share.shape[1])
    return replace(controls, strength=found[:-2])


def _wanted(controls: ControlLandmarks, wished: WishedDensity, landscape: Array, slope: float) -> tuple[Array, Array, Array]:
    """Places (P, 2) m as far as the farthest landmark reaches, the energy wanted there (P,), and how much it counts (P,)."""
    inside, reach = wished.density.ravel() > 0.0, float(controls.reach.max())
    points, target = wished.points, np.where(inside, landscape.ravel(), slope * wished.outside.ravel())
    every = max(int(float(controls.reach.min()) / (PER_REACH * wished.cell)), 1)
    row, column = np.divmod(np.arange(len(points)), len(wished.x))
    chosen = (norm(points - controls.centre) < controls.radius + wished.cell) & (row % every == 0) & (column % every == 0)
    around = _within(controls.centre, controls.radius + reach, reach / PER_REACH)
    around = around[np.abs(around - controls.centre).max(axis=1) > 0.5 * len(wished.x) * wished.cell]  # beyond the grid
    over = np.maximum(norm(around - controls.centre) - controls.radius, 0.0)
    risen = slope * _distance(points[inside], around) - 0.5 * controls.home * over**2
    return (
        np.concatenate((points[chosen], around)), np.concatenate((target[chosen], np.maximum(risen, 0.0))),
        np.concatenate((np.where(inside[chosen], 1.0, OUTSIDE), np.full(len(around), OUTSIDE))),
    )  # fmt: skip


def drawing_home(controls: ControlLandmarks) -> ControlLandmarks:
    """The landmarks with ``home`` strong enough that beyond ``radius`` nothing that they push outwards comes to rest.

    Pushes are looked at along ``RAYS`` rays, from a tenth of the longest reach beyond the radius on.
    """
    reach = float(controls.reach.max())
    angle, over = np.linspace(0.0, 2.0 * np.pi, RAYS, endpoint=False), np.linspace(0.1, 2.0, 20) * reach
    away = np.column_stack((np.cos(angle), np.sin(angle)))
    at = controls.centre + (controls.radius + over)[:, None, None] * away
    _, push = replace(controls, home=0.0).energy(at.reshape(-1, 2))
    outwards = (push.reshape(at.shape) * away).sum(axis=-1) / over[:, None]
    return replace(controls, home=max(controls.home, HOLD * float(outwards.max())))


def in_levels(controls: ControlLandmarks, levels: int) -> ControlLandmarks:
    """The landmarks with strengths rounded to so many ``levels`` for each reach; those that come to nothing are left out."""
    strength = controls.strength.copy()
    for reach in np.unique(controls.reach):
        own = controls.reach == reach
        step = strength[own].max() / levels
        if step > 0.0:
            strength[own] = step * np.round(strength[own] / step)
    kept = strength > LEAST * strength.max(initial=0.0)
    return replace(controls, place=controls.place[kept], reach=controls.reach[kept], strength=strength[kept])


def _within(centre: Array, radius: float, step: float) -> Array:
    """Points (K, 2) m of a hexagonal lattice within a circle."""
    points = hexagonal_lattice(centre - radius, centre + radius, step, centre)
    return points[norm(points - centre) <= radius]


def _distance(points: Array, places: Array) -> Array:
    """Distance (K,) m from each of ``places`` (K, 2) to the nearest of ``points``."""
    from scipy.spatial import cKDTree

    near: Array = cKDTree(points).query(places)[0]
    return near
