"""Herds beyond the paper: a reflex against collisions, imperfect senses, several kinds in one herd."""

from collections.abc import Sequence

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Curves, Finding, Paths, Snapshot, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from . import PAGE
from .herd import box_ratio, harm_cells

NEW = "Not in the paper, which leaves it open."
PROMPT = ("motion.hopper.stance=0.025", "motion.hopper.flight=0.025")
REFLEXES = {
    "no reflex": ("separation_filter.enabled=false",),
    "reflex for robots that answer at once": PROMPT,
    "reflex that knows the hopper's answer": (),
}
HIDDEN = "who is behind others is not seen"
SENSES = {
    "as it is": (),
    "places off by 0.1 m": ("perception.noise_position=0.1",),
    "places off by 0.5 m": ("perception.noise_position=0.5",),
    "velocities off by 0.5 m/s": ("perception.noise_velocity=0.5",),
    "seen 0.2 s late": ("perception.delay=0.2",),
    "seen 0.5 s late": ("perception.delay=0.5",),
    "seen 1 s late": ("perception.delay=1",),
    HIDDEN: ("perception.occlusion=true",),
    "hidden, 0.2 s late, off by 0.1 m": ("perception.occlusion=true", "perception.delay=0.2", "perception.noise_position=0.1"),
}
HERD = ("robots=40", "duration=30")
MIXTURE = {
    "each kind's own": (),
    "all as robots that answer at once": (*PROMPT, "motion.bicycle.horizon=0.05", "motion.bicycle.turn_time=0.3"),
}
KINDS = (("hoppers", slice(0, 20)), ("bicyclists", slice(20, 26)), ("wheeled robots", slice(26, 38)))


@experiment("herd_reflex", "hoppers avoid imminent collisions by reflex", PAGE)
def reflex(lab: Lab) -> Finding:
    """Two rows of hoppers cross, with and without the separation filter."""
    seeds = lab.seeds()
    found = _by_name(lab, "herd_crossing", REFLEXES, seeds)
    harmed = {name: [_harm(f) for f in fs] for name, fs in found.items()}
    total = {name: sum(h[0] for h in hs) for name, hs in harmed.items()}
    falls = sum(h[1] for hs in harmed.values() for h in hs)
    none, naive, own = REFLEXES
    return Finding(
        "A reflex against imminent collisions", NEW,
        ("reflex", "collisions", "falls", "least distance (m)", "interventions per robot and minute"),
        tuple((name, *harm_cells(harmed[name]), mean_sd(f.interventions_per_minute for f in found[name])) for name in REFLEXES),
        {
            "without the reflex they collide": total[none] > 0,
            "with it there is at most a tenth of the collisions": total[own] <= 0.1 * total[none],
            "one that takes hoppers for robots that answer at once lets more collide": total[naive] > total[own],
            "nobody falls by it": falls == 0,
        },
        tuple(Paths(name, found[name][0]) for name in (none, own)),
        {"without": total[none], "prompt": total[naive], "with": total[own], "falls": falls},
        f"{len(seeds)} seeds, 16 hoppers in two rows that meet head-on at 1.5 m/s and attend to nobody. The reflex is the separation "
        "filter: a hopper goes on for the duration of a step before it can brake. Hulls touch at 0.60 m.",
    )  # fmt: skip


