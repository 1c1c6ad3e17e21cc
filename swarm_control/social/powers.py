"""Powers of any exponent in loops that the compiler turns into vector instructions, which it cannot do with those of the C library.

Equation: ``r^−p = 2^(−p/2·log₂ r²)``. The logarithm is the exponent of the floating-point number and, with ``s = (m − 1)/(m + 1)`` of its
mantissa m in [√½, √2), ``s·P(s²)``; the power of 2 is a whole one, put together from its bits, times a polynomial on [−½, ½]. Both
polynomials are fitted at Chebyshev's nodes. Relative error: at most 2e-13 for exponents up to 20, and 5e-14 up to 4.
"""

import numpy as np

from swarm_control.core.compiled import bits_of, float_of, njit

REORDERED = {"reassoc", "contract", "nsz"}
"""Freedoms that the compiler has; infinities and NaN keep their meaning."""

BLOCK = 256
"""Numbers that are worked on in one go, so that what is known of them stays in the processor's nearest memory."""

LOG = (
    2.885390081777864,
    0.9617966941058319,
    0.5770779437512723,
    0.4122091465903657,
    0.3199092365978983,
    0.28285716842413433,
)
"""Coefficients of P."""

EXP = (
    1.0000000000000138,
    0.6931471805599482,
    0.24022650695640396,
    0.055504108664411356,
    0.009618129193883999,
    0.001333355823633974,
    0.00015403433795501727,
    1.5252653814507514e-05,
    1.3259638244359115e-06,
    1.0209441084621084e-07,
)
"""Coefficients of the power on [−½, ½]."""

ONE, HALF, WIDE = 0x3FF0000000000000, 0x3FE6A09E667F3BCD, 0x4330000000000000
"""The bits of 1, √½ and 2⁵²."""
SHIFT = 52
"""Where in a number's bits its exponent is."""
BIAS, ROUND = 2.0**52 + 1023.0, 1.5 * 2.0**52
"""Added to a whole number they leave it in the last bits."""


@njit(cache=True, fastmath=REORDERED)
def log2(x):  # type: ignore[no-untyped-def]
    """The logarithm of x > 0 to the base of 2."""
    bits = bits_of(x)
    k = (bits + np.uint64(ONE - HALF)) >> np.uint64(SHIFT)
    m = float_of(bits - (k << np.uint64(SHIFT)) + np.uint64(ONE))
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    return (float_of(k | np.uint64(WIDE)) - BIAS) + s * (LOG[0] + q * (LOG[1] + q * (LOG[2] + q * (LOG[3] + q * (LOG[4] + q * LOG[5])))))


@njit(cache=True, fastmath=REORDERED)
def exp2(t):  # type: ignore[no-untyped-def]
    """2 to the power of t, which counts as −1000 or 1000 beyond."""
    t = min(max(t, -1000.0), 1000.0)
    k = np.floor(t + 0.5)
    f = t - k
    high = EXP[5] + f * (EXP[6] + f * (EXP[7] + f * (EXP[8] + f * EXP[9])))
    whole = float_of((bits_of(k + ROUND) << np.uint64(SHIFT)) + np.uint64(ONE))
    return whole * (EXP[0] + f * (EXP[1] + f * (EXP[2] + f * (EXP[3] + f * (EXP[4] + f * high)))))


@njit(cache=True, fastmath=REORDERED)
def add_powers(log, n, c, p, w):  # type: ignore[no-untyped-def]
    """Add ``c·r^−p`` to ``w`` for the first ``n`` numbers r, of whose squares ``log`` are the logarithms."""
    for j in range(np.uint64(n)):
        w[j] += c * exp2(-0.5 * p * log[j])
