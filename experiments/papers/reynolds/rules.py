"""Each rule on its own, and all three together (Adeola et al., Table 1 and Fig. 14)."""

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist

from swarm_control.analysis.experiments.finding import Finding, Paths, interval
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm

from . import PAGE

DISTANCE = 0.6
BARE = (
    "world=null", "robots.0.count=12", "robots.0.start.heading_spread=90", "perception.radius=4", "perception.count=0",
    "alignment.weight=0", "cohesion.weight=0", "separation.weight=0", f"separation.distance={DISTANCE}", "cruise.weight=0",
    "steer_to_avoid.weight=0", "separation_filter.enabled=false",
)  # fmt: skip
AT_REST = ("robots.0.start.speed=0", "robots.0.start.spacing=0.2")
DRAG = ("cruise.weight=0.1", "cruise.speed=0")


SETTINGS = {
    "alignment": ("alignment.weight=0.1", "robots.0.start.spacing=0.8"),
    "alignment, close": ("alignment.weight=0.1", "robots.0.start.spacing=0.4"),
    "cohesion": ("cohesion.weight=0.2", "robots.0.start.speed=0", "robots.0.start.spacing=0.5"),
    "separation": ("separation.weight=0.2", *AT_REST),
    "separation, with drag": ("separation.weight=0.2", *AT_REST, *DRAG),
    "all three": ("alignment.weight=0.1", "cohesion.weight=0.2", "separation.weight=0.2"),
}


@experiment("isolated_rules", "alignment, cohesion and separation, each on its own (Table 1, Fig. 14)", PAGE, reported_on=range(100, 120))
def isolated_rules(lab: Lab) -> Finding:
    """Fly alignment, cohesion and separation alone, separation with some drag, and all three."""
    seeds = lab.seeds(quick=1)
    length = ("duration=20",) if lab.quick else ("duration=40",)
    flights = lab.fly([Trial("flock_frame", (*BARE, *length, *s), seed) for seed in seeds for s in SETTINGS.values()])
    runs = [dict(zip(SETTINGS, flights[k : k + len(SETTINGS)])) for k in range(0, len(flights), len(SETTINGS))]
    numbers = [numbers_of(run) for run in runs]
    held = [_claims(one) for one in numbers]
    return Finding(
        "Isolated rules (Table 1, Fig. 14)",
        "Alignment alone gives equal trails of displacement; cohesion alone leads to a collision at the centroid; separation alone moves "
        "robots clear of their neighbours and then asks for nothing; all three converge to a formation.",
        ("rule", "measure", "mean ± 95 % interval", "least and most"), _rows(numbers),
        {claim: all(one[claim] for one in held) for claim in held[0]},
        tuple(Paths(name, flight, zoom=_ZOOM[name]) for name, flight in runs[0].items()),
        {name: float(np.mean([one[name] for one in numbers])) for name in numbers[0]},
        f"{len(seeds)} seeds; a statement holds if it does for each of them. For alignment robots set out 0.8 m apart, close ones 0.4 m: "
        "with courses that differ some touch before they agree, and stall. "
        "An omnidirectional robot keeps its velocity when nothing is asked of it (v = u + a·t), so robots under separation alone coast "
        "apart once they are out of range; with some drag (cruise at speed 0) they stop.",
    )  # fmt: skip


def numbers_of(run: dict[str, Flight]) -> dict[str, float]:
    """Take the measures of one flight of each of the :data:`SETTINGS`."""
    close, alone, drag = run["alignment, close"], run["separation"], run["separation, with drag"]
    cohesion, three = run["cohesion"], run["all three"]
    return {
        "trail_spread": trail_spread(run["alignment"]), "contacts_apart": float(run["alignment"].summary["collisions"]),
        "close_spread": trail_spread(close),
        "close_contacts": float(close.summary["collisions"]), "radius_before": radius(cohesion.position[0]),
        "radius_after": float(_radii(cohesion).min()), "contacts": float(cohesion.summary["collisions"]),
        "separation_gap": nearest(alone.position[-1]).min(), "separation_effort": alone.effort[-1].max(),
        "separation_speed": alone.speed[-1].mean(), "drag_gap": nearest(drag.position[-1]).min(), "drag_speed": drag.speed[-1].max(),
        "formation_change": shape_change(three), "formation_gap": nearest(three.position[-1]).mean(),
    }  # fmt: skip


