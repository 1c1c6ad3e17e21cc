"""Social potential fields: a line of robots on springs sweeps a field; how much it covers and how even it stays."""

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, BoolArray, norm

from . import PAGE

LATE = "odometry 0.1 s late, 20 % lost"
SETTINGS = {
    "as it is": (),
    "odometry off by 2 cm": ("simulator.noise_position=0.02",),
    LATE: ("simulator.delay=0.1", "simulator.loss=0.2"),
    "robots act at times of their own": ("simulator.asynchronous=2",),
}
FIELD = np.array([[-10.0, -13.0], [10.0, 13.0]])
"""Lower left and upper right corner of the field, m."""
CUT = 0.55
"""Half of the width (m) that a robot harvests; neighbours are 1 m apart."""
CELL = 0.1


@experiment("social_harvest", "a line on springs sweeps a field: covered share and evenness (§5)", PAGE)
def harvest(lab: Lab) -> Finding:
    """Sweep the field with exact and with imperfect sensors."""
    seeds = lab.seeds(quick=1)
    flights = lab.fly([Trial("harvest_line", changes, seed) for changes in SETTINGS.values() for seed in seeds])
    found = {name: flights[k * len(seeds) : (k + 1) * len(seeds)] for k, name in enumerate(SETTINGS)}
    share = {name: [covered(f) for f in fs] for name, fs in found.items()}
    uneven = {name: [unevenness(f) for f in fs] for name, fs in found.items()}
    worst = {name: max(float(u.mean()) for u in us) for name, us in uneven.items()}
    hits = {name: sum(f.summary["collisions"] for f in fs) for name, fs in found.items()}
    first, prompt = found["as it is"][0], [name for name in SETTINGS if name != LATE]
    return Finding(
        "A harvesting line (section 5)",
        "Robots equally spaced in a line sweep a field; one that meets an obstacle moves out of the line to get round it and comes back to "
        "its place. No simulation of it is shown.",
        ("sensors", "field covered (%)", "gaps between neighbours: sd / mean, on average (%)", "at worst (%)", "collisions"),
        tuple((name, mean_sd((100 * s for s in share[name]), 2), mean_sd((100 * u.mean() for u in uneven[name]), 2),
               mean_sd(100 * u.max() for u in uneven[name]), str(hits[name])) for name in SETTINGS),
        {
            "99 % of the field is covered, whatever the sensors": min(s for values in share.values() for s in values) > 0.99,
            "gaps differ by less than 5 % on average if odometry is prompt": max(worst[name] for name in prompt) < 0.05,
            "and also if it is late and lost": worst[LATE] < 0.05,
            "nobody collides": not any(hits.values()),
        },
        (Paths("a line between two leading robots", first),
         Curves("evenness of the line", "time (s)", "sd of the gaps / mean (%)", {
             name: (fs[0].time, 100 * unevenness(fs[0]), None) for name, fs in found.items()})),
        {"covered": min(share["as it is"]), "uneven": worst["as it is"], "uneven_late": worst[LATE]},
        f"{len(seeds)} seeds. Eleven robots between two leading ones, 1 m apart, springs of length zero and alignment; four trees, each in "
        f"one's way. A robot harvests {200 * CUT:.0f} cm. The leading robots drive 20 m, shift by a strip in 26 s and drive back; while "
        f"they shift, the line is drawn out, gaps differ by up to {100 * float(unevenness(first)[_shift(first)].max()):.0f} %. "
        "Springs between neighbours swing up on late odometry unless alignment damps them, and do so to some degree even then.",
    )  # fmt: skip


def _shift(flight: Flight) -> BoolArray:
    """Instants (T,) at which the leading robots shift."""
    return np.asarray((flight.time > 54.0) & (flight.time < 78.0))


def covered(flight: Flight) -> float:
    """Share of the field within ``CUT`` of where a robot has been."""
    from scipy.spatial import KDTree

    axes = [np.arange(low + 0.5 * CELL, high, CELL) for low, high in FIELD.T]
    cells = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    distance, _ = KDTree(flight.position.reshape(-1, 2)).query(cells, distance_upper_bound=CUT)
    return float(np.isfinite(distance).mean())


def unevenness(flight: Flight) -> Array:
    """Standard deviation over mean of the gaps between neighbours in the line (T,)."""
    gap = norm(np.diff(flight.position, axis=1))
    uneven: Array = gap.std(axis=1) / gap.mean(axis=1)
    return uneven
