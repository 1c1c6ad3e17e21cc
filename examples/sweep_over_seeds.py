"""A study: one parameter, several seeds, and a picture with means and intervals. Argument: the picture's file."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # draw into files, without a window
import matplotlib.pyplot as plt

import swarm_control as sc

WEIGHTS, SEEDS = (0.05, 0.2, 0.5), range(100, 104)


def study(picture):
    """How well a flock agrees on its course, by how much it aligns."""
    runs = picture.with_suffix("")  # a folder, in which each run is kept: called again, nothing is flown again
    rows = sc.sweep("flock_frame", {"alignment.weight": WEIGHTS}, SEEDS, set={"duration": 3.0}, out=runs)
    order = [[row["polarization"] for row in rows if row["alignment.weight"] == weight] for weight in WEIGHTS]
    plt.boxplot(order, positions=range(len(WEIGHTS)))
    plt.xticks(range(len(WEIGHTS)), WEIGHTS)
    plt.xlabel("alignment.weight (1/s)")
    plt.ylabel("polarization")
    plt.savefig(picture, dpi=80)
    means = [round(sum(values) / len(values), 2) for values in order]
    print(f"polarization {means} for weights {WEIGHTS}, over {len(SEEDS)} seeds: {picture}")


if __name__ == "__main__":  # the runs are flown by processes that import this file
    study(Path(sys.argv[1] if len(sys.argv) > 1 else "sweep.png"))
