"""Social potential fields: what noise, latency, loss and asynchrony do to three behaviours (Reif & Wang, §1, §2.5)."""

from collections.abc import Callable

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, interval
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE
from .behaviours import passage, protection
from .guard import watch

SPOILT: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "noise of position, sd (m)": (("noise_position",), (0.0, 0.02, 0.05, 0.1, 0.2)),
    "noise of actuators, sd (share)": (("noise_speed", "noise_turn"), (0.0, 0.1, 0.2, 0.4, 0.8)),
    "latency (s)": (("delay",), (0.0, 0.05, 0.1, 0.2, 0.4)),
    "loss of messages (share)": (("loss",), (0.0, 0.2, 0.4, 0.6, 0.8)),
    "asynchrony (periods)": (("asynchronous",), (0.0, 1.0, 2.0, 4.0, 8.0)),
}
"""What is spoilt, by which parameters of the simulator, and how much."""
CLAIMED = {
    "noise of position, sd (m)": (0.05, "a position noise of 5 cm, half a robot's radius"),
    "noise of actuators, sd (share)": (0.2, "actuators that are off by 20 % in every tick"),
    "latency (s)": (0.1, "a latency of 0.1 s"),
    "loss of messages (share)": (0.4, "a loss of 40 % of the messages"),
    "asynchrony (periods)": (2.0, "robots that act every one to three periods"),
}
"""How much of it is to be endured."""

Found = dict[tuple[str, str, float], tuple[Array, int]]
"""By behaviour, what is spoilt, and how much: a measure of each run (seeds,), and collisions of all runs."""


def arrived(flight: Flight) -> tuple[float, int]:
    """Share of the robots that get round the walls, and collisions."""
    return float(passage(flight)[0]), int(flight.summary["collisions"])


def inside(flight: Flight) -> tuple[float, int]:
    """Share of the march in which the leader is within the guards' hull, and collisions."""
    return protection(flight)[0], int(flight.summary["collisions"])


def kept_off(flight: Flight) -> tuple[float, int]:
    """How near (m) the invader comes to the castle, and collisions."""
    return watch(flight).closest, int(flight.summary["collisions"])


BEHAVIOURS: dict[str, tuple[str, float, Callable[[Flight], tuple[float, int]]]] = {
    "bypass_walls": ("share arrived", 0.99, arrived),
    "escort": ("leader in the hull, share", 0.99, inside),
    "guard_castle": ("invader's distance (m)", 3.0, kept_off),
}
"""Scenarios, what they are judged by, and how much of it is demanded on average."""


@experiment("social_robustness", "three behaviours under noise, latency, loss, asynchrony", PAGE)
def robustness(lab: Lab) -> Finding:
    """Three behaviours under growing noise of sensors and actuators, latency, loss and asynchrony."""
    seeds = lab.seeds(quick=1)
    spoilt = {what: (keys, values[:: 2 if lab.quick else 1]) for what, (keys, values) in SPOILT.items()}
    found: Found = {}
    for name, (_, _, measure) in BEHAVIOURS.items():
        cases = [(what, keys, value) for what, (keys, values) in spoilt.items() for value in values]
        trials = {
            (what, value, seed): Trial(name, tuple(f"simulator.{key}={value}" for key in keys if value > 0.0), seed)
            for what, keys, value in cases for seed in seeds
        }  # fmt: skip
        distinct = list(dict.fromkeys(trials.values()))
        measured = dict(zip(distinct, lab.measure(distinct, measure)))
        for what, _, value in cases:
            runs = [measured[trials[what, value, seed]] for seed in seeds]
            found[name, what, value] = np.array([result for result, _ in runs]), sum(hits for _, hits in runs)
    endured = {what: min(_endured(found, name, what, values) for name in BEHAVIOURS) for what, (_, values) in spoilt.items()}
    return Finding(
        "Noise, latency, loss and asynchrony",
        "Potential fields are expected to be robust to errors of sensors and actuators, and robots act asynchronously. A test of this is "
        "proposed.",
        ("behaviour", "demanded", "spoilt", "values", "measure, mean", "endured up to", "collisions per run"),
        tuple(_row(found, name, what, values, len(seeds)) for name in BEHAVIOURS for what, (_, values) in spoilt.items()),
        {f"every behaviour endures {said}": endured[what] >= least for what, (least, said) in CLAIMED.items() if least in spoilt[what][1]},
        tuple(_panel(what, values, found) for what, (_, values) in spoilt.items()),
        {keys[0]: endured[what] for what, (keys, _) in spoilt.items()},
        f"{len(seeds)} seeds; bars are 95 % intervals. Endured is the largest value up to which the mean is as demanded throughout. The "
        "separation filter is on, but knows only what is measured. Robots of which nothing is heard for 0.5 s stand. Actuators "
        "miss forward speed, leftward speed and turn rate by independent shares of these, drawn anew in every tick.",
    )  # fmt: skip


def _endured(found: Found, name: str, what: str, values: tuple[float, ...]) -> float:
    """The largest of the growing ``values`` up to which a behaviour is as demanded; NaN: it never is."""
    good = [found[name, what, value][0].mean() >= BEHAVIOURS[name][1] for value in values]
    count = good.index(False) if False in good else len(good)
    return values[count - 1] if count else np.nan


def _row(found: Found, name: str, what: str, values: tuple[float, ...], runs: int) -> tuple[str, ...]:
    measure, demanded, _ = BEHAVIOURS[name]
    mine = [found[name, what, value] for value in values]
    return (
        name, f"{measure} ≥ {demanded:g}", what, ", ".join(f"{value:g}" for value in values),
        ", ".join(f"{results.mean():.2f}" for results, _ in mine), f"{_endured(found, name, what, values):g}",
        ", ".join(f"{hits / runs:.3g}" for _, hits in mine),
    )  # fmt: skip


def _panel(what: str, values: tuple[float, ...], found: Found) -> Curves:
    """Each behaviour's measure over what is demanded of it."""
    lines: dict[str, tuple[Array, Array, Array | None]] = {}
    for name, (_, demanded, _) in BEHAVIOURS.items():
        share = [found[name, what, value][0] / demanded for value in values]
        lines[name] = (np.array(values), np.array([s.mean() for s in share]), np.array([interval(s) for s in share]))
    return Curves(what, what, "measure over what is demanded", lines)
