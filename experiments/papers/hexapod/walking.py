"""A walking insect on level ground: speed, wobble, stability, sticky feet (McKenna & Zeltzer, section 4.2)."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.sim.mujoco.hexapod_walk import SERIES, Insects, Walk, with_hexapod

from . import PAGE
from .numerics import level
from .pictures import margins

BARE = 1.0
"""A foot that bears less (dyn) is not on the ground."""
STABLE = 0.95
"""Share of time in which the tripod is to be statically stable."""


@dataclass(frozen=True)
class Gaited:
    """A walk, with how far the centre of mass is inside the feet's support (T,), cm."""

    walk: Walk
    margin: Array

    @property
    def bounced(self) -> BoolArray:
        """When (T,) a foreleg that stands is off the ground."""
        return np.asarray((~self.walk.stepping[:, 0, :2] & (self.walk.load[:, 0, :2] <= BARE)).any(axis=1))


def stride(case: tuple[float, dict[str, float], Seed]) -> Gaited:
    """Walk at a speed (m/s) with changes to the hexapod's parameters, from a seed."""
    speed, changes, seed = case
    insects = Insects(with_hexapod(level(), **changes), 1, seed)
    insects.walk((speed, 0.0, 0.0), 1.0)
    rows = [(insects.walk((speed, 0.0, 0.0), 0.002), insects.data.subtree_com[1][:2].copy()) for _ in range(1000)]
    series = {name: np.concatenate([getattr(w, name) for w, _ in rows]) for name in SERIES}
    walk = Walk(**series, fired=rows[-1][0].fired, fallen=rows[-1][0].fallen)
    return Gaited(walk, margins(np.array([com for _, com in rows]), walk.foot[:, 0, :, :2], walk.load[:, 0] > BARE))


@experiment("hexapod_walking", "speed, wobble and stability of the tripod; sticky feet (§4.2)", PAGE, reported_on=range(100, 103))
def walking(lab: Lab) -> Finding:
    """Speed, wobble, stability and cost of walking."""
    seeds = lab.seeds(quick=1)
    sticky, blind = {"feet__adhesion": 1000.0}, {"programs__authority": 0.0}
    cases: dict[str, tuple[float, dict[str, float]]] = {
        "slow wave": (0.01, {}), "tripod": (0.0555, {}), "tripod, open loop": (0.055, blind), "sticky feet": (0.085, sticky),
        "same, sliding feet, open loop": (0.085, blind), "same, sticky feet": (0.085, sticky | blind),
    }  # fmt: skip
    found = lab.map(stride, [(*case, seed) for case in cases.values() for seed in seeds])
    runs = {name: found[k * len(seeds) : (k + 1) * len(seeds)] for k, name in enumerate(cases)}
    speed = {name: float(np.mean([g.walk.speed[0] for g in made])) for name, made in runs.items()}
    sways = {name: wobble(made[0].walk) for name, made in runs.items()}
    slow, fast = runs["slow wave"][0], runs["tripod"][0]
    stable = float(np.mean([(g.margin > 0.0).mean() for g in runs["tripod"]]))
    at = fast.walk.time - fast.walk.time[0]
    return Finding(
        "Walking on level ground (section 4.2)",
        "The tripod walks at 5.5 cm/s with friction 0.7 and at 8.0 cm/s with feet that stick; the body wobbles from side to side.",
        ("walk", "speed (cm/s)", "stepping (Hz)", "sway (mm, r.m.s.)", "swing of heading (°, r.m.s.)", "sway's frequency (Hz)",
         "stability margin, least / mean (cm)", "stable (% of time)", "muscles' work (mJ/m)"),
        tuple(
            (name, f"{100 * speed[name]:.2f}", f"{np.mean([g.walk.frequency.mean() for g in made]):.1f}", f"{sways[name][0]:.3f}",
             f"{sways[name][1]:.2f}", f"{sways[name][2]:.1f}", f"{made[0].margin.min():.2f} / {made[0].margin.mean():.2f}",
             f"{100 * np.mean([(g.margin > 0.0).mean() for g in made]):.1f}",
             f"{1e3 * np.mean([(g.walk.energy[-1, 0] - g.walk.energy[0, 0]) / (2.0 * g.walk.speed[0]) for g in made]):.0f}")
            for name, made in runs.items()
        ),
        _claims(speed, sways["tripod"][2], slow, fast, stable),
        (
            Curves("stability margin, positive part", "time (s)", "cm", {"slow wave": (at[:300], np.maximum(slow.margin[:300], 0.0), None),
                                                          "tripod": (at[:300], np.maximum(fast.margin[:300], 0.0), None)}),
            Curves("sway of the body, tripod", "time (s)", "mm, from the leftmost", {"side": (at[:300], _side(fast.walk)[:300], None)}),
        ),
        {"tripod": speed["tripod"], "sticky": speed["sticky feet"], "open_slide": speed["same, sliding feet, open loop"],
         "open_stick": speed["same, sticky feet"], "sway": sways["tripod"][0], "margin": float(fast.margin.min()),
         "stable": stable, "open_tripod": speed["tripod, open loop"]},
        f"{len(seeds)} starts each, 2 s after 1 s. Commands were 1, 5.55, 5.5 and 8.5 cm/s; sticky feet hold with 1000 dyn. "
        "The speed that the control knows is that of leg odometry by noisy readings. Open loop: rest "
        "angles move as commanded, whatever comes of it; legs follow them late, the more so the faster they are, since springs are soft "
        "and muscles have less torque at speed, so that strides are shorter than told. Here we part from the paper, whose walk knows no "
        "speed. "
        "Feet slip so little under friction 0.7 that sticking gains little. The margin is the distance of the centre of mass from the "
        "border of the feet on the ground, seen from above; feet are on the ground that press on it by more than they stick. "
        f"In the tripod for {100 * fast.bounced.mean():.0f} % of the time a foreleg that stands bears nothing, as it bounces.",
    )  # fmt: skip


def _claims(speed: dict[str, float], sways: float, slow: Gaited, fast: Gaited, stable: float) -> dict[str, bool]:
    """What holds of the walks' speeds (m/s); the tripod ``sways`` so often (Hz) and is ``stable`` for a share of the time."""
    return {
        "tripod, friction 0.7: at least 5.5 cm/s": speed["tripod"] >= 0.055,
        "sticky feet: at least 8 cm/s": speed["sticky feet"] >= 0.08,
        "open loop, feet that stick are faster than feet that slide":
            speed["same, sticky feet"] > speed["same, sliding feet, open loop"],
        "the body sways from side to side at the stepping frequency (within 10 %)":
            abs(sways / fast.walk.frequency.mean() - 1.0) < 0.1,
        "in the slow wave the centre of mass is always inside the support": bool(slow.margin.min() > 0.0),
        f"in the tripod, in over {STABLE:.0%} of the time": stable > STABLE,
    }  # fmt: skip


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
