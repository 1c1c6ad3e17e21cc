"""The whole loop with robots that follow exact arcs: the claims about precision, failure, docking, loss and delay, in short."""

from dataclasses import replace

import numpy as np
import pytest
from closed_loop import PERIOD, Loop, fleet, formed, with_method

from swarm_control.core import targets
from swarm_control.core.geometry import wrap
from swarm_control.core.state import SwarmState
from swarm_control.formation.drive import Drive, Field, Path, ToPose, Velocity
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.health import Health
from swarm_control.formation.memory import FormationMemory, StructureParameters
from swarm_control.formation.shapes import shape
from swarm_control.formation.step import step
from swarm_control.formation.structure import Structure, compose, place

PARAMS = StructureParameters()
TRIANGLE = shape("circle", 3, 0.6)
TRACKER = {"noise": 0.002, "noise_heading": np.deg2rad(1.0), "delay": 0.02}
AHEAD, HOME, TURNED = (np.array(p) for p in ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, np.pi / 2]))


def to_and_fro(goals, times=2, **options):
    loop = formed(TRIANGLE, fleet(3), **options)
    return loop, np.concatenate([loop.run(ToPose(goal), 15.0, until_rest=True) for _ in range(times) for goal in goals])


def pose_of(loop):
    s = loop.structures[0]
    return fit(s.points, loop.truth[-1][: len(s), :2], np.ones(len(s)), s.pose, Fit()).pose


def test_translation_is_exact_without_noise():
    loop, errors = to_and_fro([AHEAD, HOME])
    assert errors.max() < 1e-6
    assert loop.memories[0].rest and np.hypot(*pose_of(loop)[:2]) < 0.005


def test_rotation_is_nearly_exact_without_noise():
    _, errors = to_and_fro([TURNED, HOME], times=3)
    assert errors.mean() < 0.001
    assert errors[-60:].max() < 0.0005  # once the robots stand along the circle


def test_precision_with_a_noisy_late_tracker():
    assert to_and_fro([AHEAD, HOME], **TRACKER)[1].mean() < 0.0012
    assert to_and_fro([TURNED, HOME], **TRACKER)[1].mean() < 0.003


def test_naive_displacement_is_worse():
    naive = with_method(PARAMS, "naive")
    for goals in ([AHEAD, HOME], [TURNED, HOME]):
        mean = [to_and_fro(goals, 5, params=params, **TRACKER)[1].mean() for params in (PARAMS, naive)]
        assert mean[1] > 2.0 * mean[0]


@pytest.mark.parametrize("model", ["differential", "omni"])
def test_robots_that_point_anywhere_get_there(model):
    for seed in range(4):
        yaw = np.random.default_rng(seed).uniform(-np.pi, np.pi, 3)
        loop = formed(TRIANGLE, fleet(3, model), yaw)
        errors = loop.run(ToPose(np.array([-0.5, 0.8, 2.0])), 25.0, until_rest=True)
        assert loop.memories[0].rest
        assert np.hypot(*(pose_of(loop)[:2] - [-0.5, 0.8])) < 0.005
        assert errors.max() < 0.03 and errors[-1] < 0.004


def test_cars_go_forward_in_formation():
    loop = formed(TRIANGLE, fleet(3, "car"))
    errors = loop.run(ToPose(np.array([3.0, 0.3, 0.0])), 20.0)
    assert np.hypot(*(pose_of(loop)[:2] - [3.0, 0.3])) < 0.05
    assert errors.mean() < 0.01


def test_hexagon_on_a_circle_holds_shape_and_time():
    radius, speed = 5.0, 0.5
    t = np.arange(0.0, 40.0, 0.01)
    angle = np.where(t < 4.0, t * t / 8.0, t - 2.0) * speed / radius - np.pi / 2
    path = Path(t, np.column_stack((radius * np.cos(angle), radius + radius * np.sin(angle), angle + np.pi / 2)))
    loop = formed(shape("circle", 6, 1.0), fleet(6, speed=1.0, acceleration=1.0))
    loop.order()
    shape_error, lag = [], []
    for _ in range(200):
        loop.tick(path)
        shape_error.append(loop.error())
        lag.append(np.hypot(*(pose_of(loop) - path.at(loop.time))[:2]))
    assert max(shape_error) < 0.002
    assert max(lag) < 0.02 and lag[-1] < 1e-4


def failure(speed, drop_after=0.0):
    params = replace(PARAMS, health=Health(drop_after=drop_after))
    loop = formed(TRIANGLE, fleet(3), params=params)
    order = Velocity(np.array([speed, 0.0, 0.0]), world=True, heading=0.0)
    loop.run(order, 3.0)
    loop.factor[1] = 0.0
    found = [loop.tick(order)[0].failed.tolist() for _ in range(100)]
    return loop, order, found


def test_the_formation_halts_by_a_failed_robot_and_error_grows_with_speed():
    settled = []
    for speed in (0.02, 0.04, 0.06, 0.08, 0.1):
        loop, order, found = failure(speed)
        assert found[-1] == [False, True, False] and not any(any(f) for f in found[:3])
        before = loop.truth[-1]
        loop.tick(order)
        assert np.abs(loop.truth[-1] - before)[:, :2].max() < 1e-4
        settled.append(loop.error())
    assert (np.diff(settled) > 0.003).all()
    # no higher than this at top speed: the structure goes no further than its robots could, and turns back where that turns it
    assert failure(0.25)[0].error() < 0.045


