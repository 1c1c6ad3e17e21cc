"""Social potential fields: clusters, walls, an escort, an army and a mine field (Reif & Wang, §3), each with numbers that show it."""

from collections.abc import Sequence

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Snapshot, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm
from swarm_control.safety.fence import clearance

from ..reynolds.shape import largest_group
from . import PAGE

L_SHAPE = np.array([[-5.0, -5.0], [5.0, -5.0], [5.0, -1.0], [-1.0, -1.0], [-1.0, 5.0], [-5.0, 5.0]])
"""Outline of the scenario cluster_shape, m."""
MARCH = 15.0
"""When (s) the escorted robot sets out."""
CAMP, PLACES = 39.0, 89.0
"""When (s) the army is in its camp, and when in its places."""


def repeated(lab: Lab, scenario: str) -> tuple[Flight, Sequence[Seed]]:
    """The scenario's first flight, for pictures, and the seeds to measure."""
    seeds = lab.seeds()
    return lab.fly([Trial(scenario, (), seeds[0])])[0], seeds


@experiment("social_clusters", "a free cluster, and one within landmarks (Reif & Wang §3.3)", PAGE)
def clusters(lab: Lab) -> Finding:
    """A free cluster and one within an outline: how even they are, and what of the shape is left uncovered."""
    disc, seeds = repeated(lab, "cluster")
    shape = lab.fly([Trial("cluster_shape", (), seeds[0])])[0]
    free = lab.measure([Trial("cluster", (), seed) for seed in seeds], free_cluster)
    bound = lab.measure([Trial("cluster_shape", (), seed) for seed in seeds], bound_cluster)
    hexagon = lattice_hole(shape.robots)
    return Finding(
        "Clusters (section 3.3)",
        "Robots with one clustering law come to rest in a disc, evenly far from their neighbours; within landmarks along an outline they "
        "fill any shape evenly.",
        ("cluster", "spread of nearest distances, inner robots (%)", "least over largest extent", "robots inside (%)",
         "farthest place from a robot (m)", "collisions"),
        (("free, 100 robots", mean_sd(100 * m[0] for m in free), mean_sd((m[1] for m in free), 2), "–", "–",
          str(sum(int(m[2]) for m in free))),
         ("L of landmarks, 80 robots", mean_sd(100 * m[0] for m in bound), "–", mean_sd(100 * m[1] for m in bound),
          mean_sd((m[2] for m in bound), 2), str(sum(int(m[3]) for m in bound)))),
        {
            "the free cluster is even: nearest distances spread by less than 10 %": max(m[0] for m in free) < 0.1,
            "and round: its extent differs by less than 15 % between directions": min(m[1] for m in free) > 0.85,
            "all robots stay within the outline, in every run": min(m[1] for m in bound) == 1.0,
            "they fill the L: no place is farther from a robot than 1.5 times what a hexagonal lattice leaves":
                max(m[2] for m in bound) < 1.5 * hexagon,
            "no collision in the L, the filter being on": sum(m[3] for m in bound) == 0,
        },
        (Snapshot("cluster, start", disc, 0.0), Snapshot("cluster, end", disc, 60.0),
         Snapshot("cluster_shape, after 10 s", shape, 10.0), Snapshot("cluster_shape, end", shape, 80.0)),
        {"uneven": max(m[0] for m in free), "inside": min(m[1] for m in bound), "hole": max(m[2] for m in bound)},
        f"{len(seeds)} seeds. A hexagonal lattice of 80 robots on 64 m² leaves no place farther than {hexagon:.2f} m from one.",
    )  # fmt: skip


def lattice_hole(robots: int) -> float:
    """How far (m) the farthest place in the L, 64 m², is from ``robots`` on a hexagonal lattice."""
    return float(np.sqrt(2.0 * 64.0 / robots / (3.0 * np.sqrt(3.0))))


def free_cluster(flight: Flight) -> tuple[float, float, float]:
    """Spread of the inner robots' nearest distances as a share; least over largest standard deviation of places; collisions."""
    centred = flight.position[-1] - flight.position[-1].mean(axis=0)
    extent = np.sqrt(np.linalg.eigvalsh(centred.T @ centred))
    inner = norm(centred) < 0.7 * norm(centred).max()
    return uneven(flight.position[-1], inner), float(extent[0] / extent[1]), float(flight.summary["collisions"])


