"""Robots come to rest at their goals, whatever point they are moved by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from swarms import fleet

import swarm_control as sc
from swarm_control.behaviours.arrival import approach, ramp
from swarm_control.core.state import Surroundings, SwarmState

PLACES = np.array([[4.0, 1.0], [4.0, -1.5], [2.0, 2.5], [-1.5, -0.6]])


@pytest.mark.parametrize(("model", "radius", "speed", "weight", "slowing", "look_ahead", "off"), [
    ("omni", 0.15, 1.0, 1.3, 1.0, 0.16, 0.001),
    ("differential", 0.16, 1.4, 0.42, 1.6, 0.2, 0.1),
    ("differential", 0.15, 1.0, 1.3, 1.0, 0.16, 0.04),
    ("differential", 0.06, 0.2, 3.7, 0.8, 0.11, 0.02),
    ("car", 0.15, 0.8, 2.0, 1.0, 0.16, 0.04),
])  # fmt: skip
@pytest.mark.parametrize(
    ("behaviour", "gain"), [("arrival", 1.0), pytest.param("arrival", 5.0, marks=pytest.mark.study), ("guidance", 1.0)]
)
def test_robots_rest_at_places_of_their_own(behaviour, model, radius, speed, weight, slowing, look_ahead, off, gain):
    robots = sc.RobotGroup(count=4, model=model, radius=radius, max_speed=speed, max_acceleration=2.0,
                           start=sc.Start(pattern="grid", spacing=5.0 * radius))  # fmt: skip
    goal = sc.Goal(each=tuple(map(float, PLACES.ravel())), arrival_radius=0.1, fraction=1.0)
    changes = {f"{behaviour}.weight": weight / gain, "accumulation.gain": gain, f"{behaviour}.slowing_distance": slowing,
               "motion.look_ahead": look_ahead, "separation_filter.enabled": True}  # fmt: skip
    sim = sc.Simulation(sc.Scenario(robots=(robots,), goals=(goal,), duration=200.0), seed=56, set=changes)
    for _ in range(1500):
        sim.step()
    fastest = farthest = 0.0
    for _ in range(100):
        sim.step()
        fastest = max(fastest, float(np.hypot(*sim.state.velocity[:, :2].T).max()))
        farthest = max(farthest, float(np.hypot(*(sim.state.position - PLACES).T).max()))
    assert farthest < off
    assert fastest < 0.1 * off + 1e-4, "a robot that circles its place is not at rest"


@pytest.mark.parametrize("behaviour", ["arrival", "guidance"])
@pytest.mark.parametrize(("speed", "rate"), [(0.5, 0.8), (1.0, 3.0), (1.2, 0.6)])
def test_cars_come_to_places_beside_them_however_wide_they_turn(behaviour, speed, rate):
    count, turn, rng = 24, speed / rate, np.random.default_rng(17)
    starts = 8.0 * np.array([(k % 5, k // 5) for k in range(count)], float)
    pose = np.column_stack((starts, rng.uniform(-180.0, 180.0, count)))
    places = starts + turn * rng.uniform(-1.8, 1.8, (count, 2))  # most of them within a turning circle
    robots = sc.RobotGroup(count=count, model="car", radius=0.1, max_speed=speed, max_turn_rate=rate,
                           start=sc.Start(pattern="poses", poses=tuple(map(tuple, pose.tolist()))))  # fmt: skip
    goal = sc.Goal(each=tuple(places.ravel().tolist()), arrival_radius=0.15 * turn, fraction=1.0)
    sim = sc.Simulation(sc.Scenario(robots=(robots,), goals=(goal,), duration=90.0), set={f"{behaviour}.weight": 1.0})
    sim.run(until=80.0)
    assert np.hypot(*(sim.state.position - places).T).max() < min(0.15 * turn, 0.06), "half a footprint, or less"
    assert np.abs(sim.state.velocity).max() < 0.005


@given(st.integers(0, 10**6), st.floats(0.2, 3.0), st.floats(0.3, 3.0))
def test_the_ramp_is_no_steeper_than_the_point_that_is_moved_can_follow(seed, slowing, weight):
    """The velocity to gain as ``approach`` documents it, for robots that are moved by a point ahead of their axle."""
    rng, n = np.random.default_rng(seed), 12
    robots, lead, gain = fleet(n, "differential"), 0.2, 5.0
    pose, velocity = rng.uniform(-1.0, 1.0, (n, 3)) * [3.0, 3.0, np.pi], rng.uniform(-1.0, 1.0, (n, 3))
    goal = pose[:, :2] + rng.uniform(0.01, 2.0, (n, 1)) * rng.normal(size=(n, 2))
    around = Surroundings(robots, goal, np.zeros(2), lead=np.full((n, 2), lead), gain=gain)
    got = approach(SwarmState.of(0.0, pose, velocity), around, slowing, weight)
    way = goal - pose[:, :2]
    d = np.linalg.norm(way, axis=1)
    share, near = ramp(d, slowing), d < slowing
    speed = np.where(near, np.minimum(share * robots.max_speed, 0.5 * weight * gain * d * (1.0 + (d / lead) ** 2)), robots.max_speed)
    turn = np.where(near, 1.0 - share, 0.0) * lead * velocity[:, 2]
    swept = turn[:, None] * np.column_stack((-np.sin(pose[:, 2]), np.cos(pose[:, 2])))
    assert got == pytest.approx(way * (speed / d)[:, None] - velocity[:, :2] - swept)
