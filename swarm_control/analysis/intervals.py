"""How sure a mean is."""

import numpy as np

from swarm_control.core.geometry import Array


def interval(values: Array) -> float:
    """Half-width of the mean's 95 % confidence interval, by Student's t; 0 for a single value."""
    from scipy.stats import t

    n = len(values)
    return float(t.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else 0.0


def share_interval(successes: int, count: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share, by Wilson's score (1927)."""
    from scipy.stats import binomtest

    found = binomtest(successes, count).proportion_ci(0.95, method="wilson")
    return float(found.low), float(found.high)
