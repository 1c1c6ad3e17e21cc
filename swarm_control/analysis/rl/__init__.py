"""Reinforcement learning: a scenario as an environment, on arrays, and as one of PettingZoo.

A policy moves the robots; motion models, separation filter, fence and the robots' limits stay as they are in any run. PettingZoo's
protocol is :mod:`swarm_control.analysis.rl.pettingzoo_env`, which needs the extra ``rl``.
"""

from swarm_control.analysis.rl.array_env import ArrayEnv
from swarm_control.analysis.rl.reward import Transition, progress_minus_contacts

__all__ = ["ArrayEnv", "Transition", "progress_minus_contacts"]
