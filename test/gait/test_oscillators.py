"""Wilson's rules: each as an assertion, for any number of legs, at any frequency, from any start."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.gait.oscillators import pattern, phases

INTERVAL = STEP = 0.05
COUPLING = 2.0
DT = 0.0005
ALL = (2, 4, 6, 8)
FREQUENCIES = (1.0, 2.0, 3.5, 6.0, 10.0)


def walk(legs, frequency, seconds=4.0, start=None, skip=1.0):
    driven = np.full(round(seconds / DT), frequency) if np.isscalar(frequency) else frequency
    first = float(driven[0])
    start = phases(legs, first, INTERVAL, 0.3) if start is None else np.asarray(start, float)
    stepping, phase = pattern(start, driven, DT, INTERVAL, STEP, COUPLING)
    return stepping[round(skip / DT) :], phase[round(skip / DT) :]


def onsets(stepping, leg):
    return np.flatnonzero(stepping[1:, leg] & ~stepping[:-1, leg]) + 1


def next_onsets(stepping, first, then):
    """Time from each step of one leg to the next of another, s; at the same instant counts as 0."""
    a, b = onsets(stepping, first), onsets(stepping, then)
    k = np.searchsorted(b, a)
    return (b[k[k < len(b)]] - a[k < len(b)]) * DT


@pytest.mark.parametrize("legs", ALL)
@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_rule_1_a_wave_runs_forward_and_nobody_steps_before_the_one_behind_is_down(legs, frequency):
    stepping, _ = walk(legs, frequency)
    for leg in range(legs - 2):
        assert next_onsets(stepping, leg + 2, leg) == pytest.approx(INTERVAL, abs=2 * DT)
        both = stepping[:, leg] & stepping[:, leg + 2]
        assert both.sum() <= 2 * len(onsets(stepping, leg)) + 2, "but for the moment of putting down"


@pytest.mark.parametrize("legs", ALL)
@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_rule_2_legs_across_the_body_alternate(legs, frequency):
    stepping, _ = walk(legs, frequency)
    for leg in range(0, legs, 2):
        assert next_onsets(stepping, leg, leg + 1) == pytest.approx(0.5 / frequency, abs=2 * DT)


@pytest.mark.parametrize("legs", ALL)
@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_rules_3_and_4_steps_last_the_same_at_every_frequency_and_the_frequency_is_the_driven_one(legs, frequency):
    stepping, _ = walk(legs, frequency)
    for leg in range(legs):
        begun, ended = onsets(stepping, leg), np.flatnonzero(~stepping[1:, leg] & stepping[:-1, leg]) + 1
        ended = ended[ended > begun[0]]
        assert (ended - begun[: len(ended)]) * DT == pytest.approx(STEP, abs=1.5 * DT)
        assert np.diff(begun) * DT == pytest.approx(1.0 / frequency, abs=2 * DT)


@pytest.mark.parametrize("frequency", FREQUENCIES)
def test_rule_5_from_the_foreleg_to_the_next_hind_leg_the_time_is_what_the_wave_leaves_of_the_period(frequency):
    stepping, _ = walk(6, frequency)
    for side in (0, 1):
        left = next_onsets(stepping, side, 4 + side)
        assert left % (1.0 / frequency) == pytest.approx((1.0 / frequency - 2 * INTERVAL) % (1.0 / frequency), abs=2 * DT)


def test_the_gait_at_the_top_is_the_tripod():
    stepping, _ = walk(6, 10.0)
    first, second = stepping[:, [0, 3, 4]], stepping[:, [1, 2, 5]]
    together = (first.all(axis=1) & ~second.any(axis=1)) | (second.all(axis=1) & ~first.any(axis=1))
    assert together.mean() > 0.97


@pytest.mark.parametrize("frequency", [1.0, 2.0])
def test_in_a_slow_wave_at_most_two_legs_step_and_those_of_a_side_one_by_one(frequency):
    stepping, _ = walk(6, frequency)
    assert (stepping[:, 0::2].sum(axis=1) <= 1).mean() > 0.99
    assert stepping.sum(axis=1).max() <= 2


def test_gaits_change_smoothly_with_the_frequency():
    """While the frequency rises, the intervals stay what they are and legs' phases never jump but at their steps."""
    driven = np.linspace(1.0, 10.0, round(12.0 / DT))
    stepping, phase = walk(6, driven, skip=1.0)
    change = np.diff(phase, axis=0)
    assert (np.abs(change[change > -0.5]) < 3.0 * 10.0 * DT).all()
    for leg in range(4):
        assert np.abs(next_onsets(stepping, leg + 2, leg) - INTERVAL).max() < 0.012
    duty = [stepping[k : k + 2000].mean() for k in range(0, len(stepping) - 2000, 2000)]
    assert np.all(np.diff(duty) > 0.0) and duty[-1] < 0.51


@settings(max_examples=15, deadline=None)
@given(start=st.lists(st.floats(0.0, 0.999), min_size=6, max_size=6), frequency=st.floats(2.0, 9.5))
def test_from_any_start_the_relations_come_about(start, frequency):
    seconds = 25.0 / frequency + 1.0
    stepping, phase = walk(6, frequency, seconds, start, skip=seconds - 4.0 / frequency)
    across = (phase[-1, 0::2] - phase[-1, 1::2]) % 1.0
    lag = (phase[-1, 2:] - phase[-1, :-2] - frequency * INTERVAL + 0.5) % 1.0 - 0.5
    assert np.abs(across - 0.5).max() < 0.08 and np.abs(lag).max() < 0.08
    del stepping


def test_oscillators_stand_still_at_frequency_zero():
    start = np.random.default_rng(1).uniform(0.0, 0.99, 6)
    stepping, phase = walk(6, 0.0, start=start, seconds=1.0, skip=0.0)
    assert not stepping.any() and np.array_equal(phase[-1], start)
