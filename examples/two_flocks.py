"""Two flocks that cross: each group of robots has goals and weights of its own; robots of both see and avoid each other."""

import swarm_control as sc

# Robots are in a group by name. All of them have the same control unless their group says otherwise.
red = sc.RobotGroup(count=8, group="red", max_speed=0.6, max_acceleration=2.0, start=sc.Start(center=(-2.5, 0.0), spacing=0.4))
blue = sc.RobotGroup(count=8, group="blue", max_speed=0.6, max_acceleration=2.0, start=sc.Start(center=(0.0, -2.5), spacing=0.4))
scenario = sc.Scenario(
    robots=(red, blue),
    groups={
        "red": sc.Group(goals=(sc.Goal(position=(2.5, 0.0), arrival_radius=1.2),)),
        "blue": sc.Group(goals=(sc.Goal(position=(0.0, 2.5), arrival_radius=1.2),), control={"separation": {"distance": 0.3}}),
    },
    duration=30.0,
)

# Parameters by their dotted names, as on the command line with --set.
common = {"perception.radius": 2.0, "separation.weight": 1.0, "separation.distance": 0.5, "cohesion.weight": 0.2, "arrival.weight": 1.0}
sim = sc.Simulation(scenario, seed=4, set={**common, "separation_filter.enabled": True})
summary = sim.run(until="arrival").metrics()

for name, group in summary["groups"].items():
    print(f"{name}: {100 * group['arrived_fraction']:.0f} % arrived, after {group['arrival_time']:.1f} s")
print(f"{summary['collisions']} collisions, never nearer than {summary['min_separation']:.2f} m")
