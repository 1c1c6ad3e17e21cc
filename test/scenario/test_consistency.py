from dataclasses import dataclass

import pytest

from swarm_control import paths
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.parameters import param
from swarm_control.scenario import consistency
from swarm_control.scenario.consistency import IDLE, contradictions, contradictions_of
from swarm_control.scenario.groups import Controls, controls_of
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Control
from swarm_control.scenario.tree import change

FLOCK = {"separation.weight": 0.2, "separation.distance": 0.4, "alignment.weight": 0.1, "cohesion.weight": 0.2}


def found(**settings) -> list[str]:
    return contradictions(change(Control(), FLOCK | {key.replace("__", "."): value for key, value in settings.items()}, "here"))


def test_a_sensible_flock_gives_no_warning():
    assert found() == []


@pytest.mark.parametrize("name", sorted(paths.scenarios()))
def test_no_shipped_scenario_contradicts_itself(name):
    assert contradictions_of(controls_of(load(name).scenario, name)) == []


def test_groups_are_told_by_name_and_what_is_common_is_told_once():
    loaded = load("formation_beside_flock", ["groups.flock.control.arrival.weight=0", "groups.flock.control.separation.weight=0"])
    whole = loaded.scenario
    quiet = {"groups.flock.alignment.weight": 0.0, "groups.flock.cohesion.weight": 0.0}
    assert contradictions_of(controls_of(whole, "here").change(quiet, "here")) == [f"groups.flock: {IDLE}"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"separation__distance": 2.0}, ("separation.distance (2 m)", "perception.radius (1.5 m)")),
        ({"perception__radius": 0.4}, ("alignment", "inside separation.distance")),
        ({"perception__radius": 0.4}, ("cohesion", "inside separation.distance")),
        ({"potential_field__weight": 1.0, "steer_to_avoid__weight": 1.0}, ("potential_field and steer_to_avoid",)),
        ({"arrival__weight": 1.0, "seek__weight": 1.0}, ("arrival and seek",)),
        ({"guidance__weight": 1.0, "guidance__comfort": 0.05}, ("guidance.comfort (0.05 m)", "guidance.margin (0.1 m)")),
        ({"human_like__weight": 1.0, "human_like__margin": 0.05}, ("human_like.margin (0.05 m)", "separation_filter.margin (0.02 m)")),
        ({"reciprocal_avoidance__weight": 1.0, "separation_filter__margin": 0.01}, ("reciprocal_avoidance.margin (0.02 m)", "(0.01 m)")),
        ({"period": 0.2}, ("safety.command_timeout (0.2 s)", "period (0.2 s)")),
        ({"separation_filter__enabled": True, "separation_filter__margin": 0.5}, ("separation_filter.margin",)),
        ({"separation__weight": 0, "alignment__weight": 0, "cohesion__weight": 0}, ("no behaviour has a weight",)),
    ],
)
def test_each_contradiction_is_told_with_both_settings(settings, words):
    assert any(all(word in line for word in words) for line in found(**settings)), found(**settings)
    assert all("\n" not in line for line in found(**settings))


@dataclass(frozen=True)
class Visits:
    """Parameters of a behaviour with a list."""

    weight: float = param(0.0, "weight")
    stops: tuple[float, ...] = param((), "where to stop: x0, y0, …", unit="m")
    speed: float = param(1.0, "how fast", unit="m/s")


@pytest.fixture
def visits():
    """A behaviour of a script that has something to say on settings."""

    def say(control):
        yield f"visits.speed is {control.visits.speed:g}"

    def visits(state, seen, around, params):
        """Visit places."""

    register_behaviour(Visits, priority=1, check=say)(visits)
    yield
    BEHAVIOURS.remove("visits")


def test_what_a_behaviour_has_to_say_is_told_where_it_has_a_weight(visits):
    assert found(visits__speed=2.0) == []
    assert found(visits__weight=1.0, visits__speed=2.0) == ["visits.speed is 2"]


def test_lists_that_are_given_to_no_effect_are_told_of_any_behaviour(visits):
    assert found(visits__stops=[1.0, 2.0]) == ["visits.stops are given, but visits.weight is 0"]
    assert found(visits__stops=[1.0, 2.0], visits__weight=1.0) == ["visits.speed is 1"]


def test_contradictions_are_found_once_for_the_same_controls(monkeypatch):
    """A dashboard asks every second, and grew by it."""
    asked = []
    monkeypatch.setattr(consistency, "contradictions_of", lambda controls: asked.append(controls) or [f"found {len(asked)}"])
    known, first, second = consistency.KnownContradictions(), *(Controls(Control()) for _ in range(2))
    assert [known.of(controls) for controls in (first, first, second, second, first)] == [[f"found {k}"] for k in (1, 1, 2, 2, 3)]
    assert len(asked) == 3
