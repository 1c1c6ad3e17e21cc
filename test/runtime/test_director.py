"""A director that goes on where another one was: the same goals, history and results as without the change."""

import numpy as np
import pytest

from swarm_control.core.state import SwarmState
from swarm_control.runtime.director import Director
from swarm_control.runtime.mission_state import MissionState
from swarm_control.scenario.groups import controls_of
from swarm_control.scenario.loader import load

CHANGES = (
    "robots=4", "goals=[{position: [2, 0], arrival_radius: 1}, {position: [5, 0], arrival_radius: 1}]",
    "phases=[{name: tighter, start: 1.0, set: {separation.distance: 0.3}}, {start: 6.0, set: {cohesion.weight: 0.2}}]",
)  # fmt: skip


@pytest.fixture(scope="module")
def scenario():
    return load("migrate_boxes", CHANGES).scenario


def there(time, x):
    """Four robots around (x, 0) m."""
    pose = np.zeros((4, 3))
    pose[:, 0] = x + np.linspace(-0.3, 0.3, 4)
    return SwarmState.of(time, pose, np.zeros((4, 3)))


JOURNEY = [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (2.0, 1.6), (3.0, 2.0), (4.0, 3.0), (5.0, 3.5), (6.0, 4.0), (7.0, 4.5), (8.0, 5.0)]


def go(director, scenario, way):
    controls = controls_of(scenario, "here")
    for time, x in way:
        controls = director.control(controls, time)
        orders = director.update(there(time, x), controls.common)
    return orders, controls


@pytest.mark.parametrize("change", range(1, len(JOURNEY)))
def test_a_change_of_directors_changes_nothing(scenario, change):
    alone = Director(scenario)
    expected, settings = go(alone, scenario, JOURNEY)
    first = Director(scenario)
    go(first, scenario, JOURNEY[:change])
    second = Director(scenario)
    second.resume(MissionState.from_text(MissionState(1, 0.0, first.state()).to_text()).swarm)
    assert second.state() == first.state()
    orders, control = go(second, scenario, JOURNEY[change:])
    assert second.results() == alone.results() and second.state() == alone.state()
    assert (orders.goal_index, orders.done) == (expected.goal_index, expected.done) == (1, True)
    assert control == settings, "phases that have begun hold"
    assert [entry.kind for entry in second.state().phases] == ["goal", "phase", "goal", "phase"]


def test_jams_are_counted_on(scenario):
    """Nobody gets anywhere; who is in a jam when directors change is in another one for the second."""
    first, second = Director(scenario), Director(scenario)
    go(first, scenario, [(float(time), 0.0) for time in range(15)])
    second.resume(first.state())
    assert second.state() == first.state() and (second.state().jams, second.state().jam_time) == (4, 8.0)
    go(second, scenario, [(float(time), 0.0) for time in range(15, 30)])
    assert (second.state().jams, second.state().jam_time) == (8, 16.0)


def test_a_goal_that_was_moved_stays_where_it_is(scenario):
    first = Director(scenario)
    go(first, scenario, JOURNEY[:5])
    first.move_goal(-3.0, 1.0)
    second = Director(scenario)
    second.resume(first.state())
    assert second.state().target == (-3.0, 1.0) and second.state().goals[0] == (2.0, 0.0)
    assert second.goals[1].arrival_radius == 1.0


def test_a_formations_visits_are_counted_on(scenario):
    first, alone = Director(scenario), Director(scenario)
    for director, rounds in ((alone, ((0, 0), (1, 0), (2, 1), (3, 1), (4, 1))), (first, ((0, 0), (1, 0), (2, 1)))):
        for time, (visits, missed) in enumerate(rounds):
            director.follow(there(time, 0.0), visits, 4, missed)
    second = Director(scenario)
    second.resume(first.state())
    for time, (visits, missed) in ((3, (3, 1)), (4, (4, 1))):
        orders = second.follow(there(time, 0.0), visits, 4, missed)
    assert second.results() == alone.results() and orders.done
    assert [phase["arrived_fraction"] for phase in second.results()["phases"]] == [1.0, 0.0, 1.0, 1.0]


def test_a_mission_with_other_goals_is_refused(scenario):
    other = Director(load("migrate_boxes", ("goals=[{position: [1, 1]}]",)).scenario)
    with pytest.raises(ValueError, match="1 goals found, expected 2"):
        Director(scenario).resume(other.state())


def test_a_goal_set_where_the_scenario_has_none_outlives_the_director():
    empty = load("migrate_boxes", ("goals=[]",)).scenario
    first, second = Director(empty), Director(empty)
    first.move_goal(1.0, 2.0)
    second.resume(first.state())
    assert second.state().target == (1.0, 2.0)


def test_who_takes_over_knows_how_many_goals_the_lost_have_missed(scenario):
    """Two goals were visited by all, the next by nobody: another director tells those that stand apart from those of whom nobody knows."""
    first, second = Director(scenario), Director(scenario)
    state = there(0.0, 0.0)
    first.follow(state, 2, 4, 0)
    first.follow(there(1.0, 1.0), 3, 4, 1)
    second.resume(first.state())
    for director in (first, second):
        director.follow(there(2.0, 2.0), 4, 4, 2)
    assert [entry.arrived_fraction for entry in first.history.of("goal")] == [1.0, 1.0, 0.0, 0.0]
    assert second.state() == first.state()
