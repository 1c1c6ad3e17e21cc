"""Way: how far robots go."""

import numpy as np

import swarm_control as sc


@sc.register_metric("way", sc.Measure("mean_way", "m", "length of the way gone, mean over robots", better="less"))
class Way:
    """How far robots went, detours included."""

    def __init__(self, fleet: sc.Fleet, grid: sc.Grid | None) -> None:
        self._gone = np.zeros(len(fleet))
        self._last: np.ndarray | None = None

    def add(self, state: sc.SwarmState, formation_error: float | None) -> None:
        """Called once per tick with the true state."""
        if self._last is not None:
            self._gone += np.linalg.norm(state.position - self._last, axis=1)
        self._last = state.position

    def values(self, run: sc.RunFacts) -> dict[str, float]:
        """Into summary.json."""
        return {"mean_way": float(self._gone.mean())}
