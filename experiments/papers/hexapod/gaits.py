"""Gaits of walking insects against Wilson's rules (McKenna & Zeltzer, section 4.1)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Finding, Photo
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.sim.mujoco.hexapod_walk import Insects, Walk

from . import PAGE
from .numerics import level
from .pictures import diagram, photograph

FREQUENCIES = (2.0, 4.0, 6.0, 8.0, 10.0)
"""Stepping frequencies whose gaits are shown, Hz."""
NOWHERE = np.empty((0, 0, 2))
"""The track of nobody."""


def speed_for(frequency: float) -> float:
    """Commanded speed (m/s) at which an insect steps at a ``frequency`` (Hz): a stride per stance."""
    p = level().hexapod
    return 0.01 * p.programs.stride / (1.0 / frequency - p.gait.step_time)


@dataclass(frozen=True)
class Rules:
    """What Wilson's rules speak of, measured in a record of steps: mean and greatest departure from it, each over all legs.

    ``interval`` (s) from a leg's step to that of the leg ahead; ``across`` from a left leg's step to the right one's, as a share of the
    period; ``step`` (s) that steps take; ``frequency`` (Hz); ``fore`` (s) from a foreleg's step to the next of the hind leg; ``early``:
    share of time in which a leg steps while the one behind does.
    """

    interval: tuple[float, float]
    across: tuple[float, float]
    step: tuple[float, float]
    frequency: tuple[float, float]
    fore: tuple[float, float]
    early: float


def rules(stepping: BoolArray, dt: float) -> Rules:
    """Measure a record (T, 6) of which legs step, a row every ``dt`` s."""
    begun = [np.flatnonzero(stepping[1:, k] & ~stepping[:-1, k]) * dt for k in range(6)]
    ended = [np.flatnonzero(~stepping[1:, k] & stepping[:-1, k]) * dt for k in range(6)]
    period = np.concatenate([np.diff(times) for times in begun])
    t = float(period.mean())
    interval = np.concatenate([_after(begun[k + 2], begun[k], t) for k in range(4)])
    across = np.concatenate([_after(begun[k], begun[k + 1], t) for k in (0, 2, 4)]) / t
    fore = np.concatenate([_after(begun[k], begun[k + 4], t) for k in (0, 1)])
    lasted = np.concatenate([_after(begun[k], ended[k], t) for k in range(6)])
    both = np.mean([(stepping[:, k] & stepping[:, k + 2]).mean() for k in range(4)])
    return Rules(_spread(interval), _spread(across), _spread(lasted), _spread(1.0 / period), _spread(fore), float(both))


def _after(first: Any, then: Any, period: float) -> Array:
    """Time from each of ``first`` to that of ``then`` which follows it, or is at most a twentieth of a ``period`` before it."""
    k = np.searchsorted(then, first - 0.05 * period)
    return np.asarray(then[k[k < len(then)]] - first[k < len(then)])


def _spread(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(np.abs(values - values.mean()).max())


def gait(case: tuple[float, Seed]) -> Walk:
    """Two seconds of walking at a frequency (Hz), once it has settled, from a seed."""
    frequency, seed = case
    insects = Insects(level(), 1, seed)
    twist = speed_for(frequency), 0.0, 0.0
    insects.walk(twist, 1.0)
    return insects.walk(twist, 2.0)


def in_tripods(stepping: BoolArray) -> BoolArray:
    """When (T,) just one of the two tripods steps, and all of it; ``stepping`` (T, 6)."""
    one, other = stepping[:, [0, 3, 4]], stepping[:, [1, 2, 5]]
    return np.asarray((one.all(axis=1) & ~other.any(axis=1)) | (other.all(axis=1) & ~one.any(axis=1)))


@experiment("hexapod_gaits", "gaits against Wilson's rules (McKenna & Zeltzer §4.1, Figs 4, 5)", PAGE, reported_on=range(100, 101))
@each_seed
def gaits(lab: Lab, seed: Seed) -> Finding:
    """Gait diagrams and Wilson's rules at five frequencies, of insects that walk."""
    shown = FREQUENCIES[::4] if lab.quick else FREQUENCIES
    walks = lab.map(gait, [(frequency, seed) for frequency in shown])
    found = [rules(walk.stepping[:, 0], 0.002) for walk in walks]
    duty = np.array([walk.stepping[:, 0].mean() for walk in walks])
    left = np.array([abs(r.fore[0] - (1.0 / r.frequency[0] - 0.1) % (1.0 / r.frequency[0])) for r in found])
    wrap = np.array([min(gap, abs(gap - 1.0 / r.frequency[0])) for gap, r in zip(left, found)])
    apart = in_tripods(walks[-1].stepping[:, 0])
    return Finding(
        "Gaits by one frequency (section 4.1, Figs 4 and 5)",
        "Coupled by Wilson's rules, oscillators make slow waves at low frequencies, faster ones as it rises, and the tripod at the "
        "greatest.",
        ("frequency, measured (Hz)", "rule 1, 5: to the leg ahead (ms)", "rule 2: across, of the period", "rule 3: a step takes (ms)",
         "rule 5: fore to hind leg (ms)", "both of a pair of neighbours in the air (%)", "speed (cm/s)"),
        tuple(
            (f"{r.frequency[0]:.2f} ± {r.frequency[1]:.2f}", f"{1e3 * r.interval[0]:.1f} ± {1e3 * r.interval[1]:.1f}",
             f"{r.across[0]:.3f} ± {r.across[1]:.3f}", f"{1e3 * r.step[0]:.1f} ± {1e3 * r.step[1]:.1f}",
             f"{1e3 * r.fore[0]:.0f} ± {1e3 * r.fore[1]:.0f}", f"{100 * r.early:.1f}", f"{100 * walk.speed[0]:.2f}")
            for r, walk in zip(found, walks)
        ),
        {
            "rule 1: steps run from the rear to the head, and no leg steps before the one behind is down (below 2 % of the time)":
                all(r.interval[0] > 0.0 and r.early < 0.02 for r in found),
            "rule 2: legs across the body alternate (within 0.05 of half a period)": all(abs(r.across[0] - 0.5) < 0.05 for r in found),
            "rule 3: a step takes 50 ms at every frequency (within 3 ms)": all(abs(r.step[0] - 0.05) < 0.003 for r in found),
            "rule 4: the frequency varies, each leg's being the driven one (within 2 %)":
                all(abs(r.frequency[0] / walk.frequency.mean() - 1.0) < 0.02 for r, walk in zip(found, walks)),
            "rule 5: 50 ms between adjacent legs at every frequency (within 5 ms)": all(abs(r.interval[0] - 0.05) < 0.005 for r in found),
            "rule 5: the time from foreleg to hind leg is the period less 100 ms (within 8 ms)": bool((wrap < 0.008).all()),
            "the share of time that legs are in the air rises with the frequency": bool((np.diff(duty) > 0.0).all()),
            "at the top it is the tripod, in over 90 % of the time": bool(apart.mean() > 0.9),
        },
        (*(Photo(f"{r.frequency[0]:.1f} Hz: white steps, black stands", diagram(walk.stepping[:400, 0], 0.002), NOWHERE, axes=False)
           for r, walk in zip(found, walks)),
         Photo("the tripod at 6 cm/s", photograph(seed), NOWHERE, axes=False)),
        {"tripod": float(apart.mean()), "interval": float(max(abs(r.interval[0] - 0.05) for r in found))},
        "Measured in the steps of insects that walk, reflexes on; ± is the greatest departure from the mean. The oscillators alone, for 2, "
        "4, 6 and 8 legs and from any start, are checked in test/gait/test_oscillators.py.",
    )  # fmt: skip
