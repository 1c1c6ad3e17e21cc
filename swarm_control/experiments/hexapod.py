"""A walking insect on level ground: gaits, speed, springs, commands (McKenna & Zeltzer, section 4)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.experiments.finding import Curves, Finding, Photo
from swarm_control.experiments.hexapod_numerics import level
from swarm_control.experiments.hexapod_pictures import diagram, margins, photograph
from swarm_control.experiments.lab import Lab
from swarm_control.sim.dynamics.hexapod_walk import SERIES, Insects, Walk, with_hexapod

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


def gait(frequency: float) -> Walk:
    """Two seconds of walking at a ``frequency`` (Hz), once it has settled."""
    insects = Insects(level(), 1, 0)
    twist = speed_for(frequency), 0.0, 0.0
    insects.walk(twist, 1.0)
    return insects.walk(twist, 2.0)


def in_tripods(stepping: BoolArray) -> BoolArray:
    """When (T,) just one of the two tripods steps, and all of it; ``stepping`` (T, 6)."""
    one, other = stepping[:, [0, 3, 4]], stepping[:, [1, 2, 5]]
    return np.asarray((one.all(axis=1) & ~other.any(axis=1)) | (other.all(axis=1) & ~one.any(axis=1)))


def gaits(lab: Lab) -> Finding:
    """Gait diagrams and Wilson's rules at five frequencies, of insects that walk."""
    shown = FREQUENCIES[::4] if lab.quick else FREQUENCIES
    walks = lab.map(gait, list(shown))
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
        (*(Photo(f"{r.frequency[0]:.1f} Hz: white steps, black stands", diagram(walk.stepping[:400, 0], 0.002), NOWHERE)
           for r, walk in zip(found, walks)),
         Photo("the tripod at 6 cm/s", photograph(), NOWHERE)),
        {"tripod": float(apart.mean()), "interval": float(max(abs(r.interval[0] - 0.05) for r in found))},
        "Measured in the steps of insects that walk, reflexes on; ± is the greatest departure from the mean. The oscillators alone, for 2, "
        "4, 6 and 8 legs and from any start, are checked in test/core/gait/test_oscillators.py.",
    )  # fmt: skip


@dataclass(frozen=True)
class Gaited:
    """A walk, with how far the centre of mass is inside the feet's support (T,), cm."""

    walk: Walk
    margin: Array


def stride(case: tuple[float, float, float, int]) -> Gaited:
    """Walk at a speed (m/s) with feet's adhesion (dyn), with an authority of the closed loop, from a seed."""
    speed, adhesion, authority, seed = case
    insects = Insects(with_hexapod(level(), feet__adhesion=adhesion, programs__authority=authority), 1, seed)
    insects.walk((speed, 0.0, 0.0), 1.0)
    rows = [(insects.walk((speed, 0.0, 0.0), 0.002), insects.engine.data.subtree_com[1][:2].copy()) for _ in range(1000)]
    series = {name: np.concatenate([getattr(w, name) for w, _ in rows]) for name in SERIES}
    walk = Walk(**series, fired=rows[-1][0].fired, fallen=rows[-1][0].fallen)
    return Gaited(walk, margins(np.array([com for _, com in rows]), walk.foot[:, 0, :, :2], walk.load[:, 0] > 1.0))