def bound_cluster(flight: Flight) -> tuple[float, float, float, float]:
    """Spread of nearest distances as a share, share of robots in the L, farthest place in it from a robot (m), collisions."""
    place = flight.position[-1]
    margin = clearance(L_SHAPE, place)
    x, y = np.meshgrid(np.arange(-4.9, 5.0, 0.1), np.arange(-4.9, 5.0, 0.1))
    floor = np.stack((x.ravel(), y.ravel()), axis=-1)
    floor = floor[clearance(L_SHAPE, floor) > 0.0]
    hole = norm(floor[:, None] - place).min(axis=1).max()
    return uneven(place, margin > 0.8), float((margin > 0.0).mean()), float(hole), float(flight.summary["collisions"])


def uneven(position: Array, of: BoolArray) -> float:
    """Standard deviation of the distances to the nearest robot over their mean, for the robots ``of``."""
    distance = norm(position[:, None] - position)
    np.fill_diagonal(distance, np.inf)
    nearest = distance.min(axis=1)[of]
    return float(nearest.std() / nearest.mean())


@experiment("social_walls", "a group goes round walls to a goal (§3.4)", PAGE, reported_on=range(100, 120))
def walls(lab: Lab) -> Finding:
    """A group on its way round three walls."""
    flight, seeds = repeated(lab, "bypass_walls")
    found = lab.measure([Trial("bypass_walls", (), seed) for seed in seeds], passage)
    arrived, hits, room = [m[0] for m in found], sum(int(m[2]) for m in found), min(m[3] for m in found)
    return Finding(
        "Round walls as a group (section 3.4)",
        "A group goes to its goal round walls marked by landmarks, without collision, and stays together.",
        ("robots arrived (%)", "all arrived after (s)", "collisions", "least room to walls (m)", "largest group on the way, at least (%)",
         "farthest from the group's centre (m)"),
        ((mean_sd(100 * a for a in arrived), mean_sd(m[1] for m in found), str(hits), f"{room:.3f}", mean_sd(100 * m[4] for m in found),
          mean_sd((m[5] for m in found), 2)),),
        {
            "all arrive, from every start": min(arrived) == 1.0,
            "no collision": hits == 0,
            "the group never parts: joined by gaps of at most 1 m": min(m[4] for m in found) == 1.0,
        },
        tuple(Snapshot(f"{t:g} s", flight, t) for t in (0.0, 10.0, 20.0, 30.0, 40.0, 60.0)),
        {"arrived": min(arrived), "together": min(m[4] for m in found)}, f"{len(seeds)} seeds, 16 robots; walls are real ones too.",
    )  # fmt: skip


def passage(flight: Flight) -> tuple[float, float | None, float, float, float, float]:
    """Share arrived, arrival (s), collisions, least room to walls (m), least share in the largest group, farthest from the centre (m)."""
    s = flight.summary
    end = flight.at(s["arrival_time"] or flight.time[-1])
    way = flight.position[flight.at(5.0) : end + 1 : 10]
    together = min(float(largest_group(place).mean()) for place in way)
    far = float(norm(way - way.mean(axis=1, keepdims=True)).max())
    return s["arrived_fraction"], s["arrival_time"], s["collisions"], s["min_clearance"], together, far


@experiment("social_escort", "guards round a leading robot on the march (§3.5)", PAGE)
def escorting(lab: Lab) -> Finding:
    """Guards round a leading robot on the march."""
    flight, seeds = repeated(lab, "escort")
    found = lab.measure([Trial("escort", (), seed) for seed in seeds], protection)
    return Finding(
        "Escort (section 3.5)",
        "What is guarded may move: a leading robot goes its programmed way, and robots escort it.",
        ("leader within the guards' hull (%)", "guards' distance from the leader (m)", "its spread over guards and time (m)",
         "widest gap between guards (deg)", "collisions"),
        ((mean_sd(100 * m[0] for m in found), mean_sd((m[1] for m in found), 2), mean_sd((m[2] for m in found), 2),
          mean_sd(m[3] for m in found), str(sum(int(m[4]) for m in found))),),
        {
            "the leader is within the guards' hull all the time": min(m[0] for m in found) == 1.0,
            "no gap in the ring is ever wider than 90°": max(m[3] for m in found) < 90.0,
            "no collision": sum(m[4] for m in found) == 0,
        },
        tuple(Snapshot(f"{t:g} s", flight, t) for t in (0.0, 15.0, 30.0, 45.0, 55.0, 75.0)),
        {"inside": min(m[0] for m in found), "gap": max(m[3] for m in found)},
        f"{len(seeds)} seeds; 12 guards, 18 m at 0.3 m/s with two right angles, measured from the moment the leader sets out.",
    )  # fmt: skip


