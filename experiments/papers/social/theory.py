"""Social potential fields: the density that theory expects of a cluster against simulated ones, and laws found for wished densities."""

from collections.abc import Callable, Iterable

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, mean_sd
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.social.density import equilibrium, growth, law_for
from swarm_control.social.disc import Disc, normal
from swarm_control.social.laws import Law

from . import PAGE
from .rest import LEFT, ROWS, STEPS, Cluster, rest, ring_error, rings, shares


def _clustering(repulsion: float, attraction: float) -> Law:
    return Law(equilibrium=1.0, repulsion=repulsion, attraction=attraction)


LAWS = {f"−1/r^{a:g} + 1/r^{b:g}": _clustering(a, b) for a, b in ((2, 1), (3, 1), (3, 2), (5, 1), (7, 1))}
STARTS = (_clustering(2.5, 1.0), _clustering(5.0, 1.0))
"""Where searches for a law begin: a repulsion below and above 1/r³, as densities are much the same on both sides."""
FLAT = np.array([1.0])
WISHES: dict[str, Callable[[int], Disc]] = {
    "that of −1/r^4 + 1/r^1.5": lambda n: equilibrium(_clustering(4.0, 1.5), n),
    "even, 3 m": lambda n: normal(3.0, FLAT, 0.0, n),
    "dome (1 − t²)^½, 3 m": lambda n: normal(3.0, FLAT, 0.5, n),
    "(1 − t²), 3 m": lambda n: normal(3.0, FLAT, 1.0, n),
}
"""Densities to look for laws of, for n robots; t is the distance from the centre over the radius."""


@experiment("social_density", "density of a cluster from its law, against simulated (Reif & Wang §4)", PAGE, reported_on=range(100, 103))
def density(lab: Lab) -> Finding:
    """Let robots come to rest under five laws and compare their number in rings, and the disc's size, with theory."""
    counts, seeds = (200, 800) if lab.quick else (400, 1600), lab.seeds(quick=1)
    names = [(name, n) for name in LAWS for n in counts]
    discs = dict(zip(names, lab.map(_expected, [(LAWS[name], n) for name, n in names])))
    clusters = lab.map(rest, [(LAWS[name[0]], discs[name], seed) for name in names for seed in seeds])
    found = {name: clusters[k * len(seeds) : (k + 1) * len(seeds)] for k, name in enumerate(names)}
    error = {name: [ring_error(discs[name], c.r) for c in found[name]] for name in names}
    rim = {name: [float(c.r.max()) / discs[name].rim() - 1.0 for c in found[name]] for name in names}
    most = {name: [_most(c.r) / float(discs[name].holding(np.array(0.95))) - 1.0 for c in found[name]] for name in names}
    left = [c.left for c in clusters]
    large = [name for name in names if name[1] == counts[1]]
    power = {law: _power([float(np.mean([_most(c.r) for c in found[law, n]])) for n in counts], counts) for law in LAWS}
    return Finding(
        "Density of a cluster, from its law (section 4)",
        "The density at which robots rest can be computed from the law, near robots summed on a hexagonal lattice, far ones integrated, as "
        "a polynomial, in rounds of least squares. No numbers are given.",
        ("law", "robots", "R in theory (m)", "outermost row in theory (m)", "outermost robot, off by (%)", "radius of 95 %, off by (%)",
         "density in rings, off by (%)", "radius of 95 % grows with N to the power", "in theory"),
        tuple((name, str(n), f"{discs[name, n].radius:.3f}", f"{discs[name, n].rim():.3f}", _percent(rim[name, n]),
               _percent(most[name, n]), _percent(error[name, n]), f"{power[name]:.2f}",
               f"{growth(LAWS[name].repulsion, LAWS[name].attraction):.2f}{', log N' if LAWS[name].repulsion == 3.0 else ''}")
              for name, n in names),
        {
            "the radius that holds 95 % of the robots is within 5 % of theory": _largest(most.values()) < 0.05,
            f"the outermost robot of {counts[1]} is within 5 % of the row expected": _largest(rim[name] for name in large) < 0.05,
            f"and of {counts[0]}": _largest(rim[name] for name in names if name not in large) < 0.05,
            f"the density in rings is within 5 % of theory for {counts[1]} robots": _largest(error[name] for name in large) < 0.05,
            f"and that for {counts[0]}": _largest(error[name] for name in names if name not in large) < 0.05,
        },
        tuple(_panel(f"{name}, {counts[1]} robots", {"theory": discs[name, counts[1]]}, discs[name, counts[1]], found[name, counts[1]])
              for name in LAWS),
        {"ring_error": _largest(error[name] for name in large), "rim_error": _largest(rim.values()),
         "radius_error": _largest(most.values()), "left": max(left)},
        f"{len(seeds)} starts each, scattered over a disc, damped until no force is above {LEFT:g} of the attraction or {STEPS} steps are "
        f"over (left: {np.median(left):.1g} in the median, {max(left):.1g} at most). The error in rings, at least {ROWS:g} spacings "
        "wide, is the root mean square weighted by the robots expected. R, where the density falls to zero, is not what the outermost "
        "robots reach: their row stands for as much floor beyond as before it.",
    )  # fmt: skip


