"""The laws between all kinds of robots, as numbers that compiled loops read."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.social.laws import Law, laws_between

SHORT = 7
"""Polynomials with at most so many coefficients are summed by vector instructions."""


@dataclass(frozen=True)
class LawTable:
    """What a robot of kind ``on`` feels of one of kind ``of``: entries e from ``first[on, of]`` to ``first[on, of + 1] − 1``.

    ``first`` (K, K + 1). The force over the distance r is ``Σ_m whole[e, m]·u^m``, u being 1/r², or 1/r where ``root[e]``, plus
    ``Σ_q broken[e, q, 0]·r^(−broken[e, q, 1])``, for ``near[e] ≤ r ≤ far[e]`` m. ``terms[e]``: how many of ``whole`` and of ``broken``
    are in use.
    """

    first: IntArray
    root: BoolArray
    whole: Array
    broken: Array
    terms: IntArray
    near: Array
    far: Array

    @cached_property
    def arrays(self) -> tuple[Array, ...]:
        """The fields in the order in which kernels take them."""
        return self.first, self.root, self.whole, self.broken, self.terms, self.near, self.far  # type: ignore[return-value]


@lru_cache(maxsize=64)
def law_table(laws: tuple[Law, ...], kinds: tuple[frozenset[str], ...]) -> LawTable:
    """Put ``laws`` together for robots in these sets of groups; laws with the same range become one entry."""
    first = np.zeros((len(kinds), len(kinds) + 1), np.int64)
    entries: list[tuple[tuple[float, float], dict[float, float]]] = []
    for on, feeling in enumerate(kinds):
        first[on, 0] = len(entries)
        for of, exerting in enumerate(kinds):
            found: dict[tuple[float, float], dict[float, float]] = {}
            for law in laws_between(laws, feeling, exerting):
                powers = found.setdefault((law.near, law.far or np.inf), {})
                for c, exponent in law.powers:
                    powers[exponent + 1.0] = powers.get(exponent + 1.0, 0.0) + c
            entries += [(reach, powers) for reach, powers in found.items() if any(powers.values())]
            first[on, of + 1] = len(entries)
    return _tabulate(first, entries)


def _tabulate(first: IntArray, entries: list[tuple[tuple[float, float], dict[float, float]]]) -> LawTable:
    n = len(entries)
    root, terms = np.zeros(n, bool), np.zeros((n, 2), np.int64)
    near, far = (np.array([reach[k] for reach, _ in entries]).reshape(n) for k in range(2))
    whole: list[Array] = []
    broken: list[list[tuple[float, float]]] = []
    for e, (_, powers) in enumerate(entries):
        exponents = [p for p in powers if p == int(p)]
        root[e] = any(p % 2 for p in exponents)
        step = 1 if root[e] else 2
        row = np.zeros(int(max(exponents, default=0)) // step + 1)
        for p in exponents:
            row[int(p) // step] += powers[p]
        whole.append(row)
        broken.append([(c, p) for p, c in powers.items() if p != int(p)])
        terms[e] = len(row), len(broken[e])
    wide = np.zeros((n, max([SHORT, *map(len, whole)])))
    odd = np.zeros((n, max([1, *map(len, broken)]), 2))
    for e in range(n):
        wide[e, : len(whole[e])] = whole[e]
        odd[e, : len(broken[e])] = np.array(broken[e]).reshape(-1, 2)
    return LawTable(first, root, wide, odd, terms, near, far)
