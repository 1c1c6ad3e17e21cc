"""The ground in a world of MuJoCo: a plane, or a field of heights with level ground around it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.scenario.terrain import Terrain
from swarm_control.world.bitmap import load_greys

FINE = 10
"""Grid points from hill to hill."""
MOST = 600
"""Grid points along a side, at most."""
BORDER = 0.1
"""Share of the uneven square's side in which it fades to level ground."""
THICK = 0.1
"""How thick the ground below the lowest valley is, in sides of the square."""


@dataclass(frozen=True)
class Ground:
    """Ground of a ``terrain`` whose heights (K, K) are shares of its roughness, rows along y; None: a plane.

    ``unit`` (m) of the model's lengths.
    """

    terrain: Terrain
    unit: float
    heights: Array | None

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Gravity in the ground's frame, units of the model: on a slope it is gravity that leans."""
        angle, g = np.deg2rad(self.terrain.slope), 9.81 / self.unit
        return float(-g * np.sin(angle)), 0.0, float(-g * np.cos(angle))

    def assets(self) -> str:
        """MJCF of what the ground needs."""
        look = (
            '<texture name="ground" type="2d" builtin="checker" width="256" height="256" rgb1=".56 .62 .5" rgb2=".5 .57 .46"/>'
            f'<material name="ground" texture="ground" texrepeat="{1.0:.9g} {1.0:.9g}" texuniform="true" specular="0" reflectance="0"/>'
        )
        if self.heights is None:
            return look
        half, rough = 0.5 * self.terrain.extent / self.unit, self.terrain.roughness / self.unit
        k = len(self.heights)
        return f'{look}<hfield name="ground" nrow="{k}" ncol="{k}" size="{half:.9g} {half:.9g} {rough:.9g} {2.0 * THICK * half:.9g}"/>'

    def bodies(self) -> str:
        """MJCF of the ground."""
        common = f'class="ground" friction="{self.terrain.friction} 0 0" material="ground"'
        if self.heights is None:
            return f'<geom name="ground" type="plane" size="0 0 1" {common}/>'
        half, far, deep = (s * self.terrain.extent / self.unit for s in (0.5, 50.0, THICK))
        low = self.heights.min() * self.terrain.roughness / self.unit
        around = "".join(
            f'<geom type="box" pos="{x:.9g} {y:.9g} {-deep:.9g}" size="{sx:.9g} {sy:.9g} {deep:.9g}" {common}/>'
            for x, y, sx, sy in (
                (half + far, 0.0, far, 2.0 * far), (-half - far, 0.0, far, 2.0 * far),
                (0.0, half + far, half, far), (0.0, -half - far, half, far),
            )
        )  # fmt: skip
        return f'<geom name="ground" type="hfield" hfield="ground" pos="0 0 {low:.9g}" {common}/>{around}'

    def fill(self, model: Any) -> None:
        """Write the heights into the compiled ``model``."""
        if self.heights is not None:
            model.hfield_data[:] = (self.heights - self.heights.min()).astype(np.float32).ravel()

    def under(self, position: Array, radius: Array) -> Array:
        """The highest ground (n,) m within ``radius`` (n,) m of ``position`` (n, 2) m; for robots to start above it."""
        if self.heights is None:
            return np.zeros(len(position))
        k, extent = len(self.heights), self.terrain.extent
        place = np.linspace(-0.5 * extent, 0.5 * extent, k)
        cell = place[1] - place[0]
        high = np.zeros(len(position))
        for n, (point, reach) in enumerate(zip(position, radius + cell)):
            x, y = (np.abs(place - value) <= reach for value in point)
            patch = self.heights[np.ix_(y, x)]
            high[n] = self.terrain.roughness * patch.max() if patch.size else 0.0
        return high


def make_ground(terrain: Terrain, unit: float, seed: int, where: Path) -> Ground:
    """Make the ground; noise goes by the ``seed``. An image's path is relative to the folder ``where``."""
    if terrain.roughness == 0.0:
        return Ground(terrain, unit, None)
    k = int(np.clip(FINE * terrain.extent / terrain.wavelength, 16, MOST))
    heights = _from_image(terrain.image, where, k) if terrain.image else FORM[terrain.form](terrain, k, np.random.default_rng([seed, 8]))
    edge = np.clip((0.5 - np.abs(np.linspace(-0.5, 0.5, k))) / BORDER, 0.0, 1.0)
    fade = edge * edge * (3.0 - 2.0 * edge)
    heights = heights * np.minimum(fade[:, None], fade[None])
    return Ground(terrain, unit, heights if terrain.image or terrain.form != "hills" else heights / np.ptp(heights))


def _noise(terrain: Terrain, k: int, rng: np.random.Generator) -> Array:
    """Noise smoothed by a Gaussian of σ = λ/(√8·π), whose hills are a wavelength apart on average (Rice's formula); of mean 0."""
    from scipy import ndimage

    cells = terrain.wavelength / terrain.extent * k
    heights = ndimage.gaussian_filter(rng.normal(size=(k, k)), cells / (np.sqrt(8.0) * np.pi), mode="wrap")
    return np.asarray(heights - heights.mean())


def _blocks(terrain: Terrain, k: int, rng: np.random.Generator) -> Array:
    """Squares of heights between −½ and ½, evenly drawn."""
    cell = _cell(terrain, k)
    drawn = rng.uniform(-0.5, 0.5, (cell[-1] + 1, cell[-1] + 1))
    return np.asarray(drawn[np.ix_(cell, cell)])


def _checks(terrain: Terrain, k: int, rng: np.random.Generator) -> Array:
    """Squares, high and low in turn along x and along y, from a place by chance."""
    along, across = (_cell(terrain, k, shift) for shift in rng.uniform(size=2))
    return np.asarray((along[None] + across[:, None]) % 2 - 0.5)


def _steps(terrain: Terrain, k: int, rng: np.random.Generator) -> Array:
    """Low and high in turn along x, from a place by chance."""
    return np.broadcast_to(_cell(terrain, k, rng.uniform()) % 2 - 0.5, (k, k)).copy()


def _gaps(terrain: Terrain, k: int, rng: np.random.Generator) -> Array:
    """Level, but for a trench in the last third of each wavelength along x, from a place by chance."""
    place = (np.arange(k) * terrain.extent / (k - 1) / terrain.wavelength + rng.uniform()) % 1.0
    return np.broadcast_to(np.where(place > 2.0 / 3.0, -1.0, 0.0), (k, k)).copy()


def _cell(terrain: Terrain, k: int, shift: float = 0.0) -> IntArray:
    """In which wavelength each of ``k`` points along a side lies."""
    return (np.arange(k) * terrain.extent / (k - 1) / terrain.wavelength + shift).astype(np.int64)


FORM = {"hills": _noise, "blocks": _blocks, "checks": _checks, "steps": _steps, "gaps": _gaps}
"""By ``terrain.form``: (terrain, points along a side, generator) → heights, before they fade to level ground at the border."""


def _from_image(image: str, where: Path, k: int) -> Array:
    """The image's brightness, its top towards +y, from −½ (black) to ½ (white)."""
    from scipy import ndimage

    grey = load_greys(where / image, "bodies.terrain.image")[::-1].astype(float) / 255.0
    row, column = (np.linspace(0.0, size - 1.0, k) for size in grey.shape)
    return np.asarray(ndimage.map_coordinates(grey, np.meshgrid(row, column, indexing="ij"), order=1) - 0.5)
