"""What an operator asks of a running swarm, or of one of its groups: the task, how it is getting on, and both as text.

A task is asked for with one JSON object, and called off with another; lengths in m and angles in degrees, in the world frame::

    {"version": 1, "id": "a1", "kind": "go", "group": "red", "goals": [[4.0, 0.0, 90.0]], "settings": {}, "phase": ""}
    {"version": 1, "cancel": "a1"}

``kind``: ``go`` to the ``goals`` one after the other, each with the heading that a formation has there; ``form``: set parameters of
``control.formation`` (``settings``) and take the places that follow; ``hold`` the place where everybody is; begin a ``phase`` of the
scenario; ``leave``: the robots that ``settings`` names as ``robots`` are ``away`` from now on, ``join``: they are no longer.
``group``: whose task it is; empty: the swarm's.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from swarm_control.runtime.text_form import count, items, members, number, optional, read_object, text, wrong

VERSION = 1
"""Version of the text form of what is asked."""

TASKS = ("go", "form", "hold", "phase", "leave", "join")
"""Kinds of task."""

RUNNING, SUCCEEDED, CANCELLED, REPLACED, FAILED, REFUSED = STATES = "running", "succeeded", "cancelled", "replaced", "failed", "refused"
"""How a task can stand: it is ``running`` until one of the others ends it."""

Place = tuple[float, float, float]
"""x, y (m) and heading (degrees)."""


@dataclass(frozen=True)
class Task:
    """A task, called ``id`` by whoever asks for it; the other fields as in the module's text form."""

    id: str
    kind: str
    group: str = ""
    goals: tuple[Place, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    phase: str = ""

    def to_text(self) -> str:
        """The text that asks for it. ``ValueError`` where a number is not finite."""
        return json.dumps({"version": VERSION, **asdict(self)}, allow_nan=False)


@dataclass(frozen=True)
class Cancel:
    """A wish that the task called ``cancel`` ends."""

    cancel: str

    def to_text(self) -> str:
        """The text that asks for it."""
        return json.dumps({"version": VERSION, "cancel": self.cancel})


@dataclass(frozen=True)
class TaskState:
    """How a ``task`` stands at the time of the mission's state that it is in.

    ``state``: one of :data:`STATES`; ``text``: why, where that is not plain. ``number``: how many goals had been sent before its first one,
    so that nodes can tell them apart. ``start`` and ``end`` in s; ``end`` is None while it is running.
    """

    task: Task
    state: str = RUNNING
    text: str = ""
    number: int = 0
    start: float = 0.0
    end: float | None = None

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.state == RUNNING


def new_id() -> str:
    """A name for a task that no other one has."""
    return uuid.uuid4().hex[:8]


def read_task(given: str) -> Task:
    """The task whose members are those of a JSON object; ``ValueError``, one line, where there is none."""
    return _task(json.loads(given), "task")


def read_request(given: str) -> Task | Cancel:
    """What a text asks for. ``ValueError``, one line, for anything that asks for nothing that there is."""
    data, _ = read_object(given, "task", VERSION)
    if data.keys() == {"cancel"}:
        return Cancel(text(data["cancel"], "task.cancel"))
    return _task(data, "task")


def read_task_state(data: Any, where: str) -> TaskState:
    """How a task stands, from its members."""
    found = members(data, where, TaskState)
    if found["state"] not in STATES:
        raise wrong(f"{where}.state", found["state"], f"one of {', '.join(STATES)}")
    return TaskState(
        _task(found["task"], f"{where}.task"), found["state"], text(found["text"], f"{where}.text"),
        count(found["number"], f"{where}.number"), number(found["start"], f"{where}.start"), optional(found["end"], f"{where}.end", number),
    )  # fmt: skip


def _task(data: Any, where: str) -> Task:
    if isinstance(data, dict):
        data = {"id": "", "group": "", "goals": [], "settings": {}, "phase": "", **data}
    found = members(data, where, Task)
    if found["kind"] not in TASKS:
        raise wrong(f"{where}.kind", found["kind"], f"one of {', '.join(TASKS)}")
    if not isinstance(found["settings"], dict):
        raise wrong(f"{where}.settings", found["settings"], "an object")
    return Task(
        text(found["id"], f"{where}.id"), found["kind"], text(found["group"], f"{where}.group"),
        items(found["goals"], f"{where}.goals", _place), found["settings"], text(found["phase"], f"{where}.phase"),
    )  # fmt: skip


def _place(data: Any, where: str) -> Place:
    if not isinstance(data, list) or len(data) not in (2, 3):
        raise wrong(where, data, "x, y and a heading, or x and y")
    x, y, *heading = (number(value, where) for value in data)
    return x, y, heading[0] if heading else 0.0
