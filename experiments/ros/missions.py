"""Tasks sent to a running swarm, watched, awaited and called off: whether what the swarm says of them is so."""

import contextlib
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import yaml

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm
from swarm_control.errors import Failed
from swarm_control.formation.shapes import shape

from . import PAGE
from .command_runs import CommandRun, wait_for

if TYPE_CHECKING:
    from .swarm_watcher import SwarmWatcher

DOMAIN = 91
TASKS, QUICK = 12, 4
"""Tasks of a seed."""

STARTING = 120.0
ANSWERED = 1.0
"""Time (s) within which a swarm is to answer."""

LONGEST = 60.0
"""Longest time (s) that a task is awaited."""

REST = 4.0
"""Time (s) after the end of a task in which all come to rest."""

SPACING = 0.8
"""Of the formations, m."""

STILL, NEAR, SHAPED = 0.02, 1.0, 0.15
"""Who is slower (m/s) rests; the middle of who has arrived is this near (m) to where they were sent; robots of a formation are this near
(m) to their places in it: by the distances of all pairs, sorted, at worst.
"""


@dataclass(frozen=True)
class Sent:
    """A task: its ``kind``, how it ended (``state``), whether it was to be called off, after which times (s) it was ``answered`` and was
    ``over``; ``wrong``: what was not so in truth, empty: nothing.
    """

    kind: str
    state: str
    called_off: bool
    answered: float
    over: float
    wrong: str


@experiment("ros_missions", "tasks sent to a running swarm, awaited and called off", PAGE, reported_on=range(110, 115))
def ros_missions(lab: Lab) -> Finding:
    """``swarm run`` and a client in another process: ``go``, ``form`` and ``hold`` at random, a third of them called off."""
    seeds = lab.seeds(quick=1)
    found: dict[Seed, list[Sent]] = {}
    met: list[float] = []
    for done, seed in enumerate(seeds, start=1):
        with tempfile.TemporaryDirectory() as folder:
            found[seed], meeting = _tasks(Path(folder), seed, QUICK if lab.quick else TASKS)
            met.append(meeting)
        lab.progress(done, len(seeds))
    every = [one for sent in found.values() for one in sent]
    answered = np.array([one.answered for one in every])
    kinds = sorted({one.kind for one in every})
    return Finding(
        "Missions",
        "Not in the papers.",
        ("task", "sent", "answered after (s), most", "ended", "over after (s), median and most", "not so in truth"),
        tuple(_row(kind, [one for one in every if one.kind == kind]) for kind in kinds),
        {
            f"every task is answered within {ANSWERED:g} s": bool((answered <= ANSWERED).all()),
            "what is not called off succeeds": all(one.state == "succeeded" for one in every if not one.called_off),
            "what is called off on the way ends so": all(one.state in ("cancelled", "succeeded") for one in every if one.called_off),
            "what the swarm says of its tasks is so in truth": not any(one.wrong for one in every),
        },
        (Bars("time until a task is over", "s", tuple(kinds), {
            "median": np.array([np.median([one.over for one in every if one.kind == kind]) for kind in kinds]),
            "most": np.array([max(one.over for one in every if one.kind == kind) for kind in kinds])}),),
        {"answered_worst": float(answered.max()), "tasks": float(len(every)), "met_worst": max(met)},
        f"In truth, by the simulator's state: after `go` succeeded the robots' middle is within {NEAR:g} m of where they were sent; after "
        f"`form` no distance of two robots differs from the shape's by more than {100 * SHAPED:g} cm, pairs in order of distance; after "
        f"`hold`, and after a task was called off, all are slower than {STILL:g} m/s within {REST:g} s. Four to eight robots, "
        "omnidirectional or differential, on an open floor; of even seeds a flock, of odd ones a formation. Before its first task a client "
        f"has to be found by the middleware and to hear of the mission: that took {max(met):.1f} s at most. "
        + " ".join(f"Not so: {one.kind}: {one.wrong}." for one in every if one.wrong),
    )  # fmt: skip