@experiment("herd_senses", "hoppers with noisy, late and hidden neighbours", PAGE, reported_on=range(100, 103))
def senses(lab: Lab) -> Finding:
    """A herd of hoppers forms with imperfect senses."""
    seeds = lab.seeds(quick=1)
    found = _by_name(lab, "herd_hoppers", SENSES, seeds, HERD)
    harmed = {name: [_harm(f) for f in fs] for name, fs in found.items()}
    shape = {name: [float(box_ratio(f.position[-1])) for f in fs] for name, fs in found.items()}
    uneasy = {name: [_unrest(f) for f in fs] for name, fs in found.items()}
    fell = {name: sum(h[1] for h in hs) for name, hs in harmed.items()}
    rows = tuple(
        (name, *harm_cells(harmed[name]), mean_sd(shape[name], 2), mean_sd(uneasy[name], 2)) for name in SENSES
    )  # fmt: skip
    mild = [name for name in SENSES if "0.5 m" not in name and "1 s" not in name]
    return Finding(
        "Hoppers with imperfect senses", NEW,
        ("senses", "collisions", "falls", "least distance (m)", "box ratio after 30 s", "unrest (m/s)"), rows,
        {
            "nobody falls, whatever the senses": not any(fell.values()),
            "nobody collides with places off by 0.1 m, 0.5 s of delay, or others hidden": not sum(h[0] for n in mild for h in harmed[n]),
            "who sees only those in front of others forms a circle all the same": all(0.85 < r < 1.15 for r in shape[HIDDEN]),
        },
        (Bars("unrest", "sd of the velocity in the herd (m/s)", tuple(SENSES), {
            "hoppers": np.array([np.mean(u) for u in uneasy.values()])}),
         Snapshot("as it is, after 30 s", found["as it is"][0], 30.0),
         Snapshot("hidden, late and off, after 30 s", found[list(SENSES)[-1]][0], 30.0)),
        {f"falls: {name}": count for name, count in fell.items()},
        f"{len(seeds)} seeds, 40 hoppers from a grid, D = 5 m, everybody visible unless hidden. Unrest: standard deviation of the robots' "
        "velocities over the last 10 s, in which a hopper's own rhythm is part.",
    )  # fmt: skip


@experiment("herd_mixed", "hoppers, bicyclists and wheels in one herd", PAGE)
def mixed(lab: Lab) -> Finding:
    """Hoppers, bicyclists and wheeled robots pass a disc together."""
    seeds = lab.seeds(quick=1)
    found = _by_name(lab, "herd_mixed", MIXTURE, seeds)
    harmed = {name: [_harm(f) for f in fs] for name, fs in found.items()}
    own, prompt = MIXTURE
    hits = {name: sum(h[0] for h in hs) for name, hs in harmed.items()}
    fell = {name: sum(h[1] for h in hs) for name, hs in harmed.items()}
    rows = [
        (name, *harm_cells(harmed[name]), *(mean_sd(_along(f)[robots].mean() for f in found[name]) for _, robots in KINDS))
        for name in MIXTURE
    ]  # fmt: skip
    first = found[own][0]
    return Finding(
        "A mixed herd", NEW,
        ("prediction", "collisions", "falls", "least distance (m)", *(f"way of {kind} (m)" for kind, _ in KINDS)), tuple(rows),
        {
            "nobody collides": hits[own] == 0,
            "nobody falls": fell[own] == 0,
            "with a common prediction there is more harm": hits[prompt] + fell[prompt] > hits[own] + fell[own],
            "all kinds get on equally fast, within a fifth": all(
                min(ways) > 0.8 * max(ways) for f in found[own] for ways in [[float(_along(f)[r].mean()) for _, r in KINDS]]),
        },
        (Paths("all kinds", first), Curves("speed", "time (s)", "mean speed (m/s)", {
            kind: (first.time, first.speed[:, robots].mean(axis=1), None) for kind, robots in KINDS})),
        {"collisions": hits[own], "falls": fell[own], "collisions, common": hits[prompt], "falls, common": fell[prompt]},
        f"{len(seeds)} seeds, 20 hoppers, 6 bicyclists and 12 differential drives at 2.8 m/s, a speed that hoppers just reach and "
        "bicyclists can just ride.",
    )  # fmt: skip


def _by_name(
    lab: Lab, scenario: str, settings: dict[str, tuple[str, ...]], seeds: Sequence[Seed], common: tuple[str, ...] = ()
) -> dict[str, list[Flight]]:  # fmt: skip
    flights = lab.fly([Trial(scenario, (*common, *changes), seed) for changes in settings.values() for seed in seeds])
    return {name: flights[k * len(seeds) : (k + 1) * len(seeds)] for k, name in enumerate(settings)}


def _harm(flight: Flight) -> tuple[float, float, float]:
    s = flight.summary
    return s["collisions"], s["falls"], s["min_separation"]


def _unrest(flight: Flight) -> float:
    """How much (m/s) the robots' velocities differ from the herd's, over the last 10 s."""
    velocity = flight.velocity[flight.after(10.0)]
    return float(np.sqrt(((velocity - velocity.mean(axis=1, keepdims=True)) ** 2).sum(axis=-1).mean()))


def _along(flight: Flight) -> np.ndarray:
    """How far (N,) m each robot has got along x."""
    return np.asarray(flight.position[-1, :, 0] - flight.position[0, :, 0])
