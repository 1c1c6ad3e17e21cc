"""Where each kind of group breaks: one thing at a time is made harder until somebody falls, they collide, or the group parts."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import Experiment, experiment, register_experiment
from swarm_control.analysis.intervals import share_interval

from . import PAGE
from .probes import AT_ONCE, DEMANDS, ENDS, LASTS, PROBES, SETTLED, ending, trial

FEW = 4
"""Seeds on which all values are tried; those next to where it breaks are tried on all."""
CHOSEN_ON, REPORTED_ON = range(100), range(3000, 3020)
Runs = list[dict[str, int]]


def sweep(lab: Lab, kind: str, measures: Sequence[str], seeds: Sequence[Seed]) -> dict[str, dict[float, Runs]]:
    """How runs end, by measure and value: a few of every value, all ``seeds`` of the last that is harmless and the first that is not."""
    hard = PROBES[kind].hard
    few = seeds[: min(FEW, len(seeds))]
    found = _fly(lab, kind, [(measure, value) for measure in measures for value in hard[measure]], few)
    edges = []
    for measure in measures:
        broken = [value for value in hard[measure] if any(map(harmed, found[measure, value]))]
        first = hard[measure].index(broken[0]) if broken else len(hard[measure]) - 1
        edges += [(measure, value) for value in hard[measure][max(first - 1, 0) : first + 1]]
    rest = _fly(lab, kind, edges, seeds[len(few) :])
    return {measure: {value: found[measure, value] + rest.get((measure, value), []) for value in hard[measure]} for measure in measures}


def _fly(lab: Lab, kind: str, points: Sequence[tuple[str, float]], seeds: Sequence[Seed]) -> dict[tuple[str, float], Runs]:
    runs = iter(lab.measure([trial(kind, seed, *point) for point in points for seed in seeds], ending))
    return {point: [next(runs) for _ in seeds] for point in points}


def harmed(run: dict[str, int]) -> bool:
    """Whether a run went wrong."""
    return any(run[end] for end in ENDS)


def limits(lab: Lab, kind: str) -> Finding:
    """Each measure in turn."""
    probe, seeds = PROBES[kind], lab.seeds(quick=1)
    measures = list(probe.hard)[: 2 if lab.quick else None]
    own = lab.measure([trial(kind, seed) for seed in seeds], ending)
    found = sweep(lab, kind, measures, seeds)
    turn = f"{probe.turn:g}° within {probe.turn_time:g} s"
    rows: list[tuple[str, ...]] = [("the paper's own turn", turn, _share(own), "", "", _ways(own))]
    rows += [_row(measure, runs) for measure, runs in found.items()]
    return Finding(
        f"Where they break: {probe.word}",
        "Point masses are the most robust and bicyclists the least; robots collide where the distance D is smaller, and bicyclists cannot "
        "follow all that is asked of them (sections 1, 5 and 6).",
        ("what is made harder", "holds to", "runs without harm", "breaks at", "runs without harm", "by"), tuple(rows),
        {"the paper's own turn is made without harm, in every run": not any(map(harmed, own))},
        (Curves("runs without harm", "step, from mild to hard", "share (%)", {
            measure: (np.arange(1.0, len(runs) + 1.0), 100.0 * np.array([_unharmed(own) for own in runs.values()]), None)
            for measure, runs in found.items()}),),
        {f"{measure} {value:g}": _unharmed(runs) for measure, values in found.items() for value, runs in values.items()},
        f"{probe.count} {probe.word} at {probe.speed:g} m/s, D = {probe.distance:g} m, n = {probe.visible}, run for {LASTS:g} s and turn "
        f"at {SETTLED:g} s; one measure at a time is another. {len(seeds)} seeds of the values next to where it breaks, "
        f"{min(FEW, len(seeds))} of the others; in brackets the 95 % interval of the share. Harm: somebody falls, "
        "footprints overlap, or the group parts: some are farther from the rest than twice D.",
    )  # fmt: skip


def _row(measure: str, runs: dict[float, Runs]) -> tuple[str, ...]:
    unit = f" {DEMANDS[measure].unit}".replace(" °", "°").rstrip()
    values = list(runs)
    first = next((k for k, value in enumerate(values) if any(map(harmed, runs[value]))), len(values))
    good = (f"{values[first - 1]:g}{unit}", _share(runs[values[first - 1]])) if first else ("nothing tried", "")
    if first == len(values):
        return measure, *good, "nothing tried", "", ""
    return measure, *good, f"{values[first]:g}{unit}", _share(runs[values[first]]), _ways(runs[values[first]])


def _unharmed(runs: Runs) -> float:
    return float(np.mean([not harmed(run) for run in runs]))


def _share(runs: Runs) -> str:
    fine = sum(not harmed(run) for run in runs)
    low, high = share_interval(fine, len(runs))
    return f"{fine} of {len(runs)} ({100 * low:.0f} to {100 * high:.0f} %)"


def _ways(runs: Runs) -> str:
    return ", ".join(f"{end} in {count}" for end in ENDS if (count := sum(run[end] > 0 for run in runs)))


def _of(kind: str) -> Callable[[Lab], Finding]:
    return partial(limits, kind=kind)


for name, known in PROBES.items():
    register_experiment(
        Experiment(f"herd_limits_{name}", f"{known.word}: what they bear, one thing at a time", _of(name), PAGE, CHOSEN_ON, REPORTED_ON)
    )


@experiment(
    "herd_limits_compared", "point masses, hoppers and bicyclists under the same demands", PAGE, chosen_on=CHOSEN_ON,
    reported_on=REPORTED_ON,
)  # fmt: skip
def compared(lab: Lab) -> Finding:
    """The same turns, distances and delays for the paper's three kinds."""
    seeds, kinds = lab.seeds(quick=1), ("points", "hoppers", "bicycles")
    demands = [("turn at once", value) for value in AT_ONCE] + [("D", value) for value in (0.6, 0.4)] + [("delay", 0.5), ("noise", 0.1)]
    demands = demands[: 2 if lab.quick else None]
    found = {kind: _fly(lab, kind, demands, seeds) for kind in kinds}
    harm = {kind: sum(harmed(run) for runs in found[kind].values() for run in runs) for kind in kinds}
    each = len(demands) * len(seeds)
    return Finding(
        "The three kinds compared (sections 1, 5 and 6.1)",
        "Point masses are the most robust in all tests, bicyclists the least: their balance cannot execute some of the changes that "
        "grouping asks for. With a smaller D robots collide when the group turns.",
        ("demand", *(PROBES[kind].word for kind in kinds)),
        (*((f"{measure} {value:g} {DEMANDS[measure].unit}", *(f"{_share(found[kind][measure, value])} {_ways(found[kind][measure, value])}"
            for kind in kinds)) for measure, value in demands),
         ("all", *(f"{each - harm[kind]} of {each}" for kind in kinds))),
        {
            "point masses come to harm least often": harm["points"] <= min(harm["hoppers"], harm["bicycles"]),
            "bicyclists come to harm most often": harm["bicycles"] > max(harm["hoppers"], harm["points"]),
        },
        (), {f"harm_{kind}": harm[kind] / each for kind in kinds},
        f"{len(seeds)} seeds of each demand; groups, distances and what counts as harm as in “Where they break”.",
    )  # fmt: skip
