"""Learning without any library: random search for a linear policy, on the environment's arrays.

The reward is the way that robots come nearer to their goal, less contacts; the policy weighs the direction to the goal, the push away from
the nearest robot, and the way to walls.
"""

import numpy as np

import swarm_control as sc

env = sc.ArrayEnv("migrate_boxes", robots=4, duration=5.0, hold=4)  # a step lasts four control periods
AWAY = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0.0, 2.0 * np.pi, env.layout.rays, endpoint=False)])


def episode(weights, seed):
    """The mean reward of an episode."""
    rows, total, over = env.reset(seed), 0.0, False
    while not over:
        near = rows[:, 7:9] / np.maximum(np.linalg.norm(rows[:, 7:9], axis=1, keepdims=True), 1e-6) ** 2
        free = np.exp(-4.0 * rows[:, -env.layout.rays :]) @ AWAY
        action = weights[0] * rows[:, 2:4] - weights[1] * near - weights[2] * free
        rows, reward, done, late, _ = env.step(action)
        total, over = total + reward.mean(), done or late
    return total


rng, best = np.random.default_rng(0), np.zeros(3)
first = score = episode(best, 1)
for _ in range(8):
    trial = best + rng.normal(0.0, 0.5, 3)
    found = episode(trial, 1)
    if found > score:
        best, score = trial, found
print(f"reward {first:.2f} at first, {score:.2f} after eight trials; weights {best.round(2)}; on another seed {episode(best, 2):.2f}")
