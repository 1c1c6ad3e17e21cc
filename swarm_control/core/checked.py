"""What behaviours and robot models hand back, looked at as it comes: a plugin's mistake is told by the plugin's name."""

import math
import warnings
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.parameters import short
from swarm_control.errors import InputError


def rows(made: Any, count: int, columns: int, who: str, what: str) -> Array:
    """``made`` if it is an array (``count``, ``columns``) of real numbers; else ``InputError`` that says ``who`` made it, and ``what``."""
    if type(made) is np.ndarray and made.shape == (count, columns) and made.dtype.kind in "fiu":
        return made
    found = f"an array {made.shape} of {made.dtype}" if isinstance(made, np.ndarray) else short(made)
    raise InputError(who, f"{found} found as {what}, expected an array ({count}, {columns}) of numbers")


def unfit(values: Array, among: BoolArray) -> BoolArray | None:
    """Which rows (N,) of ``values`` (N, …), ``among`` some, are not finite; None, soon known, when nothing is amiss anywhere."""
    if math.isfinite(values.sum()):
        return None
    return np.asarray(~np.isfinite(values).all(axis=1) & among)


def tell(who: str, what: str) -> None:
    """Say once in a process that ``who`` makes numbers of ``what`` that are not finite."""
    warnings.warn(f"{who}: {what} that is not finite found; it counts as zero", RuntimeWarning, stacklevel=2)