_ZOOM = {"alignment": 0.0, "alignment, close": 0.0, "cohesion": 3.0, "separation": 0.0, "separation, with drag": 4.0, "all three": 0.0}
_MEASURES = (
    ("alignment", "trails of the second half: largest deviation from their mean (%)", "trail_spread", 100.0, 2),
    ("alignment", "collisions", "contacts_apart", 1.0, 1),
    ("alignment, close", "the same", "close_spread", 100.0, 2),
    ("alignment, close", "collisions", "close_contacts", 1.0, 1),
    ("cohesion", "mean distance from the centroid at the start (m)", "radius_before", 1.0, 3),
    ("cohesion", "least mean distance from the centroid (m)", "radius_after", 1.0, 3),
    ("cohesion", "collisions", "contacts", 1.0, 1),
    ("separation", f"least distance at the end, range {DISTANCE} (m)", "separation_gap", 1.0, 2),
    ("separation", "largest request at the end (m/s²)", "separation_effort", 1.0, 3),
    ("separation", "mean speed at the end (m/s)", "separation_speed", 1.0, 2),
    ("separation, with drag", "least distance at the end (m)", "drag_gap", 1.0, 2),
    ("separation, with drag", "largest speed at the end (m/s)", "drag_speed", 1.0, 4),
    ("all three", "change of shape in the last quarter (%)", "formation_change", 100.0, 1),
    ("all three", "mean distance to the nearest neighbour (m)", "formation_gap", 1.0, 2),
)


def _rows(numbers: list[dict[str, float]]) -> tuple[tuple[str, str, str, str], ...]:
    rows = []
    for rule, measure, name, scale, digits in _MEASURES:
        v = scale * np.array([one[name] for one in numbers])
        rows.append((rule, measure, f"{v.mean():.{digits}f} ± {interval(v):.{digits}f}", f"{v.min():.{digits}f}, {v.max():.{digits}f}"))
    return tuple(rows)


def _claims(n: dict[str, float]) -> dict[str, bool]:
    return {
        "alignment: trails become equal and parallel (within 2 %)": n["trail_spread"] < 0.02,
        "alignment, close: so they do from closer starts": n["close_spread"] < 0.02,
        "that is collisions' doing: in every run without one trails become equal, from either start": (
            n["trail_spread"] < 0.02 or n["contacts_apart"] > 0.0
        )
        and (n["close_spread"] < 0.02 or n["close_contacts"] > 0.0),
        "cohesion: the flock collapses onto its centroid and collides": n["radius_after"] < 0.25 * n["radius_before"] and n["contacts"] > 0,
        "separation: everybody gets out of range and requests end": n["separation_gap"] >= DISTANCE and n["separation_effort"] == 0.0,
        "separation with drag: robots come to rest (below 1 cm/s)": n["drag_speed"] < 0.01,
        "all three: the flock settles into a formation": n["formation_change"] < 0.1,
    }


def trail_spread(flight: Flight) -> float:
    """Largest difference of a robot's displacement in the second half from the mean one, as a share of it."""
    trail = flight.position[-1] - flight.position[len(flight.time) // 2]
    mean = trail.mean(axis=0)
    return float(norm(trail - mean).max() / norm(mean))


def radius(position: Array) -> float:
    """Mean distance of positions (n, 2) from their centroid, m."""
    return float(norm(position - position.mean(axis=0)).mean())


def _radii(flight: Flight) -> Array:
    return np.array([radius(position) for position in flight.position])


def nearest(position: Array) -> Array:
    """Distance of each position (n, 2) to the nearest other one (n,), m."""
    distance: Array = cKDTree(position).query(position, 2)[0][:, 1]
    return distance


def shape_change(flight: Flight) -> float:
    """Mean standard deviation over the last quarter of the distances between robots, as a share of their mean."""
    pairs = np.array([pdist(position) for position in flight.position[-len(flight.time) // 4 :]])
    return float(pairs.std(axis=0).mean() / pairs.mean())