def protection(flight: Flight) -> tuple[float, float, float, float, float]:
    """Share of the march in the hull, mean and spread of the guards' distance (m), widest gap (deg), collisions."""
    guards, leader = flight.members("guards"), flight.members("leader")[0]
    march = slice(flight.at(MARCH), None)
    offset = flight.position[march][:, guards] - flight.position[march, leader][:, None]
    gap, distance = widest_gap(offset), norm(offset)
    return float((gap < 180.0).mean()), float(distance.mean()), float(distance.std()), float(gap.max()), float(flight.summary["collisions"])


def widest_gap(offset: Array) -> Array:
    """Widest angle (...,) in degrees between neighbouring bearings of ``offset`` (..., n, 2); 180 or more: the origin is outside."""
    bearing = np.sort(np.rad2deg(np.arctan2(offset[..., 1], offset[..., 0])), axis=-1)
    gaps = np.diff(bearing, axis=-1, append=bearing[..., :1] + 360.0)
    return np.asarray(gaps.max(axis=-1))


@experiment("social_reorganise", "units of an army mix and take their places (§3.6)", PAGE)
def reorganising(lab: Lab) -> Finding:
    """Two units mix and separate as their laws change."""
    flight, seeds = repeated(lab, "reorganise")
    found = lab.measure([Trial("reorganise", (), seed) for seed in seeds], mixing)
    return Finding(
        "Reorganising (section 3.6)",
        "Two units that are mixed in one area separate into their places, by laws that a controller changes in three stages.",
        ("nearest neighbour of the other unit: at the start (%)", "in the camp (%)", "at the end (%)",
         "units' centres from their places (m)", "collisions"),
        ((*(mean_sd(100 * m[k] for m in found) for k in range(3)), mean_sd((m[3] for m in found), 2), str(sum(int(m[4]) for m in found))),),
        {
            "the units mix: in the camp most robots' nearest is of the other unit": min(m[1] for m in found) > 0.5,
            "they separate: at the end nobody's nearest is": max(m[2] for m in found) == 0.0,
            "each unit is at its place, within 0.3 m": max(m[3] for m in found) < 0.3,
            "no collision": sum(m[4] for m in found) == 0,
        },
        tuple(Snapshot(f"{t:g} s", flight, t) for t in (0.0, 15.0, CAMP, 50.0, 69.0, 90.0)),
        {"mixed": min(m[1] for m in found), "place_error": max(m[3] for m in found)},
        f"{len(seeds)} seeds, 20 robots each; half would be of the other unit if they were placed at random. In the camp each unit repels "
        "its own more than the other, which mixes them; the paper starts from units that are mixed.",
    )  # fmt: skip


def mixing(flight: Flight) -> tuple[float, float, float, float, float]:
    """Share whose nearest is of the other unit: at first, in the camp, at the end; farthest centre from its place (m); collisions."""
    red, blue = flight.members("red"), flight.members("blue")
    shares = [strangers(flight.position[flight.at(t)], red) for t in (0.0, CAMP, PLACES)]
    end = flight.position[-1]
    off = max(float(norm(end[unit].mean(axis=0) - flight.landmarks(f"{name} place")[0])) for name, unit in (("red", red), ("blue", blue)))
    return shares[0], shares[1], shares[2], off, float(flight.summary["collisions"])


def strangers(position: Array, unit: IntArray) -> float:
    """Share of robots at ``position`` (N, 2) m whose nearest is of another unit."""
    distance = norm(position[:, None] - position)
    np.fill_diagonal(distance, np.inf)
    mine = np.isin(np.arange(len(position)), unit)
    return float((mine != mine[distance.argmin(axis=1)]).mean())
