"""A mission of several flocks: its progress, its results, and a mission that goes on where another one was."""

import numpy as np
import pytest

from swarm_control.core.state import SwarmState
from swarm_control.runtime.mission import Mission, nearest_goal
from swarm_control.runtime.mission_state import MissionState
from swarm_control.runtime.orders import no_orders, orders_from
from swarm_control.scenario.groups import controls_of, squads
from swarm_control.scenario.loader import load_prepared

CHANGES = (
    'robots=[{count: 2, group: red}, {count: 2, group: blue}, {count: 1}, {count: 1, group: grey}]', "world=", "control.leaders.count=0",
    "goals=[{position: [9, 0], arrival_radius: 1}]",
    "groups={red: {goals: [{position: [2, 0], arrival_radius: 1}, {position: [5, 0], arrival_radius: 1}]}, "
    "blue: {goals: [{position: [4, 0], arrival_radius: 1}]}, grey: {control: {separation: {weight: 0.1}}}}",
    "phases=[{start: 3.0, set: {groups.red.separation.weight: 0.9}}]",
)  # fmt: skip


@pytest.fixture(scope="module")
def prepared():
    loaded, setup = load_prepared("migrate_boxes", CHANGES)
    return loaded.scenario, setup


def mission(prepared):
    scenario, setup = prepared
    return Mission(scenario, setup.society, squads(scenario.groups, setup.society))


def go(mission, prepared, times):
    """All robots drive along x at 1 m/s; the last one stays."""
    controls = controls_of(prepared[0], "test")
    for time in times:
        pose = np.zeros((6, 3))
        pose[:5, 0] = time
        controls = mission.controls(controls, time)
        orders = mission.update(SwarmState.of(time, pose, np.zeros((6, 3))), controls)
    return orders, controls


def test_each_flock_goes_its_way_and_all_have_to_arrive(prepared):
    one = mission(prepared)
    assert [flock.name for flock in one.flocks] == ["", "red", "blue"]
    orders, _ = go(one, prepared, [0.0, 1.5, 3.5])
    assert [each.goal_index for each in orders.of] == [0, 1, 0] and not orders.done
    assert one.results_of("blue")["arrived_fraction"] == 1.0 and one.results_of("red")["arrived_fraction"] == 0.0
    assert [phase["end"] for phase in one.results_of("red")["phases"]] == [1.5, None]
    orders, _ = go(one, prepared, [9.0])
    assert one.results_of("grey")["arrived_fraction"] == 0.0, "it goes with those without a group, and has stayed"
    assert one.results()["arrived_fraction"] == pytest.approx((1 + 0 + 2) / 6), "blue had arrived when its last goal was reached"
    assert one.results_of("nobody") is None


def test_the_place_says_which_goal_each_flock_is_on_its_way_to(prepared):
    one = mission(prepared)
    assert one.place == "goal 1 of 1, red: goal 1 of 2, blue: goal 1 of 1"
    go(one, prepared, [0.0, 1.5, 3.5])
    assert one.place == "goal 1 of 1, red: goal 2 of 2, blue: goal 1 of 1"


@pytest.mark.parametrize("change", range(1, 6))
def test_a_change_of_missions_changes_nothing(prepared, change):
    way = [0.0, 1.5, 3.0, 3.5, 4.5, 5.0]
    alone, first, second = (mission(prepared) for _ in range(3))
    expected, settings = go(alone, prepared, way)
    go(first, prepared, way[:change])
    said = MissionState.from_text(MissionState(1, 0.0, *first.progress()).to_text())
    second.resume(said.swarm, said.groups)
    orders, controls = go(second, prepared, way[change:])
    assert second.progress() == alone.progress()
    np.testing.assert_array_equal(orders.goal, expected.goal)
    assert controls == settings and controls.of("red").separation.weight == 0.9


def test_a_mission_of_other_groups_is_refused(prepared):
    one = mission(prepared)
    swarm, groups = one.progress()
    with pytest.raises(ValueError, match="without the group 'red'"):
        one.resume(swarm, {name: group for name, group in groups.items() if name != "red"})


def test_a_moved_goal_is_the_nearest_flocks(prepared):
    one = mission(prepared)
    go(one, prepared, [0.0])
    assert one.move_goal(4.2, 1.0) == "blue: goal 1"
    assert one.progress()[1]["blue"].target == (4.2, 1.0) and one.progress()[1]["red"].target == (2.0, 0.0)


def test_orders_are_told_as_a_table_and_read_again(prepared):
    one = mission(prepared)
    orders, _ = go(one, prepared, [0.0, 1.5])
    goal, lag, target, index, owner = orders.table(one.flocks)
    assert owner.tolist() == [1, 1, 2, 2, 0, 0] and index.tolist() == [0, 1, 0] and target[:, 0].tolist() == [9.0, 5.0, 4.0]
    again = orders_from(goal, lag, target, index)
    assert np.array_equal(again.goal, orders.goal, equal_nan=True) and (again.lag == orders.lag).all()
    assert [(one.target[0], one.goal_index) for one in again.of] == [(9.0, 0), (5.0, 1), (4.0, 0)]
    assert not again.done and not again.arrived.any()


def test_without_orders_nobody_goes_anywhere():
    none = no_orders(3, 2)
    assert np.isnan(none.goal).all() and none.goal.shape == (3, 2) and none.lag.tolist() == [0, 0, 0] and not none.done
    assert len(none.of) == 2 and all(np.isnan(one.target).all() and one.goal_index == 0 for one in none.of)


@pytest.mark.parametrize(("point", "number"), [((1.0, 1.9), 2), ((0.9, 0.0), 0), ((9.0, 9.0), 2)])
def test_a_point_is_for_the_flock_whose_goal_is_nearest(point, number):
    assert nearest_goal(np.array([[0.0, 0.0], [np.nan, np.nan], [1.0, 2.0]]), point) == number
    assert nearest_goal(np.full((2, 2), np.nan), point) == 0
