"""The environments: what a policy is told, what it may do, what it is rewarded for; and PettingZoo's own tests."""

import numpy as np
import pytest

import swarm_control as sc
from swarm_control.analysis.rl.policy_input import OWN, PER_NEIGHBOUR, ObservationLayout, PolicyInput, nearest
from swarm_control.core.grid import Grid
from swarm_control.core.state import SwarmState


def options(**changes):
    return {"robots": 4, "duration": 2.0, **changes}


def test_an_observation_is_laid_out_as_written():
    pose = np.array([(0.0, 0.0, 0.5), (1.0, 0.0, 0.0), (0.0, -3.0, 0.0), (-2.0, 0.0, 0.0)])
    velocity = np.array([(0.1, 0.2, 0.0), (0.5, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, -0.4, 0.0)])
    goal = np.array([(3.0, 4.0), (np.nan, np.nan), (0.0, -3.0), (0.0, 0.0)])
    rows = PolicyInput(ObservationLayout(neighbours=2), None).observe(SwarmState.of(0.0, pose, velocity), goal)
    expected = [0.1, 0.2, 0.6, 0.8, 5.0, np.cos(0.5), np.sin(0.5), 1.0, 0.0, 0.4, -0.2, 1.0, -2.0, 0.0, -0.1, -0.6, 1.0]
    assert rows.dtype == np.float32 and rows.shape == (4, OWN + 2 * PER_NEIGHBOUR)
    assert np.allclose(rows[0], expected)
    assert not rows[1, 2:5].any() and not rows[2, 2:5].any()
    alone = PolicyInput(ObservationLayout(neighbours=2), None).observe(SwarmState.of(0.0, pose[:1], velocity[:1]), goal[:1])
    assert not alone[0, OWN:].any()


def test_rays_end_at_walls():
    occupied = np.zeros((40, 40), bool)
    occupied[:, 30] = occupied[35] = True  # walls at x = 3 m and y = 3.5 m
    layout = ObservationLayout(neighbours=0, rays=4, reach=2.5)
    rows = PolicyInput(layout, Grid(occupied, (0.0, 0.0), 0.1)).observe(
        SwarmState.of(0.0, np.array([(1.0, 2.0, 1.0)]), np.zeros((1, 3))), np.full((1, 2), np.nan)
    )  # fmt: skip
    assert np.allclose(rows[0, OWN:], [2.0, 1.5, 2.5, 2.5], atol=2e-3)


