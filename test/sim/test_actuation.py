import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from teams import PLANAR, at, drive, fleet, random_swarm, random_twist

from swarm_control.core.actuation import actuate
from swarm_control.core.geometry import norm
from swarm_control.core.motion import Motion
from swarm_control.robots import ROBOTS
from swarm_control.safety.command import command
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.sim.planar import PlanarEngine


def test_every_motion_model_has_its_actuation():
    assert all((model.actuate is None) == (model.body is not None) for model in ROBOTS.values())


def test_constant_velocity_gives_a_straight_line():
    engine = PlanarEngine(fleet(), at((1.0, 2.0, np.pi / 3), velocity=(0.5, 0.5 * 3**0.5, 0.0)), None, 0.02)
    state = drive(engine, (1.0, 0.0, 0.0), 100)
    assert state.pose[0] == pytest.approx([1.0 + 2.0 * 0.5, 2.0 + 2.0 * 0.5 * 3**0.5, np.pi / 3], abs=1e-12)
    assert state.time == pytest.approx(2.0, abs=1e-12)


def test_differential_drive_follows_the_exact_arc():
    v, rate, dt, steps = 0.4, 1.7, 0.05, 60
    engine = PlanarEngine(fleet("differential"), at((0.0, 0.0, 0.0), velocity=(v, 0.0, 0.0)), None, dt)
    state = drive(engine, (v, 0.3, rate), steps)
    angle = rate * dt * steps
    assert state.pose[0, :2] == pytest.approx([v / rate * np.sin(angle), v / rate * (1.0 - np.cos(angle))], abs=1e-12)
    assert state.pose[0, 2] == pytest.approx((angle + np.pi) % (2.0 * np.pi) - np.pi, abs=1e-12)
    assert state.velocity[0] == pytest.approx([v * np.cos(angle), v * np.sin(angle), rate], abs=1e-12)


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
def test_speed_ramps_up_at_the_acceleration_bound(model):
    a, dt = 2.0, 0.01
    engine = PlanarEngine(fleet(model, max_acceleration=a), at((0.0, 0.0, 0.0)), None, dt)
    for k in range(1, 80):
        state = drive(engine, (1.0, 0.0, 0.0))
        assert state.velocity[0, 0] == pytest.approx(min(a * k * dt, 1.0), abs=1e-12)
        if k <= 50:
            assert state.pose[0, 0] == pytest.approx(0.5 * a * dt * dt * k * (k + 1), abs=1e-12)


def test_wheels_of_a_differential_drive_share_their_top_speed_while_it_brakes_into_a_turn():
    """From 1 m/s, 4 m/s² leave 0.9 m/s after 25 ms: the outer wheel has 0.1 m/s to turn with, ω ≤ 2·0.1/0.1."""
    engine = PlanarEngine(fleet("differential"), at((0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0)), None, 0.025)
    rates = [drive(engine, (0.1, 0.0, 5.0)).velocity[0, 2] for _ in range(4)]
    assert rates == pytest.approx([2.0, 4.0, 5.0, 5.0])


def test_a_car_at_full_lock_drives_its_turning_circle_and_cannot_turn_while_it_stands():
    dt = 0.01
    start = at((0.0, 0.0, 0.0), (5.0, 0.0, 0.0), velocity=((0.5, 0.0, 0.0), (0.0, 0.0, 0.0)))
    engine = PlanarEngine(fleet("car", max_speed=1.0, max_turn_rate=4.0, n=2), start, None, dt)
    state = drive(engine, ((0.5, 0.0, 100.0), (0.0, 0.0, 100.0)), 30)
    angle = 2.0 * 0.3
    assert state.pose[0] == pytest.approx([0.25 * np.sin(angle), 0.25 * (1.0 - np.cos(angle)), angle], abs=1e-12)
    assert (state.pose[1] == start.pose[1]).all()


@pytest.mark.parametrize("dt", [0.001, 0.07, 0.3, 2.0])
def test_point_mass_moves_under_a_constant_force_whatever_the_step(dt):
    a = 2.0
    engine = PlanarEngine(fleet("point_mass", max_acceleration=a), at((0.0, 0.0, 0.5), velocity=(-0.2, 0.0, 0.0)), None, dt)
    steps = round(2.1 / dt)
    target = np.array([0.6, 0.0])
    state = drive(engine, (0.6 * np.cos(0.5), -0.6 * np.sin(0.5), 3.0), steps)
    time, ramp = steps * dt, 0.8 / a
    x = -0.2 * ramp + 0.5 * a * ramp**2 + 0.6 * (time - ramp)
    assert state.pose[0] == pytest.approx([x, 0.0, 0.5], abs=1e-12)
    assert state.velocity[0] == pytest.approx([*target, 0.0], abs=1e-12)


@pytest.mark.parametrize("model", PLANAR)
def test_a_stop_command_brings_to_rest_within_the_acceleration(model):
    engine = PlanarEngine(fleet(model, max_acceleration=2.0), at((0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0)), None, 0.01)
    moving = drive(engine, (0.0, 0.0, 0.0), 49)
    assert moving.velocity[0, 0] == pytest.approx(0.02, abs=1e-12)
    resting = drive(engine, (0.0, 0.0, 0.0), 2)
    assert (resting.velocity == 0.0).all()
    assert (drive(engine, (0.0, 0.0, 0.0)).pose == resting.pose).all()