def test_a_dropped_robot_lets_the_others_go():
    loop, order, _ = failure(0.2, drop_after=2.0)
    assert loop.structures[0].names == ("robot_0", "robot_2")
    before = loop.truth[-1]
    for _ in range(20):
        loop.tick(order)
    moved = loop.truth[-1] - before
    assert moved[[0, 2], 0] == pytest.approx(0.4, abs=0.02) and (moved[1] == 0.0).all()
    assert loop.error() < 0.002


@pytest.mark.parametrize("gradual", [False, True])
def test_docking(gradual):
    f, far = fleet(3), np.array([2.0, 0.0, 0.0])
    pose = np.column_stack((TRIANGLE, np.zeros(3)))
    pose[2] = [-0.9, -0.6, 1.0]
    loop = Loop(pose, Structure(TRIANGLE[:2], f.names[:2], np.zeros(3)), f)
    loop.tick(ToPose(HOME))
    start, errors = loop.structures[0], []
    docked = np.vstack((start.points, pose[2, :2] - start.pose[:2]))  # its heading is 0
    loop.order()
    for k in range(130):
        if gradual and k <= 60:
            loop.impose(Structure((1.0 - k / 60) * docked + k / 60 * TRIANGLE, f.names, loop.structures[0].pose))
        elif k == 0:
            loop.impose(Structure(TRIANGLE, f.names, start.pose))
        loop.tick(ToPose(far))
        errors.append(loop.error())
    assert max(errors) < 0.02 if gradual else errors[0] > 0.3
    assert errors[80] < 0.001 and errors[-1] < 1e-5


@pytest.mark.parametrize("onboard", [False, True])
def test_loss_and_delay_still_converge(onboard):
    loop = formed(TRIANGLE, fleet(3), loss=0.3, delay=0.2, onboard=onboard)
    errors = loop.run(ToPose(np.array([1.0, 0.5, 1.0])), 30.0, until_rest=True)
    assert all(memory.rest for memory in loop.memories)
    assert np.hypot(*(pose_of(loop)[:2] - [1.0, 0.5])) < 0.006
    assert errors.mean() < 0.006 and errors[-1] < 0.004


def test_onboard_is_hosted_when_everybody_hears_everything():
    loops = [formed(TRIANGLE, fleet(3), 0.3, onboard=onboard) for onboard in (False, True)]
    for loop in loops:
        loop.run(ToPose(np.array([0.5, 0.5, 1.0])), 5.0)
    assert np.abs(loops[0].truth[-1] - loops[1].truth[-1]).max() < 1e-6


def test_a_leader_waits_for_nobody():
    order, moved, errors = Velocity(np.array([0.15, 0.0, 0.0]), world=True, heading=0.0), {}, {}
    for leader in ("", "robot_0"):
        loop = formed(TRIANGLE, fleet(3), params=replace(PARAMS, leader=leader))
        errors[leader] = loop.run(order, 4.0)
        loop.factor[1] = 0.0
        before = loop.truth[-1]
        loop.run(order, 6.0)
        moved[leader] = (loop.truth[-1] - before)[0, 0]
    assert max(errors["robot_0"]) < 1e-4
    assert moved[""] < 0.15 and moved["robot_0"] > 0.8


def test_headings_at_rest_are_taken_on():
    heading = np.array([1.0, np.nan, -2.0])
    loop = formed(TRIANGLE, fleet(3))
    loop.run(ToPose(np.array([0.3, 0.0, 0.0])), 15.0, heading=heading)
    assert wrap(loop.truth[-1][[0, 2], 2] - heading[[0, 2]]) == pytest.approx(0.0, abs=0.02)
    assert loop.error() < 0.002


def test_field_moves_the_structure():
    loop = formed(TRIANGLE, fleet(3))
    errors = loop.run(Field(lambda p: np.array([1.0, 0.5]) - p, 0.5), 15.0)
    assert np.hypot(*(pose_of(loop)[:2] - [1.0, 0.5])) < 0.02
    assert errors.max() < 0.02


def test_the_structure_waits_for_a_robot_that_swerves():
    loop = formed(TRIANGLE, fleet(3))
    order = Velocity(np.array([0.15, 0.0, 0.0]), world=True, heading=0.0)
    loop.run(order, 3.0)
    push = np.zeros((3, 2))
    push[1] = [-1.0, 1.0]
    for _ in range(15):
        loop.tick(order, push)
    held, swerved = loop.structures[0].pose[0], loop.error()
    for _ in range(60):
        loop.tick(order)
    assert held < 0.15 * 4.5 - 0.05 and swerved > 0.01
    assert loop.error() < 0.001


def one_step(state, stamp, structure, f, order=None, params=PARAMS):
    order = order or ToPose(AHEAD)
    memory = FormationMemory.start(len(f), PERIOD, params)
    return step(state, stamp, structure, order, f, targets, memory, params, PERIOD)


