"""A scenario as an environment of PettingZoo (pip install 'swarm_control[rl]'), with a policy that acts at random.

Actions are velocities that motion model, separation filter and the robots' limits turn into commands: a policy cannot do what a robot
cannot. What an observation holds is written at swarm_control.analysis.rl.policy_input.ObservationLayout.
"""

import swarm_control as sc

env = sc.parallel_env("migrate_boxes", robots=4, duration=4.0, render_mode="rgb_array")
observations, infos = env.reset(seed=1)
for k, agent in enumerate(env.agents):
    env.action_space(agent).seed(k)

total = dict.fromkeys(env.agents, 0.0)
while env.agents:
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}  # here a policy would look at observations[agent]
    observations, rewards, terminations, truncations, infos = env.step(actions)
    for agent, reward in rewards.items():
        total[agent] += reward

print("rewards:", {agent: round(value, 2) for agent, value in total.items()})
print("picture:", env.render().shape)
