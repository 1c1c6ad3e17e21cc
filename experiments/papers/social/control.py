"""Social potential fields: laws and control landmarks designed for random densities of two variables (Reif & Wang §4.1)."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, mean_sd
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.laws.trial import end_of
from swarm_control.analysis.laws.written import push_at, scenario_text
from swarm_control.core.geometry import Array
from swarm_control.social.design import design, scattered_share
from swarm_control.social.wished_density import WishedDensity, even_density, wished_density

from . import PAGE

SHAPES = ("polygon", "hills", "ring")
"""An even polygon with up to nine corners; two to four hills of different height; a ring that thins out inwards or outwards."""
MODELS = ("omni", "differential", "car")
CLOSE, FAR = 0.35, 1.0
"""Mean spacings (m) that are drawn."""


@dataclass(frozen=True)
class Spread:
    """One draw: what was wished of whom, and shares of the robots in the wrong place: in a scatter, expected, at the run's end."""

    shape: str
    model: str
    late: bool
    robots: int
    scattered: float
    expected: float
    misplaced: float
    collisions: int


@experiment(
    "social_control", "laws and control landmarks for random densities of two variables (§4.1)", PAGE,
    chosen_on=range(10), reported_on=range(3000, 3040),
)  # fmt: skip
def control(lab: Lab) -> Finding:
    """Draw densities, robots and odometry, design laws for them, and run the scenarios."""
    seeds = lab.seeds(quick=2)
    spreads: list[Spread] = lab.map(spread, list(seeds))
    rows = [(shape, late) for shape in SHAPES for late in (False, True)]
    found = {row: [s for s in spreads if (s.shape, s.late) == row] for row in rows}
    worst = np.sort([s.misplaced for s in spreads])
    return Finding(
        "Densities of two variables, by control landmarks (section 4.1)",
        "Static control robots shape the distribution of workers; their density is a polynomial of two variables, found in rounds of least "
        "squares. No example is given.",
        ("wished", "odometry", "draws", "robots", "in the wrong place: a scatter (%)", "expected (%)", "in the run (%)", "most (%)",
         "collisions"),
        tuple(_row(shape, late, found[shape, late]) for shape, late in rows if found[shape, late]),
        {
            "at least nine draws in ten end with at most 10 % of the robots in the wrong place": float(np.mean(worst <= 0.10)) >= 0.9,
            "every draw with at most 20 %": bool(worst[-1] <= 0.2),
            "every draw with less than half of a scatter's": all(s.misplaced < 0.5 * s.scattered for s in spreads),
            "no collision": not any(s.collisions for s in spreads),
        },
        (_panel(spreads),),
        {"median": float(np.median(worst)), "most": float(worst[-1])},
        f"{len(spreads)} draws: 20 to 200 robots, {CLOSE:g} to {FAR:g} m apart in the mean, from a scatter; a third each omnidirectional, "
        "differential and cars. Late odometry: 0.1 to 0.3 s late, 0 to 40 % lost, 1 cm noise. A robot is in the wrong place as far as the "
        "density, smoothed over the mean spacing, has it: the share is half of the integral of the difference. The landmarks are designed "
        "for resting points; limits, wheels, odometry and the separation filter come in with the run.",
    )  # fmt: skip


def spread(seed: int) -> Spread:
    """Draw a density and robots by ``seed``, design laws for them, and run the scenario."""
    rng = np.random.default_rng([seed, 41])
    shape, model, late = SHAPES[seed % 3], MODELS[rng.integers(3)], bool(rng.integers(2))
    robots = round(float(np.exp(rng.uniform(np.log(20.0), np.log(200.0)))))
    wished = _scaled(_drawn(shape, robots, rng), float(rng.uniform(CLOSE, FAR)))
    made = design(wished, push_at(wished.apart), seed)
    spoilt = {"simulator.delay": rng.uniform(0.1, 0.3), "simulator.loss": rng.uniform(0.0, 0.4), "simulator.noise_position": 0.01}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "design.yaml"
        path.write_text(scenario_text(made, shape, "experiment social_control", seed, 0.0375), encoding="utf-8")
        position, collisions = end_of(path, seed, {"robots.0.model": model} | (spoilt if late else {}))
    share = wished.misplaced(position)
    return Spread(shape, model, late, robots, scattered_share(wished, seed), made.misplaced, share, collisions)


def _drawn(shape: str, robots: int, rng: np.random.Generator) -> WishedDensity:
    side = np.linspace(-1.0, 1.0, 101)
    x, y = np.meshgrid(side, side)
    if shape == "polygon":
        corners = int(rng.integers(3, 10))
        angle = (np.arange(corners) + rng.uniform(-0.35, 0.35, corners)) * 2.0 * np.pi / corners
        far = rng.uniform(0.5, 1.0, corners)
        return even_density(np.column_stack((far * np.cos(angle), far * np.sin(angle) * rng.uniform(0.4, 1.0))), robots)
    if shape == "hills":
        hills = [(rng.uniform(-0.6, 0.6, 2), rng.uniform(0.2, 0.4), rng.uniform(0.4, 1.0)) for _ in range(rng.integers(2, 5))]
        relative = sum(top * np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2.0 * wide**2)) for at, wide, top in hills)
        return wished_density(side, side, np.where(relative > 0.05, relative, 0.0), robots)
    inner, slope, r = rng.uniform(0.2, 0.6), rng.uniform(-0.6, 0.6), np.hypot(x, y)
    return wished_density(side, side, np.where((r > inner) & (r < 1.0), 1.0 + slope * (2.0 * r - 1.0), 0.0), robots)


def _scaled(wished: WishedDensity, apart: float) -> WishedDensity:
    """The same for robots so far ``apart`` (m)."""
    by = apart / wished.apart
    return WishedDensity(wished.x * by, wished.y * by, wished.density / by**2)


def _row(shape: str, late: bool, spreads: list[Spread]) -> tuple[str, ...]:
    shares = ([100.0 * getattr(s, name) for s in spreads] for name in ("scattered", "expected", "misplaced"))
    robots = [s.robots for s in spreads]
    return (
        shape, "late" if late else "fresh", str(len(spreads)), f"{min(robots)} to {max(robots)}", *(mean_sd(share) for share in shares),
        f"{100.0 * max(s.misplaced for s in spreads):.0f}", str(sum(s.collisions for s in spreads)),
    )  # fmt: skip


def _panel(spreads: list[Spread]) -> Curves:
    """How many of the draws end with at most so many robots in the wrong place."""

    def upto(name: str) -> tuple[Array, Array, None]:
        share = np.sort([100.0 * getattr(s, name) for s in spreads])
        return share, 100.0 * np.arange(1, len(share) + 1) / len(share), None

    names = {"scatter": "scattered", "expected": "expected", "run": "misplaced"}
    return Curves("Robots in the wrong place", "at most (%)", "of the draws (%)", {label: upto(name) for label, name in names.items()})
