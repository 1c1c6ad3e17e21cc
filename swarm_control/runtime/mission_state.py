"""How far a mission has come, as data: what the director says of it, and what a restarted director goes on from.

As text, on the topic ``mission`` and in recordings, it is one JSON object; lengths in m in the world frame, times in s::

    {"version": 3, "number": 1763800000000, "time": 12.35,
     "swarm": {"goal_index": 0, "goals": [[4.0, 0.0]], "done": false, "arrived_fraction": 0.4, "arrival_time": null, "jam_time": 0.0,
               "jams": 0, "phases": [{"kind": "goal", "name": "goal 1", "start": 0.0, "end": null, "arrived_fraction": null}],
               "moves": [{"landmark": 3, "group": "safe"}]}, "groups": {}, "tasks": [], "settings": {"formation.shape": "line"}}

Every member is there, and no other. A reader takes the state with the greatest ``number`` that it has heard.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from swarm_control.runtime.task import TaskState, read_task_state
from swarm_control.runtime.text_form import count, fraction, items, members, number, optional, point, read_object, text, wrong
from swarm_control.social.moves import Move

VERSION, OLDER = 3, (2,)
"""Version of the text form; it changes with every change of the form. Older ones are read, too: they knew neither tasks nor settings."""

KINDS = ("goal", "phase", "event")
"""What an entry of the history is about: the way to a goal, a phase of the scenario, or an event that changed a landmark."""


@dataclass(frozen=True)
class Entry:
    """One entry of the history: from ``start`` to ``end`` (s; None: not over, or of an event, which has none).

    ``kind``: one of :data:`KINDS`. ``arrived_fraction``: share of the robots that had arrived at the end, of goals only.
    """

    kind: str
    name: str
    start: float
    end: float | None = None
    arrived_fraction: float | None = None


@dataclass(frozen=True)
class Progress:
    """How far a flock, or one of its groups, has come.

    ``goal_index``: the present goal, from 0, of ``goals``: where each one is now, x and y in m, world frame. ``done``: the last one is
    behind the robots. ``arrived_fraction``: share of them at the present goal, and ``arrival_time`` (s) when the last was reached;
    None: not yet known. ``jam_time``: for how long, in whole seconds, anybody was in a jam, of several flocks the longest, and
    ``jams``: how many there were; None without goals. ``phases``: the history. ``moves``: what events have changed, in their order.
    """

    goal_index: int = 0
    goals: tuple[tuple[float, float], ...] = ()
    done: bool = False
    arrived_fraction: float | None = None
    arrival_time: float | None = None
    jam_time: float | None = None
    jams: int | None = None
    phases: tuple[Entry, ...] = ()
    moves: tuple[Move, ...] = ()

    @property
    def target(self) -> tuple[float, float] | None:
        """Where the present goal is, m; None without goals."""
        return self.goals[self.goal_index] if self.goals else None

    def results(self) -> dict[str, Any]:
        """``arrived_fraction``, ``arrival_time``, ``jam_time``, ``jams`` and ``phases``, by their start, for the summary of a run."""
        keys, own = [field.name for field in fields(Entry)][1:], ("arrived_fraction", "arrival_time", "jam_time", "jams")
        phases = [{key: getattr(entry, key) for key in keys} for entry in sorted(self.phases, key=lambda entry: entry.start)]
        return {**{key: getattr(self, key) for key in own}, "phases": phases}


@dataclass(frozen=True)
class MissionState:
    """What is known of a mission at ``time`` (s), when it last changed; ``number`` grows with each change, 0: nothing is known.

    ``swarm``: the progress of all robots, ``groups``: that of groups that have goals of their own, by name. ``tasks``: the newest tasks
    that operators have asked for, in that order. ``settings``: the parameters that phases and tasks have set (dotted name → value as in
    YAML); None: not told. What events have changed is in ``moves``.
    """

    number: int = 0
    time: float = 0.0
    swarm: Progress = Progress()
    groups: Mapping[str, Progress] = field(default_factory=dict)
    tasks: tuple[TaskState, ...] = ()
    settings: Mapping[str, Any] | None = field(default_factory=dict)

    def to_text(self) -> str:
        """The text form. ``ValueError`` where a number is not finite."""
        return json.dumps({"version": VERSION, **asdict(self)}, allow_nan=False)

    @classmethod
    def from_text(cls, text: str) -> "MissionState":
        """Read the text form. ``ValueError``, one line, for another version and for anything that is not exactly such a state."""
        data, version = read_object(text, "mission", VERSION, OLDER)
        data = {"tasks": [], "settings": None, **data} if version in OLDER else data
        found = members(data, "mission", cls)
        groups = found["groups"]
        if not isinstance(groups, dict):
            raise wrong("mission.groups", groups, "an object")
        if not isinstance(found["settings"], dict | None):
            raise wrong("mission.settings", found["settings"], "an object")
        return cls(
            count(found["number"], "mission.number"), number(found["time"], "mission.time"), _progress(found["swarm"], "mission.swarm"),
            {name: _progress(group, f"mission.groups.{name!r}") for name, group in groups.items()},
            items(found["tasks"], "mission.tasks", read_task_state), found["settings"],
        )  # fmt: skip


def settings_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as a state tells them: plain data, without what events have changed."""
    made = {name: json.loads(json.dumps(value, default=asdict)) for name, value in values.items() if not name.endswith("social.moves")}
    return dict(sorted(made.items()))


def _progress(data: Any, where: str) -> Progress:
    found = members(data, where, Progress)
    goals = items(found["goals"], f"{where}.goals", point)
    index, done = count(found["goal_index"], f"{where}.goal_index"), found["done"]
    if index >= max(len(goals), 1):
        raise wrong(f"{where}.goal_index", index, f"one of {len(goals)} goals")
    if type(done) is not bool:
        raise wrong(f"{where}.done", done, "true or false")
    return Progress(
        index, goals, done, optional(found["arrived_fraction"], f"{where}.arrived_fraction", fraction),
        optional(found["arrival_time"], f"{where}.arrival_time", number),
        optional(found["jam_time"], f"{where}.jam_time", number), optional(found["jams"], f"{where}.jams", count),
        items(found["phases"], f"{where}.phases", _entry),
        items(found["moves"], f"{where}.moves", _move),
    )  # fmt: skip


def _entry(data: Any, where: str) -> Entry:
    found = members(data, where, Entry)
    if found["kind"] not in KINDS:
        raise wrong(f"{where}.kind", found["kind"], f"one of {', '.join(KINDS)}")
    return Entry(
        found["kind"], text(found["name"], f"{where}.name"), number(found["start"], f"{where}.start"),
        optional(found["end"], f"{where}.end", number),
        optional(found["arrived_fraction"], f"{where}.arrived_fraction", fraction),
    )  # fmt: skip


def _move(data: Any, where: str) -> Move:
    found = members(data, where, Move)
    landmark, group = count(found["landmark"], f"{where}.landmark"), text(found["group"], f"{where}.group")
    try:
        return Move(landmark, group)
    except ValueError as error:
        raise ValueError(f"{where}.{error}") from None