@pytest.mark.parametrize("n", [2, 30, 400])
def test_the_nearest_are_found(n):
    position = np.random.default_rng(n).uniform(0.0, 5.0, (n, 2))
    distance = np.linalg.norm(position[:, None] - position[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    k = min(4, n - 1)
    assert np.array_equal(nearest(position, 4), np.argsort(distance, axis=1)[:, :k])


def test_a_seed_settles_all_episodes():
    def flown(seed):
        env, found = sc.ArrayEnv("migrate_boxes", **options(duration=1.0)), []
        for k in range(2):
            rows, late = env.reset(seed if k == 0 else None), False
            while not late:
                rows, reward, _, late, _ = env.step(rows[:, 2:4])
                found.append(np.column_stack((rows, reward)))
        return np.array(found)

    assert np.array_equal(flown(1), flown(1)) and not np.array_equal(flown(1), flown(2))
    one = flown(1)
    assert not np.array_equal(one[:20], one[20:])


def test_whoever_goes_to_the_goal_is_rewarded_by_the_way_and_time_runs_out():
    env = sc.ArrayEnv("migrate_boxes", **options())
    rows = env.reset(3)
    first, total, steps, over = rows[:, 4].copy(), np.zeros(4), 0, False
    while not over:
        rows, reward, ended, over, info = env.step(rows[:, 2:4])
        total, steps = total + reward, steps + 1
        assert not ended
    assert steps == 40 and info["collisions"] == 0
    assert np.allclose(total, first - rows[:, 4], atol=1e-4) and (total > 0.5).all()


def test_it_ends_when_all_are_there():
    scenario = sc.Scenario(robots=(sc.RobotGroup(count=3),), goals=(sc.Goal(position=(1.0, 0.0), fraction=1.0),), duration=30.0)
    env = sc.ArrayEnv(scenario, set={"separation_filter.enabled": True})
    rows, ended, late = env.reset(1), False, False
    while not (ended or late):
        rows, _, ended, late, info = env.step(rows[:, 2:4] * np.minimum(rows[:, 4:5], 1.0))
    assert ended and not late and env.simulation.time < 15.0 and info["arrived"].all()


def crash(**changes):
    """Two robots that a policy drives into each other: least distance of centres, and the rewards' sum."""
    robots = sc.RobotGroup(count=2, radius=0.1, max_acceleration=2.0, start=sc.Start(pattern="poses", poses=((0, 0, 0), (2, 0, 180))))
    env, total, apart = sc.ArrayEnv(sc.Scenario(robots=(robots,), duration=4.0), set=changes), 0.0, np.inf
    env.reset(0)
    for _ in range(80):
        _, reward, _, _, info = env.step(np.array([(1.0, 0.0), (-1.0, 0.0)]))
        total += reward.sum()
        apart = min(apart, np.hypot(*np.diff(env.simulation.state.position, axis=0)[0]))
    return apart, total, info["collisions"]


def test_the_separation_filter_stays_in_force_and_contacts_cost():
    apart, total, collisions = crash(**{"separation_filter.enabled": True})
    assert apart > 0.2 and total == 0.0 and collisions == 0, "they stop, or pass each other"
    apart, total, collisions = crash()
    assert total < -2.0 and collisions == 1


def test_a_reward_of_ones_own_sees_the_step():
    seen = []

    def reward(step):
        seen.append(step)
        return -np.hypot(*step.action.T)

    env = sc.ArrayEnv("migrate_boxes", **options(reward=reward, action="acceleration", hold=3))
    env.reset(1)
    found = env.step(np.full((4, 2), np.inf))[1]
    assert not found.any() and seen[0].duration == pytest.approx(0.15) and not seen[0].after.velocity[:, :2].any()
    found = env.step(np.full((4, 2), 100.0))[1]
    assert np.allclose(found, -np.hypot(env.limit, env.limit))


def test_the_picture_shows_walls_and_robots():
    env = sc.ArrayEnv("migrate_boxes", **options())
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.shape[2] == 3 and len(np.unique(picture.reshape(-1, 3), axis=0)) >= 5


def test_pettingzoo_finds_nothing_wrong():
    pytest.importorskip("pettingzoo", reason="pettingzoo is not installed (extra rl)")
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    parallel_api_test(sc.parallel_env("migrate_boxes", **options()), num_cycles=100)
    parallel_seed_test(lambda: sc.parallel_env("flock_frame", **options(set={"simulator.noise_speed": 0.05})), num_cycles=30)


def test_agents_are_the_robots_and_leave_together():
    pytest.importorskip("pettingzoo", reason="pettingzoo is not installed (extra rl)")
    env = sc.parallel_env("migrate_boxes", **options(duration=0.5))
    env.reset(1)
    assert env.agents == ["robot_0", "robot_1", "robot_2", "robot_3"] and env.render() is None
    assert env.action_space("robot_0").high.tolist() == pytest.approx(env.env.limit[:1].tolist() * 2)
    for _ in range(10):
        *_, truncations, infos = env.step({name: env.action_space(name).sample() for name in env.agents})
    assert all(truncations.values()) and set(infos) == set(env.possible_agents) and env.agents == []


@pytest.mark.parametrize("mapped", [False, True])
def test_the_picture_is_to_scale(mapped):
    """Every robot's disc, its nose ahead, the goal, and walls are where they are on the floor."""
    first, second, goal = ((-4.0, -4.0), (-3.0, -3.5), (-3.4, -4.0)) if mapped else ((-1.0, -1.0), (2.0, 1.5), (2.5, -2.0))
    robots = sc.RobotGroup(count=2, radius=0.2, start=sc.Start(pattern="poses", poses=((*first, 0), (*second, 90))))
    scenario = sc.Scenario(robots=(robots,), goals=(sc.Goal(position=goal),), **({"world": "boxes.world"} if mapped else {}))
    env = sc.ArrayEnv(scenario)
    image, grid = env.render().astype(int), env.simulation.setup.grid
    if mapped:
        low, high = np.array(grid.origin), np.array(grid.origin) + np.array(grid.occupied.shape[::-1]) * grid.resolution
    else:
        low, high = np.array([-1.5, -2.5]), np.array([3.0, 2.0])
    scale = 480 / (high - low).max()
    assert image.shape[:2] == tuple(int(side) for side in ((high - low) * scale)[::-1])

    def colour(x, y):
        return tuple(image[min(int((high[1] - y) * scale), len(image) - 1), min(int((x - low[0]) * scale), image.shape[1] - 1)])

    for (x, y), ahead in ((first, (1.0, 0.0)), (second, (0.0, 1.0))):
        behind = (x - 0.12 * ahead[0], y - 0.12 * ahead[1])
        nose = {colour(x + r * ahead[0], y + r * ahead[1]) for r in (0.1, 0.15, 0.18)}
        assert colour(*behind) == (40, 90, 170) and (250, 210, 60) in nose
        assert colour(x + 0.24 * ahead[1], y + 0.24 * ahead[0]) == (255, 255, 255), "no wider than it is"
    assert (120, 190, 120) in {colour(goal[0] + dx, goal[1]) for dx in (-0.05, 0.0, 0.05)}
    if mapped:
        rows, columns = np.nonzero(grid.occupied)
        middle = low + (np.column_stack((columns, rows))[:: len(rows) // 7] + 0.5) * grid.resolution
        assert {colour(*place) for place in middle} == {(70, 70, 78)}
