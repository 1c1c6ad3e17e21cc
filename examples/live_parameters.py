"""Changing parameters while a simulation runs, and looking at what the behaviours do."""

import numpy as np

import swarm_control as sc

sim = sc.Simulation("flock_frame", seed=7)
print("separation.weight is", sim.get("separation.weight"))


def spacing():
    """Mean distance (m) from each robot to its nearest."""
    distance = np.linalg.norm(sim.state.position[:, None] - sim.state.position[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    return distance.min(axis=1).mean()


sim.run(until=4.0)
near = spacing()

# All changes that are made at once hold from the next step on; a value that cannot be is refused in one line.
sim.set({"separation.weight": 1.0, "separation.distance": 1.0, "cohesion.weight": 0.0})
try:
    sim.set({"separation.weight": -1.0})
except sc.InputError as error:
    print("refused:", error)

sim.run(until=9.0)
granted = sim.last.tick.accumulated  # what each behaviour was granted of its request in the last step
print(f"spacing {near:.2f} m before, {spacing():.2f} m after; at work: {', '.join(granted.names)}")
