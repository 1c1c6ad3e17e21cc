"""Robots that each keep the formation by themselves and hear only those within the range of their radios."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from closed_loop import fleet
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from swarm_control.analysis.simulation import simulate
from swarm_control.core import targets
from swarm_control.core.state import SwarmState
from swarm_control.formation.robots import Robots
from swarm_control.formation.timetable import Timetable
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime import agreement
from swarm_control.runtime.consensus import Consensus, _between
from swarm_control.runtime.controller import Controller
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.runtime.muster import Muster
from swarm_control.runtime.observation import Heard
from swarm_control.runtime.word import Word
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Goal, Simulator
from swarm_control.scenario.setup import prepare
from swarm_control.sim.engines import make_engine
from swarm_control.sim.odometry import OdometryChannel
from swarm_control.sim.plant import Plant

LINE = (
    "robots=[{count: 4, radius: 0.1, max_speed: 0.3, max_acceleration: 0.6, start: {pattern: line, spacing: 0.6}}]",
    "formation.shape=start", "formation.repeat=1", "goals=[{position: [0.5, 0]}]", "duration=15",
)  # fmt: skip


def fly(radio, *changes, watch=None):
    loaded = load("formation_translate", (*LINE, f"simulator={{onboard: true, delay: 0.1, radio_range: {radio}}}", *changes))
    return simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=True, watch=watch).summary


def test_only_robots_within_the_range_are_heard_and_always_oneself():
    odometry = OdometryChannel(Simulator(radio_range=1.0), 0.1, 0.5, np.random.default_rng(0), exact=True, own=0)
    for x, heard in ((0.9, [True, True, False]), (1.1, [True, False, False])):
        pose = np.array([[0.0, 0.0, 0.0], [x, 0.0, 0.0], [5.0, 0.0, 0.0]])
        odometry.observe(SwarmState.of(x, pose, np.zeros((3, 3))))
        assert ((odometry.measured == x) == heard).all()


@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_robots_that_hear_only_their_neighbours_go_together(loss):
    spread = []
    summary = fly(0.7, f"simulator.loss={loss}", watch=lambda f, m: spread.append(f.formation.spread()))
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0
    assert spread[-1] < 0.005


def test_without_anybody_in_range_all_stand():
    places = []
    fly(0.5, "duration=4", watch=lambda f, m: places.append(f.truth.position))
    assert np.array_equal(places[0], places[-1])


def test_who_hears_nobody_any_more_stands_and_says_nothing():
    loaded = load("formation_translate", (*LINE, "simulator={onboard: true, radio_range: 0.7}", "goals=[{position: [3, 0]}]"))
    setup = prepare(loaded.scenario, loaded.source)
    controller, plant = Controller(loaded.scenario, setup), Plant(loaded.scenario, setup, make_engine(loaded, setup))
    run, told = controller.formation(0), []
    for _ in range(60):
        observed = plant.observe()
        each = list(observed.each)
        if observed.state.time > 2.5:
            # robot_3 goes on hearing itself, and is heard by nobody
            each = [_deaf(heard, k) for k, heard in enumerate(each)]
        commands = controller.tick(replace(observed, each=tuple(each))).commands
        told.append(commands.twist[:, 0].copy())
        plant.step(commands)
    assert min(np.abs(row).max() for row in told[-20:]) > 0.05 and np.abs(np.array(told)[-20:, 3]).max() == 0.0
    assert [one.lost for one in run.radio.members] == [False, False, False, True]


def _deaf(heard, k):
    stamps = np.where((np.arange(4) == 3) != (k == 3), 2.5, heard.stamps)
    return Heard(heard.state, stamps)


def run_by_hand(changes, ticks, each_tick):
    """Controller and plant, tick by tick; ``each_tick(time, run, observed)`` may change what is heard."""
    loaded = load("formation_translate", (*LINE, *changes))
    setup = prepare(loaded.scenario, loaded.source)
    controller, plant = Controller(loaded.scenario, setup), Plant(loaded.scenario, setup, make_engine(loaded, setup))
    told = []
    for _ in range(ticks):
        observed = plant.observe()
        observed = each_tick(observed.state.time, controller.formation(0), observed) or observed
        commands = controller.tick(observed).commands
        told.append(commands.twist[:, :2].copy())
        plant.step(commands)
    return controller.formation(0), plant.truth, np.array(told)


def goal_at_one(time, run, observed):
    if abs(time - 5.0) < 1e-6:
        run.controllers[3].send(Goal(position=(0.3, 0.5)))


def test_a_new_goal_that_one_robot_is_sent_to_reaches_all():
    far = "goals=[{position: [3, 0]}]"
    run, truth, _ = run_by_hand((far, "simulator={onboard: true, radio_range: 0.7, loss: 0.3, delay: 0.1}"), 180, goal_at_one)
    assert np.abs(truth.position.mean(axis=0) - [0.3, 0.5]).max() < 0.01
    assert [one.visits for one in run.controllers] == [1] * 4


@settings(max_examples=25)
@given(arrays(float, 4, elements=st.sampled_from(np.arange(0.0, 5.0, 0.1))), st.integers(1, 3))
def test_robots_that_begin_to_listen_one_after_another_go_at_the_same_time(since, late):
    """A chain in which what is said is heard ``late`` ticks later."""
    musters, said, begun = [Muster(k, np.arange(4), 4) for k in range(4)], [], [[] for _ in range(4)]
    pose, stamps = np.zeros((4, 3)), np.zeros(4)
    for time in np.arange(0.0, 12.0, 0.1):
        past = said[-late] if len(said) >= late else {}
        said.append({})
        for k in np.flatnonzero(since <= time + 1e-9):
            near = np.abs(np.arange(4) - k) <= 1
            heard = Heard(SwarmState.of(time, np.where(near[:, None], pose, np.nan), np.zeros((4, 3))), np.where(near, stamps, -np.inf))
            knows = musters[k].hear(heard, [word for j, word in past.items() if abs(j - k) == 1])
            begun[k] += [time] if knows.state.valid.any() else []
            said[-1][k] = Word(k, time, 1, False, 0.0, (), np.zeros(4, bool), musters[k].places, musters[k].ready, musters[k].informed)
    first = {times[0] for times in begun}
    assert len(first) == 1 and since.max() <= first.pop() <= since.max() + 0.1 * (5 * 3 * late + 2)


def test_robots_plan_from_the_same_places_and_so_the_same_way():
    """Each hears noise of its own delay and losses; without an agreement the plans of all would differ."""
    shape = ("formation.shape=grid", "robots.0.start={pattern: scatter, spacing: 0.5}", "duration=40")
    net = "simulator={onboard: true, delay: 0.1, loss: 0.3, noise_position: 0.003, noise_heading: 1, %s}"
    plans = []

    def look(frame, metrics):
        ways = [one.parts[0].planner.way for one in frame.formation.controllers if one.parts]
        if len(ways) == 4 and all(ways):
            plans[-1].append(len({way.schedule.place.tobytes() for way in ways}))

    for words in ("radio_range: 1.5", "radio_range: 0", "agree: false"):
        plans.append([])
        loaded = load("formation_translate", (*LINE, net % words, *shape))
        simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=True, watch=look)
    assert max(plans[0][5:]) == 1 == max(plans[1][5:]) and min(plans[2]) > 1


def test_a_plan_that_one_robot_makes_anew_is_made_by_all():
    shape = ("formation.shape=circle", "robots.0.start={pattern: scatter, spacing: 0.6}")
    seen = []

    def again(time, run, observed):
        planners = [one.parts[0].planner for one in run.controllers if one.parts]
        if abs(time - 3.0) < 1e-6:
            planners[2]._watch.stalled = True
        seen.append([(one.outset.attempt, one.outset.origin) for one in planners])

    run, truth, _ = run_by_hand((*shape, "simulator={onboard: true, radio_range: 1.5, delay: 0.1}"), 150, again)
    assert seen[28] == [(0, 0)] * 4 and seen[38] == [(1, 2)] * 4
    assert run.error(truth) < 0.005 and [one.visits for one in run.controllers] == [1] * 4


@pytest.mark.parametrize(("dropping", "left"), [(0, 4), (2, 3)])
def test_all_wait_for_a_robot_that_fails_or_all_drop_it(dropping, left):
    """The last robot of the chain is heard by its neighbour alone."""
    simulator = "simulator={onboard: true, radio_range: 0.7, delay: 0.1, failures: [{robot: robot_3, start: 3, end: 100}]}"
    changes = (simulator, "goals=[{position: [3, 0]}]", f"formation.health.drop_after={dropping}")
    run, truth, _ = run_by_hand(changes, 200, lambda *_: None)
    assert {len(one.structures[0]) for one in run.controllers} == {left}
    gone = truth.position[:3, 0] - truth.position[3, 0]
    assert gone.min() > 1.5 if dropping else gone.max() < 0.75


def test_a_robot_that_has_been_dropped_and_is_out_of_reach_does_not_keep_the_run_from_its_end():
    changes = ("simulator.onboard=true", "simulator.radio_range=0.8", "formation.health.drop_after=2", "duration=60")
    loaded = load("formation_failure", changes)
    assert simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=True).summary["arrived_fraction"] == 1.0


def test_robots_that_are_too_far_apart_to_set_out_say_so():
    with pytest.warns(RuntimeWarning, match="no word of robot_1, robot_2, robot_3 has come, and so nobody sets out"):
        fly(0.5, "duration=12")


def test_robots_whose_radio_breaks_in_two_on_the_way_go_on_in_two_parts():
    def cut(time, run, observed):
        if time < 3.0:
            return observed
        side = np.arange(4) < 2
        stamps = [np.where(side == side[k], one.stamps, np.minimum(one.stamps, 3.0)) for k, one in enumerate(observed.each)]
        return replace(observed, each=tuple(Heard(one.state, known) for one, known in zip(observed.each, stamps)))

    net = "simulator={onboard: true, radio_range: 0.7, delay: 0.1, noise_position: 0.002}"
    run, truth, _ = run_by_hand((net, "goals=[{position: [2, 0]}]"), 150, cut)
    assert not any(one.lost for one in run.radio.members) and [one.visits for one in run.controllers] == [1] * 4
    assert np.abs(truth.position[:, 0] - 2.0).max() < 0.03


def test_a_robot_whose_node_starts_anew_takes_over_what_the_others_have():
    def renew(time, run, observed):
        if abs(time - 4.0) < 1e-6:
            old = run.radio.members[3]
            goals = [replace(goal) for goal in old.controller.agenda.goals]
            run.controllers[3] = FormationController(run._fleet, goals, 0.1, 3, run._fleet.names)
            run.radio.members[3] = Consensus(run.controllers[3], 3, np.arange(4), run._fleet, 0.1)

    net = "simulator={onboard: true, radio_range: 0.7, delay: 0.1, noise_position: 0.002}"
    run, truth, _ = run_by_hand((net, "formation.shape=line", "goals=[{position: [1.5, 0]}]"), 150, renew)
    assert [one.visits for one in run.controllers] == [1] * 4
    assert np.abs(truth.position[:, 0] - 1.5).max() < 0.03 and run.spread() < 0.03


def test_a_robot_whose_node_was_held_up_is_not_lost_and_waited_for():
    """As by planning on a slow computer: for two seconds it neither listens nor moves, and then moves before it listens."""
    lost, step = [], Consensus.step

    def hold_up(time, run, observed):
        member = run.radio.members[3]
        lost.append([one.lost for one in run.radio.members])
        deaf = lambda heard, words, *terms: step(member, heard, [], *terms)  # noqa: E731
        member.step = (lambda *_: None) if 4.95 <= time < 6.95 else deaf if 6.95 <= time < 7.05 else partial(step, member)

    net = "simulator={onboard: true, radio_range: 0.7, delay: 0.1, noise_position: 0.002}"
    run, truth, _ = run_by_hand((net, "formation.shape=line", "goals=[{position: [1.5, 0]}]"), 180, hold_up)
    assert not np.any(lost) and [one.visits for one in run.controllers] == [1] * 4
    assert np.abs(truth.position[:, 0] - 1.5).max() < 0.03 and run.spread() < 0.03


def test_a_shape_is_changed_though_robots_do_not_hear_everybody():
    phases = "phases=[{start: 4, set: {formation.shape: line, formation.spacing: 0.5}}]"
    shape = ("formation.shape=line", "formation.spacing=0.6", "simulator={onboard: true, radio_range: 0.75, delay: 0.1}")
    run, truth, _ = run_by_hand((*shape, phases), 200, lambda *_: None)
    assert np.allclose(np.abs(np.diff(np.sort(truth.position[:, 1]))), 0.5, atol=0.02) and run.spread() < 0.01


def test_words_are_heard_when_odometry_is_and_clocks_do_not_go_back():
    clocks = []

    def look(time, run, observed):
        if run.controllers[0].parts and run.controllers[0].parts[0].memory:
            clocks.append([one.parts[0].memory.clock for one in run.controllers])

    net = "simulator={onboard: true, radio_range: 0.7, delay: 0.3, loss: 0.5}"
    run_by_hand((net, "goals=[{position: [2, 0], time: 10}]"), 150, look)
    assert np.diff(np.array(clocks), axis=0).min() >= -1e-9


def on_the_way(x, **changes):
    """Three robots on a planned way along x, 1 m in 10 s: whom they wait for at 5 s, when the last is at ``x``, and the way itself."""
    team = fleet(3, "omni")
    place = np.array([[[0.0, y] for y in (0.0, 1.0, 2.0)], [[1.0, y] for y in (0.0, 1.0, 2.0)]])
    way = PlannedWay(Timetable(np.array([0.0, 10.0]), place), team.names, place[0], **changes)
    pose = np.array([[0.5, 0.0, 0.0], [0.5, 1.0, 0.0], [x, 2.0, 0.0]])
    return way, Robots(pose, np.zeros((3, 3)), team, targets, 0.1, 0.3)


def test_who_is_ahead_is_not_waited_for_where_each_has_a_clock_of_its_own_nor_who_is_excepted():
    for x, changes, lag in (
        (0.2, {}, 0.3), (0.8, {}, 0.27), (0.8, {"lead": 5.0}, 0.0), (0.2, {"lead": 5.0}, 0.3),
        (0.2, {"others": frozenset({"robot_2"})}, 0.0),
    ):  # fmt: skip
        way, squad = on_the_way(x, **changes)
        assert way.lag(way.names, 5.0, squad) == pytest.approx(lag, abs=1e-9), (x, changes)
        behind = way.behind(way.names, 5.0, squad.pose, 0.05)
        assert behind.tolist() == [False, False, "others" not in changes]


def test_on_a_planned_way_nobody_waits_for_who_is_not_heard_or_has_left_it():
    """Where the others are on their way, by what one robot hears; then one of them says that it has come to the end."""
    shape, seen = ("formation.shape=circle", "robots.0.start={pattern: scatter, spacing: 0.6}"), []

    def look(time, run, observed):
        one = run.controllers[0].parts[0] if run.controllers[0].parts else None
        if one is None or one.planner.way is None or time < 1.0 or seen:
            return
        mine = agreement.word_of(one)
        for unheard, said in (
            ((), {}), (("robot_1",), {}), ((), {"robot_1": mine, "robot_2": replace(mine, span=0.0)}), ((), {"robot_3": mine}),
            ((), {"robot_2": mine}),
            ((), {"robot_2": replace(mine, span=0.0, outset=replace(mine.outset, attempt=9))}),
        ):  # fmt: skip
            agreement.note_others(one, frozenset(unheard), said)
            seen.append(sorted(one.planner.way.others))

    run_by_hand((*shape, "simulator={onboard: true, radio_range: 1.5, delay: 0.1}"), 30, look)
    assert seen == [[], ["robot_1"], ["robot_2"], ["robot_2"], [], []]


def test_between_two_words_a_part_is_on_the_straight_way_and_turns_the_shorter_one():
    def word(time, pose, clock, alike=True):
        return SimpleNamespace(time=time, parts=[SimpleNamespace(pose=np.array(pose), clock=clock, alike=lambda other: alike)])

    words = word(2.0, [1.0, -2.0, 3.0], 10.0), word(4.0, [3.0, 2.0, -3.0], 11.0)
    pose, clock = _between(words, 2.5, 0)
    assert pose == pytest.approx([1.5, -1.0, 3.0 + 0.25 * (2.0 * np.pi - 6.0)]) and clock == pytest.approx(10.25)
    assert _between((word(2.0, [1.0, -2.0, 3.0], 10.0, alike=False), words[1]), 2.5, 0)[1] == 10.0, "its clock has begun anew"
    pose, clock = _between((words[0], words[0]), 2.5, 0)
    assert pose == pytest.approx([1.0, -2.0, 3.0]) and clock == 10.0