def _row(kind: str, sent: list[Sent]) -> tuple[str, ...]:
    over = [one.over for one in sent]
    ended = ", ".join(f"{count} {state}" for state, count in sorted(Counter(one.state for one in sent).items()))
    answered = max(one.answered for one in sent)
    wrong = sum(bool(one.wrong) for one in sent)
    return f"`{kind}`", str(len(sent)), f"{answered:.2f}", ended, f"{np.median(over):.1f}, {max(over):.1f}", str(wrong)


def _tasks(folder: Path, seed: Seed, count: int) -> tuple[list[Sent], float]:
    """What became of ``count`` tasks, and how long (s) it took to meet the swarm."""
    from .swarm_watcher import SwarmWatcher

    random = np.random.default_rng(int(seed))
    robots, model, forms = int(random.integers(4, 9)), str(random.choice(["omni", "differential"])), bool(int(seed) % 2)
    control: dict[str, object] = {"formation": {"enabled": True, "shape": "line", "spacing": SPACING}} if forms else {
        "separation": {"weight": 0.5}, "arrival": {"weight": 1.0}, "separation_filter": {"enabled": True},
    }  # fmt: skip
    data = {
        "duration": 100_000.0, "seed": int(seed), "control": control,
        "robots": [{"count": robots, "model": model, "start": {"pattern": "grid", "spacing": 1.0}}],
    }  # fmt: skip
    file = folder / "missions.yaml"
    file.write_text(yaml.safe_dump(data))
    with CommandRun(folder, DOMAIN, str(file)) as run:
        wait_for(lambda: run.heard > 1.0, STARTING, (run,))
        with SwarmWatcher(robots) as swarm:
            began = swarm.now
            swarm.until(lambda: swarm.met, STARTING)
            meeting = swarm.now - began
            return [_send(swarm, random, forms) for _ in range(count)], meeting


def _send(swarm: "SwarmWatcher", random: np.random.Generator, forms: bool) -> Sent:
    """Send a task at random, and see what becomes of it."""
    kind, called_off = str(random.choice(["go", "go", "hold", *(["form", "form"] if forms else [])])), bool(random.random() < 1 / 3)
    place = (*random.uniform(-5.0, 5.0, 2).tolist(), float(random.uniform(-180.0, 180.0)))
    wanted = str(random.choice(["line", "wedge", "circle"]))
    began = swarm.now
    if kind == "go":
        said = swarm.go([place])
    elif kind == "form":
        said = swarm.form(shape=wanted)
    else:
        said = swarm.hold()
    answered = swarm.now - began
    if called_off and said.running:
        said = swarm.wait(said.task.id, float(random.uniform(0.0, 3.0)))
    if called_off and said.running:
        with contextlib.suppress(Failed):  # it has ended meanwhile
            said = next(one for one in swarm.cancel(said.task.id) if one.task.id == said.task.id)
    if said.running:
        said = swarm.wait(said.task.id, LONGEST)
    over = swarm.now - began
    swarm.listen(0.2)
    if kind == "go" and said.state == "succeeded":
        off = float(np.hypot(*(swarm.position.mean(axis=0) - place[:2])))
        wrong = "" if off < NEAR else f"{off:.1f} m from where it was sent"
    elif kind == "form" and said.state == "succeeded":
        error = float(np.abs(_distances(swarm.position) - _distances(shape(wanted, len(swarm.position), SPACING))).max())
        wrong = "" if error < SHAPED else f"a distance is off by {100 * error:.0f} cm"
    else:
        rested = swarm.until(lambda: bool((norm(swarm.velocity) < STILL).all()), REST)
        fastest = float(norm(swarm.velocity).max())
        wrong = "" if rested or said.state not in ("succeeded", "cancelled") else f"{REST:g} s later a robot moves at {fastest:.2f} m/s"
    return Sent(kind, said.state, called_off, answered, over, wrong)


def _distances(points: Array) -> Array:
    """The distances of all pairs of ``points`` (N, 2), sorted."""
    first, second = np.triu_indices(len(points), 1)
    return np.asarray(np.sort(norm(points[first] - points[second])))
