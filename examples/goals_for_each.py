"""A goal for each robot: nine robots leave their grid for places on a ring, each to its own."""

import numpy as np

import swarm_control as sc

N, RADIUS = 9, 2.0
angle = np.linspace(-np.pi, np.pi, N, endpoint=False)
places = RADIUS * np.column_stack((np.cos(angle), np.sin(angle)))

robots = sc.RobotGroup(count=N, radius=0.1, max_speed=0.8, max_acceleration=2.0, start=sc.Start(pattern="grid", spacing=0.5))
ring = sc.Goal(each=tuple(map(float, places.ravel())), arrival_radius=0.1, fraction=1.0)  # x0, y0, x1, y1, … in the robots' order
scenario = sc.Scenario(robots=(robots,), goals=(ring,), duration=30.0)

# The separation filter changes velocities as little as it takes to keep robots apart.
sim = sc.Simulation(scenario, seed=1, set={"arrival.weight": 1.0, "separation_filter.enabled": True})
summary = sim.run(until="arrival").metrics()
off = np.linalg.norm(sim.state.position - places, axis=1)
print(f"{100 * summary['arrived_fraction']:.0f} % arrived after {summary['arrival_time']} s with {summary['collisions']} collisions")
print(f"at most {100 * off.max():.0f} cm from their places")
