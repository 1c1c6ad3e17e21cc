"""Boxes and discs that robots push: closed forms of quasi-static pushing, no overlaps, walls, and the same run for ever."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from teams import at, drive, fleet, random_swarm, random_twist

from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands
from swarm_control.scenario.objects import PassiveObject
from swarm_control.sim.objects import GRAVITY, Objects
from swarm_control.sim.overlaps import in_walls, overlap
from swarm_control.sim.planar import PlanarEngine
from swarm_control.sim.pushing import TOLERANCE, push, rest

BOX = PassiveObject(size=(0.6, 0.4), mass=3.0, friction=0.5, grip=0.0)


def placed(*objects, radius=(0.1,), grid=None) -> Objects:
    return Objects(objects, np.array(radius, float), grid)


def pushed(one, way, radius=0.1):
    """Where an object comes to be when a disc goes the ``way``: two places."""
    made = placed(one, radius=(radius,))
    before, after = (np.array([place], float) for place in way)
    return push(made._pose[0], made._shape[0], one.grip, before, after, np.array([radius]))


def walled(column=20):
    occupied = np.zeros((40, 40), bool)
    occupied[:, column] = True
    return Grid(occupied, (-2.0, -2.0), 0.1)


@pytest.mark.parametrize("turn", [0.0, 30.0, 200.0])
@pytest.mark.parametrize("grip", [0.0, 0.7])
def test_a_push_through_the_middle_moves_a_box_straight_by_the_overlap(turn, grip):
    ahead = np.array([np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))])
    one = PassiveObject(size=(0.6, 0.4), pose=(1.0, -2.0, turn), grip=grip)
    middle = np.array([1.0, -2.0])
    pose, deep = pushed(one, (middle - 0.41 * ahead, middle - 0.393 * ahead))
    assert pose[:2] == pytest.approx(middle + 0.007 * ahead, abs=1e-9)
    assert pose[2] == pytest.approx(np.deg2rad(turn), abs=1e-9) and deep[0] < 1e-9


def test_a_round_object_goes_from_the_disc_along_the_line_of_middles():
    pose, _ = pushed(PassiveObject(radius=0.2, grip=0.0), ((-0.24, -0.18), (-0.232, -0.174)))
    assert pose == pytest.approx([0.008, 0.006, 0.0], abs=1e-9)


def test_a_push_off_the_middle_turns_by_the_limit_surface():
    """By ``d`` at the arm ``b``: the middle moves by ``d·c²/(b² + c²)`` and the box turns by ``d·b/(b² + c²)``, for small d."""
    d, b, c2 = 1e-5, 0.12, placed(BOX)._shape[0, 3]
    for side in (1.0, -1.0):
        pose, _ = pushed(BOX, ((-0.4, side * b), (-0.4 + d, side * b)))
        assert pose[0] == pytest.approx(d * c2 / (b * b + c2), rel=1e-3)
        assert pose[2] == pytest.approx(-side * d * b / (b * b + c2), rel=1e-3)  # pushed above its middle it turns clockwise


def test_how_far_the_floor_is_from_the_middle_on_average():
    rng = np.random.default_rng(1)
    floor = rng.uniform(-0.5, 0.5, (400_000, 2)) * BOX.size
    assert np.sqrt(placed(BOX)._shape[0, 3]) == pytest.approx(np.hypot(*floor.T).mean(), rel=2e-3)
    assert np.sqrt(placed(PassiveObject(radius=0.3))._shape[0, 3]) == pytest.approx(0.2)


def test_two_pushers_side_by_side_do_not_turn_a_box():
    made = placed(BOX, radius=(0.1, 0.1))
    before = np.array([[-0.4, 0.12], [-0.4, -0.12]])
    pose, deep = push(made._pose[0], made._shape[0], 0.3, before, before + np.array([0.01, 0.0]), np.array([0.1, 0.1]))
    assert pose == pytest.approx([0.01, 0.0, 0.0], abs=1e-7) and deep.max() < 1e-7


def test_a_rim_that_grips_takes_a_box_along_and_one_that_does_not_slips():
    way = ((-0.395, 0.0), (-0.39, 0.004))
    free, held = (pushed(PassiveObject(size=(0.6, 0.4), grip=grip), way)[0] for grip in (0.0, 5.0))
    assert free[1] == pytest.approx(0.0, abs=1e-4) and held[1] > 0.001


def test_the_work_is_that_against_the_floor():
    made = placed(BOX)
    engine = PlanarEngine(fleet(), at(-0.41, 0.0, 0.0), None, 0.01, made)
    drive(engine, [0.5, 0.0, 0.0], 200)
    way = made.pose[0, 0]
    assert way == pytest.approx(engine.truth().pose[0, 0] + 0.4, abs=2e-5) and way > 0.5
    assert made.work[0] == pytest.approx(3.0 * 0.5 * GRAVITY * way, rel=1e-9)
    assert engine.collisions.sum() == 0
    engine.reset()
    assert (made.pose == 0.0).all() and made.work[0] == 0.0


def test_nothing_moves_by_itself_nor_follows_who_leaves():
    made = placed(BOX)
    engine = PlanarEngine(fleet(), at(-0.4, 0.0, 0.0), None, 0.01, made)
    drive(engine, [-1.0, 0.3, 0.0], 50)
    assert (made.pose == 0.0).all()


def crowd(seed):
    """Robots of all kinds among boxes and round objects, with walls or without."""
    team, start, grid, rng = random_swarm(seed, bool(seed % 2))
    objects, made = [], None
    for _ in range(12):
        size = tuple(rng.uniform(0.05, 0.5, 2))
        one = PassiveObject(
            size=size, radius=float(rng.choice([0.0, 0.5 * size[0]])), pose=(*rng.uniform(-2.0, 2.0, 2), float(rng.uniform(-180, 180))),
            grip=float(rng.uniform(0.0, 1.0)),
        )  # fmt: skip
        tried = Objects([*objects, one], team.radius, grid)
        room = all(tried.free(*place, radius) for place, radius in zip(start.position, team.radius))
        if room and all(tried.placed(k) for k in range(len(objects) + 1)):
            objects, made = [*objects, one], tried
    return team, start, grid, made, rng


@given(st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_no_robot_is_ever_in_an_object_nor_an_object_in_a_wall_or_another(seed):
    team, start, grid, made, rng = crowd(seed)
    if made is None:
        return
    engine = PlanarEngine(team, start, grid, float(rng.choice([0.01, 0.1])), made)
    for _ in range(10):
        twist = random_twist(rng, len(team))
        for _ in range(3):
            place = drive(engine, twist).position
            for k, (pose, shape) in enumerate(zip(made.pose, made._shape)):
                assert rest(pose, shape, place, place, team.radius).max() <= TOLERANCE + 1e-9
                assert grid is None or not in_walls(made._walls, pose, shape)
                assert not any(overlap(pose, shape, made.pose[j], made._shape[j]) for j in range(k))
    gap = np.hypot(*(place[:, None] - place[None]).T) - team.radius[:, None] - team.radius[None]
    assert (gap + 9.0 * np.eye(len(gap))).min() > -1e-12


@given(st.integers(0, 2**32))
@settings(max_examples=5, deadline=None)
def test_the_same_run_gives_the_same_bits_also_after_a_reset(seed):
    team, start, grid, made, rng = crowd(seed)
    engine = PlanarEngine(team, start, grid, 0.05, made)
    twists = [random_twist(rng, len(team)) for _ in range(10)]
    runs = []
    for _ in range(2):
        engine.reset()
        for twist in twists:
            engine.step(Commands(twist))
        runs.append((engine.truth().pose.tobytes(), b"" if made is None else made.pose.tobytes() + made.work.tobytes()))
    assert runs[0] == runs[1]


def test_objects_that_nobody_touches_change_nothing():
    team, start, grid, rng = random_swarm(5, True)
    far = placed(PassiveObject(pose=(500.0, 0.0, 0.0)), radius=team.radius)
    engines = PlanarEngine(team, start, grid, 0.05), PlanarEngine(team, start, grid, 0.05, far)
    for _ in range(40):
        twist = random_twist(rng, len(team))
        one, other = (drive(engine, twist) for engine in engines)
        assert one.pose.tobytes() == other.pose.tobytes() and one.velocity.tobytes() == other.velocity.tobytes()
    assert (engines[0].collisions == engines[1].collisions).all()


@pytest.mark.parametrize("radius", [0.0, 0.2])
def test_a_wall_stops_the_object_and_then_the_robot(radius):
    made = placed(PassiveObject(size=(0.4, 0.4), radius=radius, pose=(-0.5, 0.0, 0.0)), grid=walled())
    engine = PlanarEngine(fleet(), at(-1.0, 0.0, 0.0), walled(), 0.01, made)
    end = drive(engine, [0.5, 0.0, 0.0], 300)
    assert -0.21 < made.pose[0, 0] <= -0.2 + 1e-9  # the wall begins at x = 0
    assert end.pose[0, 0] <= made.pose[0, 0] - 0.3 + TOLERANCE and end.pose[0, 0] > -0.52
    assert abs(made.pose[0, 2]) < 1e-6 and engine.collisions.sum() == 0


def test_robots_that_squeeze_an_object_stop_and_one_behind_a_stopped_one_runs_into_it():
    made = placed(BOX, radius=(0.1, 0.1, 0.1))
    engine = PlanarEngine(fleet(n=3), at([-0.5, 0.0, 0.0], [0.5, 0.0, np.pi], [-0.75, 0.0, 0.0]), None, 0.01, made)
    x = drive(engine, [[0.3, 0.0, 0.0], [0.3, 0.0, 0.0], [0.5, 0.0, 0.0]], 400).pose[:, 0]
    assert made.pose[0, 0] - x[0] >= 0.4 - TOLERANCE and x[1] - made.pose[0, 0] >= 0.4 - TOLERANCE
    assert x[1] - x[0] < 0.81 and x[0] - x[2] >= 0.2 - 1e-9
    assert engine.collisions.sum() == 1


def test_no_robot_jumps_over_an_object_however_fast():
    made = placed(PassiveObject(size=(0.05, 2.0)), radius=(0.02,))
    team = fleet(radius=0.02, max_speed=100.0, max_acceleration=1e6)
    engine = PlanarEngine(team, at(-0.5, 0.0, 0.0), None, 0.1, made)
    x = drive(engine, [100.0, 0.0, 0.0]).pose[0, 0]
    assert x == pytest.approx(9.5) and made.pose[0, 0] == pytest.approx(x + 0.045, abs=1e-4)


def test_a_robot_is_not_placed_in_an_object():
    engine = PlanarEngine(fleet(), at(-1.0, 0.0, 0.0), None, 0.01, placed(BOX))
    assert not engine.place(0, np.array([0.1, 0.0, 0.0]))
    assert engine.place(0, np.array([0.0, 0.35, 0.0]))