def walking(lab: Lab) -> Finding:
    """Speed, wobble, stability and cost of walking."""
    seeds = lab.seeds(3, 1)
    cases = {"slow wave": (0.01, 0.0, 0.6), "tripod": (0.0555, 0.0, 0.6), "sticky feet": (0.085, 1000.0, 0.6),
             "same, sliding feet, open loop": (0.085, 0.0, 0.0), "same, sticky feet": (0.085, 1000.0, 0.0)}  # fmt: skip
    found = lab.map(stride, [(*case, seed) for case in cases.values() for seed in seeds])
    runs = {name: found[k * len(seeds) : (k + 1) * len(seeds)] for k, name in enumerate(cases)}
    speed = {name: float(np.mean([g.walk.speed[0] for g in made])) for name, made in runs.items()}
    sways = {name: wobble(made[0].walk) for name, made in runs.items()}
    slow, fast = runs["slow wave"][0], runs["tripod"][0]
    at = fast.walk.time - fast.walk.time[0]
    return Finding(
        "Walking on level ground (section 4.2)",
        "The tripod walks at 5.5 cm/s with friction 0.7 and at 8.0 cm/s with feet that stick; the body wobbles from side to side.",
        ("walk", "speed (cm/s)", "stepping (Hz)", "sway (mm, r.m.s.)", "swing of heading (°, r.m.s.)", "sway's frequency (Hz)",
         "stability margin, least / mean (cm)", "stable (% of time)", "muscles' work (mJ/m)"),
        tuple(
            (name, f"{100 * speed[name]:.2f}", f"{np.mean([g.walk.frequency.mean() for g in made]):.1f}", f"{sways[name][0]:.3f}",
             f"{sways[name][1]:.2f}", f"{sways[name][2]:.1f}", f"{made[0].margin.min():.2f} / {made[0].margin.mean():.2f}",
             f"{100 * (made[0].margin > 0.0).mean():.0f}",
             f"{1e3 * np.mean([(g.walk.energy[-1, 0] - g.walk.energy[0, 0]) / (2.0 * g.walk.speed[0]) for g in made]):.0f}")
            for name, made in runs.items()
        ),
        {
            "tripod, friction 0.7: at least 5.5 cm/s": speed["tripod"] >= 0.055,
            "sticky feet: at least 8 cm/s": speed["sticky feet"] >= 0.08,
            "open loop, feet that stick are faster than feet that slide":
                speed["same, sticky feet"] > speed["same, sliding feet, open loop"],
            "the body sways from side to side at the stepping frequency (within 10 %)":
                abs(sways["tripod"][2] / fast.walk.frequency.mean() - 1.0) < 0.1,
            "in the slow wave the centre of mass is always inside the support": bool(slow.margin.min() > 0.0),
            "in the tripod, in over 90 % of the time": bool((fast.margin > 0.0).mean() > 0.9),
        },
        (
            Curves("stability margin, positive part", "time (s)", "cm", {"slow wave": (at[:300], np.maximum(slow.margin[:300], 0.0), None),
                                                          "tripod": (at[:300], np.maximum(fast.margin[:300], 0.0), None)}),
            Curves("sway of the body, tripod", "time (s)", "mm, from the leftmost", {"side": (at[:300], _side(fast.walk)[:300], None)}),
        ),
        {"tripod": speed["tripod"], "sticky": speed["sticky feet"], "open_slide": speed["same, sliding feet, open loop"],
         "open_stick": speed["same, sticky feet"], "sway": sways["tripod"][0], "margin": float(fast.margin.min())},
        f"{len(seeds)} starts each, 2 s after 1 s. Commands were 1, 5.55 and 8.5 cm/s; sticky feet hold with 1000 dyn. Open loop: rest "
        "angles move as commanded, whatever comes of it. The margin is the distance of the centre of mass from the border of the feet on "
        "the ground, seen from above.",
    )  # fmt: skip


def _side(walk: Walk) -> Array:
    """Sideways place (T,) mm of the body's middle, slow drift taken off, from the leftmost."""
    y = 1e3 * (walk.pose[:, 0, 1] - np.polyval(np.polyfit(walk.time, walk.pose[:, 0, 1], 3), walk.time))
    return np.asarray(y - y.min())


def wobble(walk: Walk) -> tuple[float, float, float]:
    """Root mean square of the sway (mm) and of the heading's swing (deg), and the sway's strongest frequency (Hz)."""
    side = _side(walk)
    side = side - side.mean()
    yaw = np.rad2deg(np.unwrap(walk.pose[:, 0, 2]))
    yaw = yaw - np.polyval(np.polyfit(walk.time, yaw, 3), walk.time)
    power = np.abs(np.fft.rfft(side * np.hanning(len(side))))
    return float(side.std()), float(yaw.std()), float(np.fft.rfftfreq(len(side), 0.002)[power.argmax()])


def drop(case: tuple[str, float]) -> tuple[float, bool, float]:
    """Height (cm) in which an insect dropped on springs of a law, so many times as strong, comes to rest, whether its abdomen touches; its
    speed (m/s) when then told to walk at 5.5 cm/s.
    """
    law, times = case
    p = level().hexapod.springs
    changes = {"springs__law": law, "springs__strength": tuple(times * s for s in p.strength)}
    insects = Insects(with_hexapod(level(), **changes))
    height = insects.walk((0.0, 0.0, 0.0), 0.8).height[-1, 0]
    touching = {insects.engine.model.geom(int(g)).name for g in insects.engine.data.contact.geom.ravel()}
    insects.walk((0.055, 0.0, 0.0), 0.5)
    return float(height), "insect_0/abdomen" in touching, float(insects.walk((0.055, 0.0, 0.0), 1.0).speed[0])


