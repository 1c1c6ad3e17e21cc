"""A scenario as a parallel environment of PettingZoo. Needs the extra ``rl``."""

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from swarm_control.analysis.rl.array_env import ArrayEnv
from swarm_control.core.geometry import Array


class SwarmParallelEnv(ParallelEnv):
    """An :class:`~swarm_control.analysis.rl.array_env.ArrayEnv` by PettingZoo's protocol; the robots' names are the agents."""

    def __init__(self, env: ArrayEnv, render_mode: str | None = None) -> None:
        self.metadata = {"name": f"swarm_control_{env.simulation.scenario.name}", "render_modes": ["rgb_array"], "is_parallelizable": True}
        self.env, self.render_mode = env, render_mode
        self.possible_agents: list[str] = list(env.names)
        self.agents: list[str] = []
        self.observation_spaces = {name: Box(-np.inf, np.inf, (env.size,), np.float32) for name in self.possible_agents}
        self.action_spaces = {
            name: Box(-float(most), float(most), (2,), np.float32) for name, most in zip(self.possible_agents, env.limit)
        }  # fmt: skip

    def observation_space(self, agent: str) -> Box:
        """The same object for an agent at any time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Box:
        """The same object for an agent at any time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Array], dict[str, dict[str, Any]]]:
        """Begin an episode; a ``seed`` settles it and all that follow."""
        rows = self.env.reset(seed)
        self.agents = self.possible_agents.copy()
        return dict(zip(self.agents, rows)), {name: {} for name in self.agents}

    def step(self, actions: dict[str, Array]) -> tuple[dict[str, Any], ...]:
        """Observations, rewards, terminations, truncations and infos by agent; the episode ends for all agents at once."""
        names = self.agents
        chosen = np.array([actions.get(name, (0.0, 0.0)) for name in self.possible_agents], float)
        rows, rewards, ended, late, info = self.env.step(chosen)
        infos = {name: {key: bool(info[key][k]) for key in ("arrived", "touching")} for k, name in enumerate(names)}
        if ended or late:
            self.agents = []
        return (
            dict(zip(names, rows)), dict(zip(names, map(float, rewards))), dict.fromkeys(names, ended), dict.fromkeys(names, late), infos
        )  # fmt: skip

    def render(self) -> NDArray[np.uint8] | None:
        """The scene from above as an RGB picture (H, W, 3)."""
        return self.env.render() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Nothing is held."""


def parallel_env(scenario: Any = "migrate_boxes", *, render_mode: str | None = None, **options: Any) -> SwarmParallelEnv:
    """A parallel environment of PettingZoo; ``options`` are those of :class:`~swarm_control.analysis.rl.array_env.ArrayEnv`."""
    return SwarmParallelEnv(ArrayEnv(scenario, **options), render_mode)
