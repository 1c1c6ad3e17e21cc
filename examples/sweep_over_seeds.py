"""A study: one parameter, several seeds, and a picture with mean and spread. Argument: the picture's file."""

import sys

import matplotlib

matplotlib.use("Agg")  # draw into files, without a window
import matplotlib.pyplot as plt
import numpy as np

import swarm_control as sc

WEIGHTS, SEEDS = (0.05, 0.2, 0.5), range(100, 104)

# How well a flock keeps together and agrees on its course, by how much it aligns.
order = np.array([
    [sc.Simulation("flock_frame", seed=seed, set={"alignment.weight": w}).run(until=3.0).metrics()["polarization"] for seed in SEEDS]
    for w in WEIGHTS
])  # fmt: skip

out = sys.argv[1] if len(sys.argv) > 1 else "sweep.png"
plt.errorbar(WEIGHTS, order.mean(axis=1), order.std(axis=1, ddof=1), marker="o", capsize=4)
plt.xlabel("alignment.weight (1/s)")
plt.ylabel("polarization")
plt.savefig(out, dpi=80)
print(f"polarization {order.mean(axis=1).round(2)} for weights {WEIGHTS}, over {len(SEEDS)} seeds: {out}")
