"""What odometry says of its own error counts as noise: in the estimate, and in the room that the separation filter keeps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.core.estimation import Estimation
from swarm_control.core.geometry import norm
from swarm_control.core.state import SwarmState
from swarm_control.core.state_estimator import StateEstimator
from swarm_control.errors import InputError
from swarm_control.runtime.controller import Controller
from swarm_control.runtime.motion import MotionStage
from swarm_control.runtime.orders import no_orders
from swarm_control.runtime.stages import Knowledge
from swarm_control.scenario.groups import controls_of
from swarm_control.scenario.loader import load_prepared
from swarm_control.scenario.safeguards import planned_filter

NOW = 10.0


def commands(model, seed, noise=0.0, heading=0.0, said=None):
    """What eight robots near one another are told that want to go on at random: with ``noise`` (m) and ``heading`` (rad) as the filter's
    parameters, or ``said`` (8, 2) by their odometry.
    """
    changes = ["robots.0.count=8", f"robots.0.model={model}", "control.separation_filter.enabled=true"]
    changes += [f"control.separation_filter.noise={noise}", f"control.separation_filter.noise_heading={np.degrees(heading)}"]
    loaded, setup = load_prepared("migrate_boxes", changes)
    rng = np.random.default_rng(seed)
    place = np.array([(x, y) for x in range(4) for y in range(2)]) * 0.17 + rng.uniform(-0.03, 0.03, (8, 2)) - 0.5
    course, speed = rng.uniform(-np.pi, np.pi, 8), rng.uniform(0.0, 0.3, 8)
    velocity = np.column_stack((speed * np.cos(course), speed * np.sin(course), np.zeros(8)))
    state = SwarmState.of(NOW, np.column_stack((place, course)), velocity)
    estimator, motion = StateEstimator(setup.fleet, 0.05), MotionStage(8)
    motion.presume(estimator)
    estimator.note_commands(NOW - 1.0, np.column_stack((speed, np.zeros((8, 2)))))
    estimator.deviation = said
    estimated = estimator(state, None, Estimation())
    controller = Controller(loaded.scenario, setup)
    knowledge = Knowledge(setup, controller.squads, controller.mission.flocks, setup.grid)
    around = knowledge.parts(no_orders(8, 1), controller.controls)[0].around
    wanted = 2.0 * np.column_stack((np.cos(course), np.sin(course)))
    return motion(estimated, wanted, around, loaded.scenario.control)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["omni", "differential", "car"]), st.integers(0, 10_000), st.floats(0.0, 0.03), st.floats(0.0, 0.1))
def test_noise_that_odometry_tells_of_counts_like_the_filters_own(model, seed, position, heading):
    told, intervened = commands(model, seed, said=np.tile((position, heading), (8, 1)))
    expected, also = commands(model, seed, position, heading)
    assert told.twist == pytest.approx(expected.twist, abs=1e-9) and (intervened == also).all()


@pytest.mark.parametrize("seed", range(3))
def test_what_the_filter_knows_itself_is_the_least(seed):
    told, _ = commands("differential", seed, 0.02, 0.05, said=np.full((8, 2), 0.001))
    expected, _ = commands("differential", seed, 0.02, 0.05)
    assert told.twist == pytest.approx(expected.twist, abs=1e-9)
    plain, _ = commands("differential", seed)
    assert np.abs(plain.twist - expected.twist).max() > 1e-3  # or nothing is shown


@pytest.mark.parametrize("model", ["omni", "differential"])
def test_late_odometry_that_tells_of_its_noise_is_smoothed_by_it(model):
    """Robots drive straight on at 0.3 m/s; odometry is 0.2 s late, with 3 cm of noise, beyond what is a surprise by default."""
    _, setup = load_prepared("migrate_boxes", ["robots.0.count=4", f"robots.0.model={model}"])
    off = {}
    for said in (None, np.tile((0.03, 0.0), (4, 1))):
        rng, estimator, found = np.random.default_rng(3), StateEstimator(setup.fleet, 0.05), []
        velocity, estimator.deviation = np.tile((0.3, 0.0, 0.0), (4, 1)), said
        for tick in range(200):
            now = 0.05 * tick
            estimator.note_commands(now - 0.05, velocity)
            true = np.column_stack((0.3 * now * np.ones(4), 5.0 * np.arange(4), np.zeros(4)))
            measured = true + np.column_stack((rng.normal(0.0, 0.03, (4, 2)), np.zeros(4))) - 0.2 * velocity
            state = estimator(SwarmState.of(now, measured, velocity), np.full(4, now - 0.2), Estimation())
            found.append(norm(state.position - true[:, :2]))
        off[said is None] = float(np.sqrt(np.square(found[50:]).mean()))
    assert off[False] < 0.6 * off[True] and off[False] < 0.03


def test_covariances_are_not_used_without_a_bound():
    with pytest.raises(InputError, match=r"use_covariance: true found without hardware\.odometry\.max_deviation"):
        load_prepared("migrate_boxes", ["hardware.odometry.use_covariance=true"])
    load_prepared("migrate_boxes", ["hardware.odometry.use_covariance=true", "hardware.odometry.max_deviation=0.2"])


def test_plans_count_on_the_noise_that_smoothing_leaves():
    loaded, setup = load_prepared("formation_maze", ["simulator.noise_position=0.01"])
    controls = controls_of(loaded.scenario, "")
    noise = planned_filter(controls, "", loaded.scenario.simulator, setup.fleet).noise
    assert noise == pytest.approx(0.01 * np.sqrt(0.3 / 1.7)) and controls.common.separation_filter.noise == 0.0
    exact = replace(loaded.scenario.simulator, noise_position=0.0)
    assert planned_filter(controls, "", exact, setup.fleet) is controls.common.separation_filter