@experiment("social_synthesis", "laws found for wished densities (Reif & Wang §4)", PAGE, reported_on=range(100, 102))
def synthesis(lab: Lab) -> Finding:
    """Look for the laws that give wished densities, let robots come to rest under them, and compare."""
    n, seeds = 200 if lab.quick else 400, lab.seeds(quick=1)
    wished = {name: wish(n) for name, wish in WISHES.items()}
    laws = dict(zip(wished, lab.map(_search, list(wished.values()))))
    clusters = lab.map(rest, [(law, disc, seed) for law, disc in laws.values() for seed in seeds])
    found = {name: clusters[k * len(seeds) : (k + 1) * len(seeds)] for k, name in enumerate(wished)}
    theory = {name: _distance(disc, wished[name]) for name, (_, disc) in laws.items()}
    error = {name: [ring_error(wished[name], c.r) for c in found[name]] for name in wished}
    smooth = [name for name in wished if not name.startswith("even")]
    return Finding(
        "Laws for a wished density (section 4)",
        "Coefficients and exponents of a law are searched, by a quasi-Newton method, for the density nearest to a wished one. No example "
        "is given.",
        ("wished", "law found", "density in theory, off by (%)", "simulated, in rings, off by (%)"),
        tuple((name, _text(law), f"{100 * theory[name]:.1f}", _percent(error[name])) for name, (law, _) in laws.items()),
        {
            "a law's own density is found again within 2 %": theory[smooth[0]] < 0.02,
            "densities that fall smoothly to the edge are met within 5 % by simulated robots": _largest(error[k] for k in smooth) < 0.05,
            "an even disc is met within 5 % by simulated robots": _largest([error["even, 3 m"]]) < 0.05,
        },
        tuple(_panel(name, {"wished": wished[name], "theory": laws[name][1]}, wished[name], found[name]) for name in wished),
        {"even_error": _largest([error["even, 3 m"]]), "smooth_error": _largest(error[k] for k in smooth)},
        f"{n} robots, {len(seeds)} starts each; forces left: {np.median([c.left for c in clusters]):.1g} of the attraction in the median, "
        f"{max(c.left for c in clusters):.1g} at most. The search begins at −1/r^2.5 + 1/r and −1/r^5 + 1/r, the better end counts; "
        "differences in theory are root mean squares over the robots. No power falls to zero as sharply as an even disc does at its edge.",
    )  # fmt: skip


def _expected(case: tuple[Law, int]) -> Disc:
    return equilibrium(*case)


def _search(wished: Disc) -> tuple[Law, Disc]:
    r = np.linspace(0.0, 1.2 * wished.radius, 121)[1:]
    found = [law_for(r, wished.at(r), start) for start in STARTS]
    return min(found, key=lambda pair: _distance(pair[1], wished))


def _distance(disc: Disc, wished: Disc) -> float:
    """Root mean square over the robots of how far a density is off a wished one, as a share."""
    r = wished.holding((np.arange(200) + 0.5) / 200)
    return float(np.sqrt(np.mean((disc.at(r) / wished.at(r) - 1.0) ** 2)))


def _most(r: Array) -> float:
    return float(np.quantile(r, 0.95))


def _power(radii: list[float], counts: tuple[int, ...]) -> float:
    return float(np.log(radii[1] / radii[0]) / np.log(counts[1] / counts[0]))


def _largest(values: Iterable[list[float]]) -> float:
    return max(abs(value) for case in values for value in case)


def _percent(values: list[float]) -> str:
    return mean_sd(100.0 * value for value in values)


def _text(law: Law) -> str:
    return f"r₀ = {law.equilibrium:.3f} m, repulsion {law.repulsion:.2f}, attraction {law.attraction:.2f}"


def _panel(title: str, curves: dict[str, Disc], disc: Disc, clusters: list[Cluster]) -> Curves:
    """Densities by the distance from the centre, and those of simulated robots in rings."""
    r = np.linspace(0.0, disc.radius, 100)
    lines = {name: (r, curve.at(r), None) for name, curve in curves.items()}
    bounds = rings(disc)
    middle = np.sqrt(0.5 * (bounds[1:] ** 2 + bounds[:-1] ** 2))
    expected = np.diff(disc.inside(bounds)) / (np.pi * np.diff(bounds**2))
    counted = np.mean([shares(disc, cluster.r)[0] for cluster in clusters], axis=0) * expected
    return Curves(title, "distance from the centre (m)", "robots per m²", lines | {"simulated": (middle, counted, None)})