def standing(pose):
    return SwarmState.of(0.0, np.asarray(pose, float), np.zeros((len(pose), 3)))


def test_a_robot_without_odometry_is_told_to_stop_and_does_not_count():
    f = fleet(3)
    pose = np.column_stack((TRIANGLE, np.zeros(3)))
    pose[1] = np.nan
    stamp = np.array([0.0, -np.inf, 0.0])
    made = one_step(standing(pose), stamp, Structure(TRIANGLE, f.names, np.zeros(3)), f)
    assert (made.command[1] == 0.0).all() and (made.command[[0, 2], 0] > 0.0).all()
    assert np.isnan(made.distance[1]) and made.error < 1e-9


def test_nobody_heard_from_means_nobody_moves():
    f = fleet(3)
    made = one_step(standing(np.full((3, 3), np.nan)), np.full(3, -np.inf), Structure(TRIANGLE, f.names, np.zeros(3)), f)
    assert (made.command == 0.0).all() and made.error == 0.0
    assert made.structure.pose == pytest.approx(np.zeros(3))


@pytest.mark.parametrize("points", [[[0.0, 0.0]], [[-0.3, 0.0], [0.3, 0.0]], [[-0.5, 0], [0.0, 0], [0.5, 0]]])
def test_few_and_collinear_robots_get_there(points):
    loop = formed(np.array(points), fleet(len(points)))
    loop.run(ToPose(np.array([0.5, 0.2, 0.0])), 20.0, until_rest=True)
    assert loop.memories[0].rest


def test_robots_outside_the_structure_stand():
    f = fleet(4)
    pose = np.column_stack((np.vstack((TRIANGLE, [5.0, 5.0])), np.zeros(4)))
    made = one_step(standing(pose), np.zeros(4), Structure(TRIANGLE, f.names[:3], np.zeros(3)), f)
    assert (made.command[3] == 0.0).all() and np.isnan(made.target[3]).all()


def test_a_structure_of_robots_that_are_not_there_is_an_error():
    with pytest.raises(ValueError, match="robot_2"):
        one_step(standing(np.zeros((2, 3))), np.zeros(2), Structure(TRIANGLE, fleet(3).names, np.zeros(3)), fleet(2))


def test_a_step_does_not_depend_on_the_frame_or_the_order_of_robots():
    rng = np.random.default_rng(0)
    f, motion = fleet(3), np.array([2.0, -1.0, 0.9])
    pose = np.column_stack((TRIANGLE + 0.01 * rng.normal(size=(3, 2)), rng.uniform(-0.3, 0.3, 3)))
    s = Structure(TRIANGLE, f.names, np.zeros(3))
    first = one_step(standing(pose), np.zeros(3), s, f)
    moved = standing([compose(motion, p) for p in pose])
    second = one_step(moved, np.zeros(3), s.at(motion), f, ToPose(compose(motion, AHEAD)))
    assert np.abs(first.command - second.command).max() < 0.01
    assert np.abs(place(first.target, motion) - second.target).max() < 2e-4
    order = np.array([2, 0, 1])
    shuffled = Structure(TRIANGLE[order], tuple(f.names[k] for k in order), np.zeros(3))
    third = one_step(standing(pose), np.zeros(3), shuffled, f)
    assert np.abs(first.command - third.command).max() < 0.01


def test_a_patient_path_waits():
    path = Path(np.array([0.0, 10.0]), np.array([[0.0, 0, 0], [2.0, 0, 0]]))
    for patience, waits in ((0.0, False), (0.05, True)):
        loop = formed(TRIANGLE, fleet(3), params=replace(PARAMS, drive=Drive(patience=patience)))
        loop.factor[1] = 0.0
        loop.run(path, 12.0)
        assert (loop.memories[0].clock < 4.0) == waits


def test_a_robot_that_was_cut_off_knows_how_late_it_is():
    """The order's clock counts time, not steps: after a silence it is where everybody else's is."""
    from swarm_control.core import targets
    from swarm_control.core.state import SwarmState
    from swarm_control.formation.drive import Path
    from swarm_control.formation.memory import FormationMemory, StructureParameters
    from swarm_control.formation.step import step
    from swarm_control.formation.structure import Structure
    from swarm_experiments.papers.structures.search import r3

    fleet, pose = r3(3), np.array([[0.3, 0.0, 0.0], [-0.2, 0.3, 0.0], [-0.2, -0.3, 0.0]])
    structure = Structure(pose[:, :2], fleet.names, np.zeros(3))
    order, params = Path(np.array([0.0, 100.0]), np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])), StructureParameters()

    def clock(times):
        memory = FormationMemory.start(3, 0.1, params)
        for time in times:
            state = SwarmState.of(time, pose, np.zeros((3, 3)))
            memory = step(state, np.full(3, time), structure, order, fleet, targets, memory, params, 0.1).memory
        return memory.clock

    times = 0.1 * np.arange(80)
    heard = np.concatenate((times[:10], times[60:]))
    assert clock(heard) == pytest.approx(clock(times), abs=1e-9) == pytest.approx(8.0)
