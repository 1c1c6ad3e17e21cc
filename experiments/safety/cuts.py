"""Robots and the floor cut off from the network at random, with stops meanwhile: how soon robots rest, and whether a stop is lost."""

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from ..network.driven import TRUTH, on_wheels, rates, stopping_time, turning
from ..network.radio import Air, Radio
from . import PAGE
from .faults import HALF_A_SECOND

CUTS, QUICK = 20, 2
"""On each network."""

ROBOTS, SCENARIO = 4, "flock_frame"
"""In it robots are always under way."""

CHANGES = (
    f"robots={ROBOTS}", "robots.0.model=differential", "duration=3600", "control.period=0.1", "control.safety.command_timeout=0.3",
    "control.safety.odometry_timeout=0.35", "control.separation_filter.margin=0.1",
)  # fmt: skip

WORST = Air(0.3, 0.1, 0.03)
"""Each seed draws a network between a perfect one and this."""

SHORT, LONG, LONGS = (1.0, 5.0), 25.0, 0.1
"""How long (s) machines are cut off; in so large a share of the cuts for ``LONG``: longer than ROS 2 remembers who does not answer."""

STOPS, COMING = 0.5, 0.5
"""Share of the cuts during which a stop is asked for at the floor, and of these by a program that is started only then."""

SETTLING, BRAKING, HOLDING, PATIENCE = 1.0, 0.5, 2.0, 40.0
"""How long (s) robots drive between cuts, may move on when a stop is confirmed, and are watched then; the longest time until a stop is
confirmed, and until robots move again.
"""


@dataclass(frozen=True)
class Cut:
    """``off``: the machines that were cut off, 0 the floor, for ``length`` (s). ``rest`` (s): until all robots that this concerns stood;
    ``recovery`` (s): from the end of the cut, or of the stop, until they moved again, infinite: they did not. ``confirmed`` (s): until the
    stop was confirmed, None: none was asked for. ``broken``: what must not be, in words.
    """

    off: tuple[int, ...]
    length: float
    rest: float
    recovery: float
    confirmed: float | None
    broken: str


@experiment("safety_cuts", "robots and floor cut off from the network at random, with stops meanwhile", PAGE, reported_on=range(100, 103))
def safety_cuts(lab: Lab) -> Finding:
    """Each robot is a machine of its own with all its nodes on board, wired to its emulated wheels."""
    found: list[Cut] = []
    rows, contacts, dead = [], 0, 0
    for done, seed in enumerate(seeds := lab.seeds(quick=1), start=1):
        air, cuts, touched, ended = _network(seed, QUICK if lab.quick else CUTS)
        found, contacts, dead = [*found, *cuts], contacts + touched, dead + ended
        rows.append(
            (str(seed), f"{air.loss:.0%}, {1e3 * air.delay:.0f} ± {1e3 * air.jitter:.0f} ms", *_told(cuts), str(touched), str(ended))
        )
        lab.progress(done, len(seeds))
    rests = np.array([cut.rest for cut in found])
    return Finding(
        "Cut off from the network",
        "Not in the papers.",
        ("seed", "lost and late each way", "cuts", "time to rest", "stops confirmed", "after", "moving again after", "not as it must be",
         "contacts", "nodes ended"),
        (*rows, ("all", "", *_told(found), str(contacts), str(dead))),
        {
            "robots that are cut off, or whose floor is, rest within 0.5 s": bool((rests <= HALF_A_SECOND).all()),
            "nobody touches anybody": contacts == 0,
            "no stop is lost, and none confirmed that does not hold": not any(cut.broken for cut in found),
            "all move again": bool(np.isfinite([cut.recovery for cut in found]).all()),
            "no node ends": dead == 0,
        },
        (Bars("time to rest", "s", ("p50", "p99", "max"), {"": np.array([*np.percentile(rests, [50, 99]), rests.max()])}),),
        {"rest_max": float(rests.max()), "cuts": float(len(found)), "stops": float(sum(cut.confirmed is not None for cut in found))},
        f"{ROBOTS} differential drives whose wheels slip by 2 %; motion capture at the floor tells them by air where all are. Any of the "
        f"robots and the floor are cut off together for {SHORT[0]:g} to {SHORT[1]:g} s, in {LONGS:.0%} of the cuts for {LONG:g} s. Stops "
        f"are asked for at the floor, {COMING:.0%} of them by a program that was not in the graph before, and robots that are cut off "
        "confirm them when they are back. Rest and contacts are those of the emulated wheels. The run is real time: numbers differ from "
        "run to run.",
    )  # fmt: skip


