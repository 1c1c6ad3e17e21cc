"""Springs between single robots: as laws between groups of two, conserved, and the same by what is seen where all is seen."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swarm_control as sc
from swarm_control.core.perception import look
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load
from swarm_control.social.connectivity import fewest, is_connected
from swarm_control.social.spring_links import pulled, pulled_by_seen, spring_links, wrong_springs
from swarm_control.social.springs import forces, is_rigid, springs


def drawn(seed: int, robots: int, edges: int) -> tuple[np.ndarray, tuple[float, ...]]:
    rng = np.random.default_rng(seed)
    ends = {tuple(sorted(rng.choice(robots, 2, replace=False).tolist())) for _ in range(edges)}
    numbers = tuple(float(v) for ends_ in sorted(ends) for v in (*rng.permutation(ends_), rng.uniform(0, 2)))
    assert not wrong_springs(numbers, robots)
    return rng.uniform(-3, 3, (robots, 2)), numbers


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 20))
def test_forces_are_those_of_a_graph_of_springs_and_add_up_to_nothing(seed: int, robots: int, edges: int) -> None:
    position, numbers = drawn(seed, robots, edges)
    links = spring_links(numbers, 1.7)
    force = pulled(links, position, np.ones(robots, bool))
    graph = springs(position, np.column_stack((links.one, links.other)), 1.7)
    expected = forces(type(graph)(graph.count, graph.ends, graph.stiffness, links.length), position)
    np.testing.assert_allclose(force, expected, atol=1e-12)
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-11)


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 20))
def test_who_sees_everyone_feels_the_same_and_who_sees_nobody_nothing(seed: int, robots: int, edges: int) -> None:
    position, numbers = drawn(seed, robots, edges)
    links = spring_links(numbers, 0.6)
    pose = np.column_stack((position, np.zeros(robots)))
    state = SwarmState.of(0.0, pose, np.zeros_like(pose))
    everyone = pulled(links, position, np.ones(robots, bool))
    np.testing.assert_allclose(pulled_by_seen(links, look(state, 20.0)), everyone, atol=1e-12)
    assert not pulled_by_seen(links, look(state, 1e-6)).any()


def test_robots_of_whom_nothing_is_known_pull_nobody() -> None:
    links = spring_links((0, 1, 0.5, 1, 2, 0.5), 1.0)
    position = np.array([[0.0, 0.0], [1.0, 0.0], [np.nan, np.nan]])
    force = pulled(links, position, np.array([True, True, False]))
    np.testing.assert_allclose(force, [[0.5, 0.0], [-0.5, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize("feels", ["everyone", "perceived"])
def test_robots_on_springs_go_as_those_in_groups_of_two_do(feels: str, tmp_path: Path) -> None:
    start = "{pattern: poses, poses: [[0, 0, 0], [1.6, 0.2, 0], [0.3, 1.5, 0]]}"
    common = f"weight: 1.0, friction: 1.0, feels: {feels}"
    body = "robots:\n  - {{count: 3, radius: 0.05, {group}start: {start}}}\ncontrol:\n  perception: {{radius: 5}}\n  social: {{{social}}}\n"
    by_links = body.format(group="", start=start, social=f"{common}, stiffness: 3.0, springs: [0, 1, 1.0, 2, 1, 0.7]")
    single = "".join(
        f"  - {{count: 1, radius: 0.05, group: '{group}', start: {{pattern: poses, poses: [{pose}]}}}}\n"
        for group, pose in (("a", "[0, 0, 0]"), ("a, b", "[1.6, 0.2, 0]"), ("b", "[0.3, 1.5, 0]"))
    )
    laws = "{acts_on: a, of: a, spring: 3.0, length: 1.0}, {acts_on: b, of: b, spring: 3.0, length: 0.7}"
    by_groups = f"robots:\n{single}control:\n  perception: {{radius: 5}}\n  social: {{{common}, laws: [{laws}]}}\n"
    ends = []
    for text in (by_links, by_groups):
        path = tmp_path / "three.yaml"
        path.write_text("duration: 4\n" + text, encoding="utf-8")
        ends.append(sc.Simulation(path).run().state.position)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)
    assert np.linalg.norm(ends[0][1] - ends[0][0]) < 1.3


@pytest.mark.parametrize(
    "numbers,told",
    [((0, 1), "2 numbers found"), ((0, 3, 1), "robot 3 in spring 0 found, expected a whole number from 0 to 2"), ((0.5, 1, 1), "robot 0.5"),
     ((0, 1, 1, 2, 2, 1), "spring 1 from robot 2 to 2"), ((0, 1, -1), "of -1 m found"), ((-1, 1, 1), "robot -1"),
     ((0, 1, 1, 2, 1, 1, 1, 0, 2), "spring 2 between the same robots as spring 0")],
)  # fmt: skip
def test_springs_that_cannot_be_are_told_of(numbers: tuple[float, ...], told: str) -> None:
    assert told in wrong_springs(numbers, 3)
    assert not wrong_springs((0.0, 1.0, 0.0), 3)


def test_springs_of_robots_that_are_not_there_are_refused_when_a_scenario_is_loaded() -> None:
    with pytest.raises(InputError, match=r"control\.social\.springs: robot 40 in spring 0 found, expected a whole number from 0 to 9"):
        load("migrate_boxes", ["social.springs=[0, 40, 1]", "social.weight=1"])


@given(st.integers(0, 10_000), st.integers(4, 16))
def test_the_fewest_springs_hold_a_shape_even_without_one_of_them(seed: int, robots: int) -> None:
    place = np.random.default_rng(seed).uniform(-2, 2, (robots, 2))
    edges = fewest(place)
    assert len(edges) == 2 * robots - 2
    assert is_connected(robots, edges, 3) and is_rigid(edges, place)
    assert all(is_rigid(np.delete(edges, k, axis=0), place) for k in range(len(edges)))
