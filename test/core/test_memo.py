"""What is derived from a map is made once, for as long as it is asked for; a behaviour of a script has it like any other."""

import importlib
from dataclasses import dataclass

import numpy as np
import pytest
from swarms import mapped, room

from swarm_control.analysis.simulation import Simulation
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.grid import read_vectors
from swarm_control.core.memo import KEPT, MOST, Memo
from swarm_control.core.parameters import param
from swarm_control.runtime import surroundings


class Counted:
    """A function that counts how often it is called, and with what."""

    def __init__(self, function=lambda of, *key: [of, *key]):
        self.calls, self._function = [], function

    def __call__(self, of, *key):
        self.calls.append(key)
        return self._function(of, *key)


def test_a_result_is_made_once_for_each_function_and_key():
    memo, one, other = Memo(), Counted(), Counted()
    first = memo.once(one, "map", (1.0, "a"))
    assert first == ["map", 1.0, "a"] and memo.once(one, "map", (1.0, "a")) is first
    assert memo.once(other, "map", (1.0, "a")) is not first and memo.once(one, "map", (2.0, "a")) == ["map", 2.0, "a"]
    assert one.calls == [(1.0, "a"), (2.0, "a")] and other.calls == [(1.0, "a")]


def test_old_results_do_not_pile_up_and_what_is_asked_for_stays():
    memo, moving, still = Memo(), Counted(), Counted()
    for k in range(10 * MOST):
        memo.once(moving, "map", (k,))
        memo.once(still, "map", ())
        memo.once(lambda of: of, "map", ())
    assert len(moving.calls) == 10 * MOST and still.calls == [()]
    assert len(memo._results) <= MOST and len([entry for entry in memo._results if entry[0] is moving]) <= KEPT


def test_so_many_keys_of_a_function_take_turns_without_being_made_anew():
    memo, made = Memo(), Counted()
    for k in 5 * list(range(KEPT)):
        memo.once(made, "map", (k,))
    assert made.calls == [(k,) for k in range(KEPT)]


def test_what_fails_is_not_remembered():
    memo = Memo()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            memo.once(lambda of, k: 1 / k, "map", (0,))
    assert memo._results == {}


def test_each_map_has_its_own():
    one, other, made = mapped(room()), mapped(room()), Counted(lambda map: map.grid)
    assert one.once(made) is one.grid and other.once(made) is other.grid and len(made.calls) == 2


@dataclass(frozen=True)
class Upstairs:
    """Parameters of a behaviour with a field of its own."""

    weight: float = param(0.0, "weight")
    slope: float = param(1.0, "how steep")


@pytest.fixture
def upstairs():
    """The behaviour, which counts how often its field is made."""
    made = Counted(lambda map, slope: np.full((*map.clearance.shape, 2), (0.0, slope), np.float32))

    def upstairs(state, seen, around, params):
        """Up the map."""
        table = around.gains()
        assert table.shape == (len(around.fleet), 3) and np.isfinite(around.route(state.pose, around.goal)).all()
        return read_vectors(around.map.once(made, params.slope), around.map.grid, state.pose)

    register_behaviour(Upstairs, priority=1)(upstairs)
    yield made
    BEHAVIOURS.remove("upstairs")


def test_a_behaviour_of_a_script_has_a_field_of_its_own_and_what_others_have(upstairs):
    simulation = Simulation("flock_frame", robots=5, set={"upstairs.weight": 1.0})
    simulation.run(until=1.0)
    assert upstairs.calls == [(1.0,)], "once, not in every tick"
    wish = simulation.last.tick.requests
    assert np.allclose(wish.acceleration[wish.names.index("upstairs")], (0.0, 1.0))


def counted(name: str, monkeypatch) -> Counted:
    """In place of a behaviour's function, ``module.function``, the same with its calls counted."""
    module, function = f"swarm_control.behaviours.{name}".rsplit(".", 1)
    made = Counted(getattr(importlib.import_module(module), function))
    monkeypatch.setattr(importlib.import_module(module), function, made)
    return made


@pytest.mark.parametrize(("name", "scenario", "changes"), [
    ("guidance.ways", "maze_hard", {}),
    ("potential_field.pushes", "flock_walls", {"potential_field.weight": 1.0}),
    ("grouping.standing", "herd_points_obstacle", {}),
])  # fmt: skip
def test_fields_are_computed_once_and_not_in_every_tick(name, scenario, changes, monkeypatch):
    made = counted(name, monkeypatch)
    Simulation(scenario, robots=5, set=changes).run(until=1.0)
    assert len(made.calls) == 1


def test_gains_are_computed_once_and_not_in_every_tick(monkeypatch):
    made = Counted(surroundings.gains)
    monkeypatch.setattr(surroundings, "gains", made)
    Simulation("herd_points", robots=5).run(until=1.0)
    assert len(made.calls) == 1


def test_groups_with_goals_of_their_own_do_not_make_one_another_forget(monkeypatch):
    made = counted("guidance.ways", monkeypatch)
    Simulation("flocks_cross", set={"guidance.weight": 1.0, "world": "frame.world"}).run(until=1.0)
    assert sorted(call[:2] for call in made.calls) == [(0.0, 4.0), (4.0, 0.0)], "one for each group"
