"""How far, how wide and how well robots see: a cluster and an escort by force laws, and a flock on its way to a goal."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform

from swarm_control.analysis.experiments.finding import Finding, Paths, Snapshot, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm

from ..papers.reynolds.shape import largest_group
from ..papers.social.behaviours import protection
from . import PAGE

EVERYONE, FAR = "everyone (a flock: 8 m)", "8 m"
SENSES = {
    EVERYONE: (), FAR: (), "4 m": ("perception.radius=4",), "2.5 m": ("perception.radius=2.5",), "1.5 m": ("perception.radius=1.5",),
    "270°": ("perception.field_of_view=270",), "180°": ("perception.field_of_view=180",), "90°": ("perception.field_of_view=90",),
    "nearer robots and walls hide": ("perception.occlusion=true",), "half missed in each tick": ("perception.loss=0.5",),
    "seen 0.5 s late": ("perception.delay=0.5",), "the six nearest": ("perception.count=6",),
}  # fmt: skip
"""What robots sense; where nothing else is said, all others within 8 m, all round, at once."""
QUICK = (EVERYONE, FAR, "2.5 m", "1.5 m", "180°", "90°", "half missed in each tick")
TASKS = {"cluster": ("robots.0.count=50",), "escort": (), "migrate_boxes": ()}
HALF = {"cluster": 7.5, "escort": 10.5}
"""Half the side (m) of what is shown of a task."""
LINK = 2.0
"""Robots of a cluster that are no farther (m) from each other are of one part: the distance at which two of them balance."""
Found = tuple[float, ...]


def trial_of(task: str, sense: str, seed: Seed) -> Trial:
    """The run of a task by robots that sense so much."""
    feels = () if task == "migrate_boxes" else (f"social.feels={'everyone' if sense == EVERYONE else 'perceived'}",)
    changes = (*TASKS[task], *feels, "perception.radius=8", "perception.count=0", *SENSES[sense])
    return Trial(task, changes, seed, until_arrival=task == "migrate_boxes")


def cluster(flight: Flight) -> Found:
    """Parts at the end, and mean distance to the nearest (m)."""
    apart = squareform(pdist(flight.position[-1]))
    parts = int(connected_components(apart <= LINK)[0])
    np.fill_diagonal(apart, np.inf)
    return parts, float(apart.min(axis=1).mean())


def escort(flight: Flight) -> Found:
    """Share of the march with the leader in the guards' hull, and share of the guards within 2 m of him at the end."""
    guards, leader = flight.members("guards"), flight.members("leader")[0]
    away = norm(flight.position[-1][guards] - flight.position[-1][leader])
    return protection(flight)[0], float((away <= 2.0).mean())


def migrate_boxes(flight: Flight) -> Found:
    """Share arrived, when (s; the whole run where not all did), and mean share in the largest group on the way."""
    summary = flight.summary
    together = float(np.mean([largest_group(place).mean() for place in flight.position[::20]]))
    return float(summary["arrived_fraction"]), float(summary["arrival_time"] or flight.time[-1]), together


MEASURES = {"cluster": cluster, "escort": escort, "migrate_boxes": migrate_boxes}


@experiment("senses", "force laws and a flock by range, view, occlusion, loss and delay", PAGE, reported_on=range(100, 110))
def senses(lab: Lab) -> Finding:
    """Give robots less and less to sense, in three tasks."""
    seeds, names = lab.seeds(quick=1), QUICK if lab.quick else tuple(SENSES)
    found = {task: _measured(lab, task, names, seeds) for task in TASKS}
    mean = {task: {name: values.mean(axis=0) for name, values in of.items()} for task, of in found.items()}
    rows = tuple(
        (name, mean_sd(found["cluster"][name][:, 0]), mean_sd(found["cluster"][name][:, 1], 2),
         *(mean_sd(100.0 * found["escort"][name][:, k]) for k in range(2)), mean_sd(100.0 * found["migrate_boxes"][name][:, 0]),
         mean_sd(found["migrate_boxes"][name][:, 1]), mean_sd(100.0 * found["migrate_boxes"][name][:, 2]))
        for name in names
    )  # fmt: skip
    shown = [(task, name) for task in ("cluster", "escort") for name in (EVERYONE, "2.5 m", "90°")]
    flights = lab.fly([trial_of(*one, seeds[0]) for one in (*shown, ("migrate_boxes", FAR), ("migrate_boxes", "90°"))])
    panels = [
        Snapshot(f"{task}: {name.split(' (')[0]}", flight, float(flight.time[-1]), half=HALF[task])
        for (task, name), flight in zip(shown, flights)
    ]  # fmt: skip
    paths = [Paths(f"migrate_boxes: {name}", flight) for name, flight in zip((FAR, "90°"), flights[-2:])]
    return Finding(
        "What robots can sense",
        "Not in the papers: force laws are summed over all robots there, and flocks see all round or by angle only.",
        ("robots sense", "cluster: parts", "nearest (m)", "escort: leader within the guards (%)", "guards with him at the end (%)",
         "flock: arrived (%)", "arrival (s)", "in the largest group (%)"),
        rows, _claims(found, mean), (*panels[:3], paths[0], *panels[3:], paths[1]),
        {f"{task}_{name}": float(mean[task][name][-1]) for task in TASKS for name in names},
        f"{len(seeds)} seeds. Robots see 8 m, all round, without loss or delay, where nothing else is said; landmarks and goals are known. "
        "`cluster` has 50 robots, and its parts are 2 m apart, where two robots balance; guards of `escort` start within 3 m of the "
        "leader. The flock is `migrate_boxes`; a run in which not all arrive counts by its length.",
    )  # fmt: skip


def _measured(lab: Lab, task: str, names: Sequence[str], seeds: Sequence[Seed]) -> dict[str, Array]:
    """What a task came to with each sense, a row for each seed."""
    measured = lab.measure([trial_of(task, name, seed) for name in names for seed in seeds], MEASURES[task])
    return {name: np.array(measured[k * len(seeds) : (k + 1) * len(seeds)]) for k, name in enumerate(names)}


def _claims(found: dict[str, dict[str, Array]], mean: dict[str, dict[str, Array]]) -> dict[str, bool]:
    spacing = {name: values[1] for name, values in mean["cluster"].items()}
    inside = {name: values[:, 0] for name, values in found["escort"].items()}
    arrival = {name: values[1] for name, values in mean["migrate_boxes"].items()}
    half = "half missed in each tick"
    wider = abs(spacing[FAR] / spacing[EVERYONE] - 1.0)
    return {
        "a cluster that sees 8 m is as one that knows of everyone: spacing within 2 %": wider < 0.02,
        "one that sees 2.5 m is at least 1.5 times as wide": spacing["2.5 m"] > 1.5 * spacing[EVERYONE],
        "one that sees 90° falls into parts in every run": bool((found["cluster"]["90°"][:, 0] > 1).all()),
        "half of the neighbours missed in each tick leave the spacing within 10 %": abs(spacing[half] / spacing[FAR] - 1.0) < 0.1,
        "guards that see 8 m keep the leader among them all the time": bool((inside[FAR] == 1.0).all()),
        "guards that see 1.5 m or half of what is around lose him in every run": all((inside[s] < 1.0).all() for s in ("1.5 m", "180°")),
        "the flock arrives whole, whatever it senses": all((values[:, 0] == 1.0).all() for values in found["migrate_boxes"].values()),
        "with 90° it takes at least 1.5 times as long": arrival["90°"] > 1.5 * arrival[FAR],
    }