@pytest.mark.parametrize("model", PLANAR)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_command_that_is_not_finite_is_a_stop_for_that_robot_only(model, bad, place):
    def run(twist):
        start = at((0.0, 0.0, 0.3), (1.0, 0.0, 0.3), velocity=((0.5, 0.1, 0.0),) * 2)
        return drive(PlanarEngine(fleet(model, n=2), start, None, 0.05), twist, 3)

    twist = np.array([[0.5, 0.1, 0.2], [0.5, 0.1, 0.2]])
    twist[0, place] = bad
    spoilt = run(twist)
    twist[0] = 0.0
    assert (spoilt.pose == run(twist).pose).all()
    assert np.isfinite(spoilt.pose).all()
    assert spoilt.velocity[1, 0] > 0.3


@given(st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_bounds_hold_for_any_command(seed):
    team, state, _, rng = random_swarm(seed, False)
    dt = float(rng.uniform(0.001, 0.2))
    models = np.array(team.model)
    rolls, two_wheels, car = np.isin(models, ("differential", "car")), models == "differential", models == "car"
    along = np.column_stack((np.cos(state.pose[:, 2]), np.sin(state.pose[:, 2])))
    state.velocity[rolls, :2] = (along * (along * state.velocity[:, :2]).sum(axis=1)[:, None])[rolls]
    for _ in range(3):
        _, pose, velocity = actuate(state, random_twist(rng, len(team)), team, dt)
        heading = np.column_stack((np.cos(pose[:, 2]), np.sin(pose[:, 2])))
        forward = (heading * velocity[:, :2]).sum(axis=1)
        turn = np.abs(velocity[:, 2])
        wheels = np.where(two_wheels, np.abs(forward) + 0.5 * team.wheel_base * turn, norm(velocity[:, :2]))
        assert (wheels <= team.max_speed * (1.0 + 1e-12)).all()
        assert (turn <= team.max_turn_rate * (1.0 + 1e-12)).all()
        assert (turn * team.max_speed <= np.abs(forward) * team.max_turn_rate + 1e-12)[car].all()
        sideways = heading[:, 0] * velocity[:, 1] - heading[:, 1] * velocity[:, 0]
        assert np.abs(sideways[rolls]).max(initial=0.0) < 1e-12
        before = (along * state.velocity[:, :2]).sum(axis=1)
        change = np.where(rolls, np.abs(forward - before), norm(velocity[:, :2] - state.velocity[:, :2]))
        assert (change <= team.max_acceleration * dt + 1e-12).all()
        state, along = at(pose, velocity=velocity), heading


@given(st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_unbounded_robots_move_as_their_model_predicts(seed):
    rng = np.random.default_rng(seed)
    n, dt = 5, float(rng.uniform(0.001, 0.5))
    state = at(rng.uniform(-3.0, 3.0, (n, 3)))
    twist = rng.normal(0.0, 2.0, (n, 3)) * rng.integers(0, 2, (n, 3))
    for model in ("omni", "differential", "car"):
        team = fleet(model, max_speed=1e3, max_acceleration=1e9, max_turn_rate=1e9, n=n)
        twist[:, 0] = np.where(twist[:, 0] == 0.0, 1.0, twist[:, 0])
        twist[:, 1] *= model == "omni"
        _, pose, _ = actuate(state, twist, team, dt)
        assert np.allclose(pose, ROBOTS[model].predict(state.pose, twist, dt), rtol=0.0, atol=1e-9)


def test_a_mixed_fleet_moves_like_its_parts():
    team, state, _, rng = random_swarm(5, False)
    twist = random_twist(rng, len(team))
    whole = actuate(state, twist, team, 0.05)
    for robots in team.models.values():
        part = actuate(at(state.pose[robots], velocity=state.velocity[robots]), twist[robots], team.take(robots), 0.05)
        for values, expected in zip(part, whole):
            assert (values == expected[robots]).all()


@pytest.mark.parametrize("dt", [0.05, 0.01, 0.005])
def test_turning_to_its_course_does_not_bend_it(dt):
    """A robot at right angles to its course, with nothing to change, keeps its course while it turns to face it."""
    robots = fleet("omni")
    engine = PlanarEngine(robots, at((0.0, 0.0, np.pi / 2), velocity=(0.5, 0.0, 0.0)), None, dt)
    for _ in range(40):
        told, _ = command(engine.truth(), np.zeros((1, 2)), robots, None, Motion(), SeparationFilter(), 0.05)
        for _ in range(round(0.05 / dt)):
            engine.step(told)
    vx, vy, _ = engine.truth().velocity[0]
    assert abs(engine.truth().pose[0, 2]) < 0.05
    assert np.arctan2(vy, vx) == pytest.approx(0.0, abs=0.01)
    assert np.hypot(vx, vy) == pytest.approx(0.5, rel=0.01)
