"""Which robots do not do as they are told: the motion that commands predict against the motion that odometry shows."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.parameters import param
from swarm_control.formation.estimate import Belief


@dataclass(frozen=True)
class Health:
    """Parameters of the failure detection."""

    window: float = param(1.0, "time over which motion is averaged", unit="s", low=0.05, high=60.0)
    share: float = param(0.5, "a robot has failed when it lacks more than this share of the motion it was told", low=0.05, high=1.0)
    floor: float = param(0.01, "slower commands say nothing about a robot", unit="m/s", low=0.0, high=10.0)
    lever: float = param(0.1, "turning counts as motion of a point this far out", unit="m", low=0.0, high=10.0)
    drop_after: float = param(0.0, "a robot that has failed for this long is dropped; 0: never", unit="s", low=0.0, high=1e6)


@dataclass(frozen=True)
class Record:
    """Per robot (N,): ``told`` and ``lacking`` speed (m/s), averages over the window; ``since`` (s) it lacks motion; ``failed``.

    ``judged`` (N,): of whom it is known what they were told; of the others somebody else tells whether they have failed. None: of all.
    """

    told: Array
    lacking: Array
    failed: BoolArray
    since: Array
    judged: BoolArray | None = None

    @classmethod
    def clean(cls, count: int) -> "Record":
        """Nothing is known against anybody."""
        zero = np.zeros(count)
        return cls(zero, zero, np.zeros(count, bool), zero)


def watch(record: Record, belief: Belief, period: float, params: Health) -> Record:
    """The record after one more period (s).

    Equations: with e the expected motion and c the correction (x, y and lever·θ), ``told ← ‖e‖/T`` and ``lacking ← −c·e/(‖e‖T)``, both
    through a first-order filter of time constant ``window``. Failed: ``lacking > share·told`` for half a window; robots are judged only
    while ``told > floor`` and else keep their verdict.
    """
    scale = np.array([1.0, 1.0, params.lever])
    expected, correction = belief.expected * scale, belief.correction * scale
    length = np.sqrt((expected**2).sum(axis=1))
    against = -(correction * expected).sum(axis=1) / np.maximum(length, 1e-12)
    blend = min(1.0, period / params.window)
    told = record.told + blend * (length / period - record.told)
    lacking = record.lacking + blend * (against / period - record.lacking)
    judged = told > params.floor
    lacks = np.where(judged, lacking > params.share * told, record.failed)
    since = np.where(lacks, record.since + period, 0.0)
    failed = np.where(judged, since >= 0.5 * params.window, record.failed)
    if record.judged is not None:
        since, failed = np.where(record.judged, since, record.since), np.where(record.judged, failed, record.failed)
    return Record(told, lacking, failed, since, record.judged)


def to_drop(record: Record, params: Health) -> BoolArray:
    """Which robots (N,) the policy drops now."""
    return record.failed & (params.drop_after > 0.0) & (record.since >= params.drop_after)
