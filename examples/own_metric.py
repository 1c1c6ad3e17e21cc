"""A metric and an objective of one's own: how evenly robots are spread."""

import numpy as np
from scipy.spatial import cKDTree

import swarm_control as sc

SPREAD = sc.Measure("spacing_spread", "", "variation of the distance to the nearest robot, mean over time", better="less")


@sc.register_metric("evenness", SPREAD)
class Evenness:
    """How evenly robots are spread."""

    def __init__(self, fleet, grid):
        """One is made for the run, and one for each group; grid is the map, or None."""
        self.seen = []

    def add(self, state, formation_error):
        """Called in every tick with the true state of the robots."""
        nearest = cKDTree(state.position).query(state.position, k=2)[0][:, 1]
        self.seen.append(nearest.std() / nearest.mean())

    def values(self, run):
        """What goes into summary.json, by the keys that were declared."""
        return {"spacing_spread": float(np.mean(self.seen))}


@sc.register_objective
def even_and_safe(summary):
    """Spread, and one for each collision."""  # to be minimised; for swarm tune, put it into a package
    return summary["spacing_spread"] + summary["collisions"]


for weight in (0.0, 0.5):
    summary = sc.Simulation("flock_frame", seed=1, set={"separation.weight": weight}).run(until=4.0).metrics()
    print(f"separation.weight {weight}: spread {summary['spacing_spread']:.2f}, objective {even_and_safe(summary):.2f}")
