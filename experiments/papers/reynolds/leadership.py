"""Few leaders against all, and who leads (Adeola et al., §2.5, Figs 15 and 16)."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Paths, interval, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, BoolArray, norm, unit

from . import PAGE

FIELD = (
    "world=empty.world", "robots.0.count=20", "robots.0.start.center=[-5, -5]", "goals.0.position=[5, 5]", "goals.0.fraction=1.0",
    "perception.count=0", "alignment.weight=0.1", "steer_to_avoid.weight=0", "arrival.weight=0", "duration=80",
    "leaders.per=0", "leaders.everywhere=false",
    'phases=[{"start": 20, "set": {"arrival.weight": 0.3}}]',
)  # fmt: skip
CALL = 20.0
"""When (s) the urge sets in; until then the flock comes to rest around its centre."""
BELOW = "arrival.slowing_distance=30"
"""The urge asks for less than top speed all the way, so that who falls behind can catch up."""
SETTINGS = {
    "all (global urge)": ("leaders.count=0",),
    "3, nearest": ("leaders.count=3",),
    "3, hull": ("leaders.count=3", "leaders.method=hull"),
    "1, nearest": ("leaders.count=1",),
    "all, below top speed": ("leaders.count=0", BELOW),
    "3, below top speed": ("leaders.count=3", BELOW),
}
ALL, FEW, ONE, ALL_BELOW, FEW_BELOW = "all (global urge)", "3, nearest", "1, nearest", "all, below top speed", "3, below top speed"
START = 0.3
"""A robot has reacted when it has come this much (m) closer to the goal."""


@dataclass(frozen=True)
class Following:
    """What tells leaders from followers in one flight; the front is the three robots nearest the goal when the urge sets in.

    ``lag`` (s): how much later the others react than the front. ``gap`` and ``gap_one``: mean lead of the three foremost robots, and of
    the foremost one, over the others on the way, as a multiple of the one at rest. ``stretch``: largest standard deviation along the way
    over the one at rest. ``arrival`` (s): after the urge has set in.
    ``leaders_rest`` and ``others_rest`` (m): mean distance from the goal's centre at the end; ``spread`` (m): that of all. ``changes``:
    how often the leadership changed.
    """

    lag: float
    gap: float
    gap_one: float
    stretch: float
    arrival: float | None
    leaders_rest: float
    others_rest: float
    spread: float
    changes: float


@experiment("leaders", "few leaders against all (Figs 15, 16)", PAGE, reported_on=range(100, 120))
def leaders(lab: Lab) -> Finding:
    """Fly twenty robots over an empty field with all, three or one of them feeling the goal."""
    seeds = lab.seeds(quick=1)
    trials = [Trial("migrate_boxes", (*FIELD, *changes), seed) for changes in SETTINGS.values() for seed in seeds]
    measured = lab.measure(trials, measure)
    by_setting = {name: measured[k * len(seeds) : (k + 1) * len(seeds)] for k, name in enumerate(SETTINGS)}
    shown = [ALL, FEW]
    flights = lab.fly([Trial("migrate_boxes", (*FIELD, *SETTINGS[name], "duration=32"), seeds[0]) for name in shown])
    ends = lab.fly([Trial("migrate_boxes", (*FIELD, *SETTINGS[name]), seeds[0]) for name in shown])
    least, most, mean = ({name: _end(ms, how) for name, ms in by_setting.items()} for how in (-1.0, 1.0, 0.0))
    few = by_setting[FEW]
    return Finding(
        "Leaders (Figs 15, 16)",
        "When all feel the urge their reaction is instant and distances stay equal. With few leaders a gap opens between them and the "
        "rest, a delay; at the goal leaders stop and the others gather around them, while robots that all feel it compete for the centre.",
        ("leaders", "reaction lag of the others (s)", "gap behind the foremost three, on the way / at rest",
         "behind the foremost one", "largest stretch of the flock / at rest", "all arrived after (s)",
         "leaders' distance from the goal at the end (m)", "others' distance (m)", "changes of leadership"),
        tuple(_row(name, ms) for name, ms in by_setting.items()),
        {
            "all lead: the reaction is instant (lag below 0.2 s)": abs(most[ALL]["lag"]) < 0.2,
            "few lead: the others lag behind": least[FEW]["lag"] > most[ALL]["lag"] + 0.2,
            "three lead: a gap opens behind the foremost three, wider than when all lead": least[FEW]["gap"] > most[ALL]["gap"],
            "one leads: a gap opens behind the foremost, wider than when all lead": least[ONE]["gap_one"] > most[ALL]["gap_one"],
            "all lead: distances stay equal (stretch below 1.2)": most[ALL]["stretch"] < 1.2,
            "that is top speed's doing: urged to less, when all lead they stay equal": most[ALL_BELOW]["stretch"] < 1.2,
            "… but when three lead they do not": least[FEW_BELOW]["stretch"] > 1.2,
            "few lead: leaders stop on the goal's circle (0.4 m, within 0.1 m)": all(abs(m.leaders_rest - 0.4) < 0.1 for m in few),
            "all lead: they compete for the centre and end closer to it": most[ALL]["spread"] < least[FEW]["spread"],
        },
        (*(Paths(f"leaders: {name}, on the way", f, leaders=True) for name, f in zip(shown, flights)),
         *(Paths(f"leaders: {name}, at the goal", f, leaders=True, zoom=3.0) for name, f in zip(shown, ends))),
        {f"{key}, {name}": value for name, means in mean.items() for key, value in means.items()},
        f"Means ± standard deviations over {len(seeds)} seeds; statements compare the ends of the means' 95 % intervals. Twenty robots on "
        "open floor, 14 m to the goal; only leaders feel it, wherever the others are (leaders.everywhere is off). At top speed whoever has "
        "fallen behind cannot catch up; below it the urge grows weaker with the distance, by 4 % for each metre.",
    )  # fmt: skip


def _end(ms: list[Following], side: float) -> dict[str, float]:
    """Mean of each measure, or the lower (−1) or upper (1) end of its 95 % interval."""
    values = {key: np.array([getattr(m, key) for m in ms]) for key in ("lag", "gap", "gap_one", "stretch", "spread")}
    return {key: float(v.mean() + side * interval(v)) for key, v in values.items()}


def measure(flight: Flight) -> Following:
    """Take the measures of one flight."""
    goal = np.array(flight.goals[0].position)
    begun = int(np.searchsorted(flight.time, CALL - 1e-9))
    position = flight.position[begun:]
    distance = norm(position - goal)
    front = np.argsort(distance[0])[:3]
    reaction = reaction_times(flight.time[begun:], distance)
    others = np.setdiff1d(np.arange(flight.robots), front)
    way = distance.min(axis=1) > 2.0
    gap, gap_one = (float(ahead[way].mean() / ahead[0]) for ahead in (lead(distance, 3), lead(distance, 1)))
    arrival = flight.summary["arrival_time"]
    leads = flight.leads[-1] if not flight.leads[-1].all() else _nearest_three(distance[-1])
    return Following(
        float(reaction[others].mean() - reaction[front].mean()), gap, gap_one, _stretch(position, goal),
        None if arrival is None else arrival - CALL,
        float(distance[-1, leads].mean()), float(distance[-1, ~leads].mean()), float(distance[-1].mean()),
        float((np.diff(flight.leads[begun:].astype(int), axis=0) != 0).any(axis=1).sum()),
    )  # fmt: skip


def lead(distance: Array, first: int) -> Array:
    """How much nearer (m) to the goal the ``first`` robots are than the others, on average (T,), from ``distance`` (T, N)."""
    ranked = np.sort(distance, axis=1)
    ahead: Array = ranked[:, first:].mean(axis=1) - ranked[:, :first].mean(axis=1)
    return ahead


def _stretch(position: Array, goal: Array) -> float:
    """Largest standard deviation of positions (T, N, 2) along the way from the first centroid to the ``goal``, over the first one."""
    extent = (position @ unit(goal - position[0].mean(axis=0))).std(axis=1)
    return float(extent.max() / extent[0])


def reaction_times(time: Array, distance: Array) -> Array:
    """When each robot (N,) has first come ``START`` closer to the goal, from ``distance`` (T, N); the last instant if it never has."""
    reacted = distance[0] - distance >= START
    return np.asarray(np.where(reacted.any(axis=0), time[np.argmax(reacted, axis=0)], time[-1]))


def _nearest_three(distance: Array) -> BoolArray:
    chosen = np.zeros(len(distance), bool)
    chosen[np.argsort(distance)[:3]] = True
    return chosen


def _row(name: str, ms: list[Following]) -> tuple[str, ...]:
    return (
        name, mean_sd((m.lag for m in ms), 2), mean_sd((m.gap for m in ms), 2), mean_sd((m.gap_one for m in ms), 2),
        mean_sd((m.stretch for m in ms), 2),
        mean_sd(m.arrival for m in ms),
        mean_sd((m.leaders_rest for m in ms), 2), mean_sd((m.others_rest for m in ms), 2), mean_sd((m.changes for m in ms), 0),
    )  # fmt: skip
