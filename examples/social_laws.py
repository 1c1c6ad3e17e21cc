"""Social potential fields: robots attract and repel each other by laws between groups (Reif & Wang)."""

import numpy as np

import swarm_control as sc

LAWS = [
    # within a team: come together, but not nearer than 0.6 m
    {"acts_on": "cats", "of": "cats", "equilibrium": 0.6, "repulsion": 3, "attraction": 1, "strength": 0.4},
    {"acts_on": "mice", "of": "mice", "equilibrium": 0.6, "repulsion": 3, "attraction": 1, "strength": 0.4},
    # mice run from cats: c/r^s with c below zero repels
    {"acts_on": "mice", "of": "cats", "terms": [-1.0, 1]},
]
team = {"max_speed": 0.8, "max_acceleration": 2.0}
scenario = sc.Scenario(
    robots=(
        sc.RobotGroup(count=6, group="cats", start=sc.Start(radius=2.0), **team),
        sc.RobotGroup(count=10, group="mice", start=sc.Start(radius=2.0), **team),
    ),
    duration=10.0,
)
changes = {"social.weight": 1.0, "social.laws": LAWS, "social.friction": 1.5, "accumulation.method": "weighted"}
sim = sc.Simulation(scenario, seed=5, set={**changes, "separation_filter.enabled": True})


def gap():
    """Least distance between a cat and a mouse."""
    cats, mice = sim.state.position[:6], sim.state.position[6:]
    return np.linalg.norm(cats[:, None] - mice[None], axis=2).min()


before = gap()
sim.run()
print(f"the nearest cat and mouse are {before:.2f} m apart at first, {gap():.2f} m in the end")