def springs(lab: Lab) -> Finding:
    """Linear springs against exponential ones."""
    factors = (1.0, 5.0) if lab.quick else (1.0, 2.0, 3.0, 5.0, 10.0)
    cases = [("exponential", 1.0), *(("linear", k) for k in factors)]
    found = lab.map(drop, cases)
    p = level().hexapod.springs
    rest = p.strength[2] * p.rise[2]
    return Finding(
        "Linear and exponential springs (section 4.2)",
        "Dropped on linear springs the insect collapsed on every attempt, and stronger ones only made a very stiff system; exponential "
        "springs hold it, and are soft where little is asked of them.",
        ("springs", "stiffness at rest (dyn cm/rad)", "rests at (cm)", "abdomen on the ground", "told 5.5 cm/s it makes (cm/s)"),
        tuple((f"{law}, × {k:g}", f"{rest * k:.0f}", f"{h:.3f}", "yes" if down else "no", f"{100 * v:.2f}")
              for (law, k), (h, down, v) in zip(cases, found)),
        {
            "exponential springs hold the body": not found[0][1],
            "linear springs as stiff at rest let it collapse": found[1][1],
            "linear springs never hold it, whatever their strength": all(down for _, down, _ in found[1:]),
        },
        (Curves("height at rest", "stiffness at rest, of the exponential springs'", "cm", {
            "linear": (np.array(factors), np.array([h for h, _, _ in found[1:]]), None),
            "exponential": (np.array([1.0]), np.array([found[0][0]]), None)}),),
        {"exponential": found[0][0], "linear": found[1][0], "linear_strongest": found[-1][0]},
        "Where the statement does not hold: without limits to stiffness linear springs hold the body as well, then as stiff in the air as "
        "under load. Exponential ones are that stiff only under load.",
    )  # fmt: skip


def told(twist: tuple[float, float, float]) -> tuple[float, float, float]:
    """Speed ahead, to the left (m/s) and turn rate (rad/s) that come of a command."""
    insects = Insects(level())
    insects.walk(twist, 1.0)
    walk = insects.walk(twist, 2.0)
    yaw, velocity = walk.pose[:, 0, 2], walk.velocity[:, 0]
    ahead = (np.cos(yaw) * velocity[:, 0] + np.sin(yaw) * velocity[:, 1]).mean()
    return float(ahead), float((np.cos(yaw) * velocity[:, 1] - np.sin(yaw) * velocity[:, 0]).mean()), float(walk.turn_rate[0])


def answer(change: tuple[tuple[float, float, float], tuple[float, float, float], int]) -> Array:
    """Velocity along one of the axes (T,) after a change of command, mean of 8 insects at different phases, every 2 ms from it on."""
    before, after, axis = change
    insects = Insects(level(), 8)
    insects.walk(before, 1.0)
    return np.asarray(insects.walk(after, 0.8).velocity[:, :, axis].mean(axis=1))


def command(lab: Lab) -> Finding:
    """Commanded and executed velocities, and how fast a change is taken up."""
    twists = [(0.01, 0.0, 0.0), (0.055, 0.0, 0.0), (0.03, 0.0, 0.8), (0.0, 0.0, 1.5), (-0.03, 0.0, 0.0), (0.0, 0.02, 0.0)]
    got = lab.map(told, twists)
    steps = {
        "speed, 2 to 5 cm/s": ((0.02, 0.0, 0.0), (0.05, 0.0, 0.0), 0),
        "turn rate, 0 to 1 rad/s": ((0.03, 0.0, 0.0), (0.03, 0.0, 1.0), 2),
    }
    answers = lab.map(answer, list(steps.values()))
    shares = []
    for (before, after, axis), made in zip(steps.values(), answers):
        smooth = np.convolve(np.pad(made, (25, 24), mode="edge"), np.ones(50) / 50, mode="valid")
        shares.append(np.maximum((smooth - before[axis]) / (after[axis] - before[axis]), 0.0))
    time = np.asarray(0.002 * (1.0 + np.arange(len(shares[0]))), np.float64)
    taken = [float(np.append(time[share >= 1.0 - np.exp(-1.0)], np.nan)[0]) for share in shares]
    off = [np.abs(np.array(g) - t) for g, t in zip(got, twists)]
    return Finding(
        "Commands (closed loop)",
        "Not in the paper, which walks straight at one command at a time.",
        ("command: ahead (cm/s), left (cm/s), turn (rad/s)", "made", "answer: 63 % after (ms)"),
        (*((f"{100 * t[0]:g}, {100 * t[1]:g}, {t[2]:g}", f"{100 * g[0]:.2f}, {100 * g[1]:.2f}, {g[2]:.2f}", "–")
           for t, g in zip(twists, got)),
         *((name, "–", f"{1e3 * t:.0f}") for name, t in zip(steps, taken))),
        {
            "speeds are as commanded within 0.25 cm/s": max(float(o[:2].max()) for o in off) < 0.0025,
            "turn rates within 0.05 rad/s": max(float(o[2]) for o in off) < 0.05,
            "a change is taken up within 0.2 s": bool(np.max(taken) < 0.2),
        },
        (Curves("answers, means over 0.1 s", "time (s)", "share of the change", {n: (time, s, None) for n, s in zip(steps, shares)}),),
        {"speed": taken[0], "turn": taken[1]},
        "Steps: mean of 8 insects at different phases of their gait.",
    )  # fmt: skip
