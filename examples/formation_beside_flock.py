"""A formation and a flock in one swarm: a group may keep a formation while the others flock."""

import swarm_control as sc

# The scenario that is shipped; its YAML file has the same keys as what is read here.
sim = sc.Simulation("formation_beside_flock", seed=2)
print("the wedge keeps", sim.get("groups.wedge.formation.shape"), "with", sim.get("groups.wedge.formation.spacing"), "m between robots")

# A parameter of one group is called groups.NAME.… and may be changed at any time.
sim.run(until=4.0)
sim.set({"groups.flock.cohesion.weight": 1.0})
sim.run(until=12.0)

wedge, flock = (sim.metrics()["groups"][name] for name in ("wedge", "flock"))
print(f"formation error {1000 * wedge['formation_error_mean']:.0f} mm; {100 * flock['arrived_fraction']:.0f} % of the flock has arrived")
