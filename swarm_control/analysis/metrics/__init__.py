"""Metrics: one file each, which registers itself; see :class:`~swarm_control.analysis.metric.Metric`.

To add one, write a file here with a class that takes note of every tick, decorated by ``register_metric``: the summary, objectives of
tuning, and lists follow.
"""

from swarm_control.analysis.metric import METRICS

METRICS.load(__name__)

__all__ = ["METRICS"]