def _told(cuts: list[Cut]) -> tuple[str, ...]:
    def spread(values: list[float]) -> str:
        return f"p50 {np.median(values):.2f} s, max {max(values):.2f} s" if values else "none"

    confirmed = [cut.confirmed for cut in cuts if cut.confirmed is not None]
    return (
        str(len(cuts)), spread([cut.rest for cut in cuts]), f"{sum(np.isfinite(confirmed))} of {len(confirmed)}", spread(confirmed),
        spread([cut.recovery for cut in cuts]), str(sum(bool(cut.broken) for cut in cuts)),
    )  # fmt: skip


def _network(seed: Seed, count: int) -> tuple[Air, list[Cut], int, int]:
    """Cuts on one network; and how bad it is, contacts, and nodes that have ended."""
    random = np.random.default_rng(int(seed))
    share = float(random.random())
    air = Air(share * WORST.loss, share * WORST.delay, share * WORST.jitter)
    with tempfile.TemporaryDirectory() as name:
        truth = Path(name) / TRUTH
        with on_wheels(Path(name), SCENARIO, CHANGES, air, seed) as (floor, robots), Operator(floor) as operator:
            floor.until(lambda: rates(truth, ROBOTS).any(axis=1).all(), 240.0)
            cuts = [_cut(floor, truth, robots, operator, random) for _ in range(count)]
            dead = len(floor.dead())
            floor.end("emulate")
        contacts = int(json.loads((Path(name) / "truth" / "summary.json").read_text())["collisions"])
    return air, cuts, contacts, dead


class Operator:
    """A program at the floor by which somebody stops the swarm; use as a context manager. What it said last: whether that was confirmed,
    ``when`` (s), and its ``text``.
    """

    def __init__(self, floor: Radio) -> None:
        self._floor = floor
        self._process = floor.call(0, "-m", "swarm_experiments.network.operator", f"{PATIENCE:g}")
        self.when, self.text = np.inf, ""

    def __enter__(self) -> "Operator":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def say(self, word: str) -> None:
        """``stop`` or ``release``."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def heard(self) -> bool:
        """Wait for the answer; whether it is done."""
        assert self._process.stdout is not None
        when, done, self.text = self._process.stdout.readline().split(maxsplit=2)
        self.when = float(when)
        return done == "1"


def _cut(floor: Radio, truth: Path, robots: tuple[str, ...], operator: Operator, random: np.random.Generator) -> Cut:
    floor.wait(SETTLING + random.random())
    off = tuple(sorted(random.choice(ROBOTS + 1, random.integers(1, ROBOTS + 2), replace=False).tolist()))
    concerned = [k for k in range(ROBOTS) if k + 1 in off or 0 in off]
    length = LONG if random.random() < LONGS else float(random.uniform(*SHORT))
    after, stops, comes = float(random.uniform(0.0, length)), random.random() < STOPS, random.random() < COMING
    began, gone = time.time(), dict[int, float]()
    for machine in off:
        floor.cut(machine)
        gone[machine] = time.time()
    floor.wait(after)
    who = Operator(floor) if stops and comes else operator
    if stops:
        who.say("stop")
    floor.wait(began + length - time.time())
    back = time.time()
    for machine in off:
        floor.cut(machine, False)
    rest = max(stopping_time(truth, robots[k], min(gone[m] for m in (0, k + 1) if m in gone), back) for k in concerned)
    confirmed, broken = _stopped(floor, truth, robots, who) if stops else (None, "")
    if who is not operator:
        who.__exit__()
    since = time.time() if stops else back
    moved = _moving_again(floor, truth, concerned)
    return Cut(
        off, length, rest if np.isfinite(rest) else np.inf, moved - since, None if confirmed is None else confirmed - began - after, broken
    )


def _stopped(floor: Radio, truth: Path, robots: tuple[str, ...], who: Operator) -> tuple[float, str]:
    """When (s) a stop was confirmed, and what was wrong with it; it is let go."""
    if not who.heard():
        text = who.text
        who.say("release")
        who.heard()
        return np.inf, text
    confirmed = who.when
    floor.wait(BRAKING + HOLDING)
    moved = [name for name in robots if turning(truth, name, confirmed + BRAKING, time.time())]
    who.say("release")
    broken = f"{', '.join(moved)} moved after the stop was confirmed" if moved else ""
    return confirmed, broken or ("" if who.heard() else who.text)


def _moving_again(floor: Radio, truth: Path, concerned: list[int]) -> float:
    """When (s) all of these robots moved again; infinite: not within :data:`PATIENCE`."""
    waited, left = time.time(), set(concerned)
    while left and time.time() - waited < PATIENCE:
        floor.wait(0.02)
        left -= set(np.flatnonzero(rates(truth, ROBOTS).any(axis=1)).tolist())
    return np.inf if left else time.time()
