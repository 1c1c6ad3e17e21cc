"""Parts of a formation that begin among each other: moved apart by what is asked, not one place farther, and formed by a run."""

import itertools

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import swarm_control as sc
from swarm_control.formation.structure import Structure
from swarm_control.runtime.side_by_side import gap, side_by_side
from swarm_control.scenario.schema import Goal


def drawn(seed, parts, spread):
    """``parts`` lists of points, their robots, and where those stand; all within ``spread`` (m)."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 7, parts)
    names = tuple(f"robot_{k}" for k in range(counts.sum()))
    shapes = np.split(rng.uniform(-1.0, 1.0, (counts.sum(), 2)), np.cumsum(counts)[:-1])
    poses = rng.uniform(-spread, spread, (parts, 3))
    own = np.split(np.array(names), np.cumsum(counts)[:-1])
    made = [Structure(points, tuple(who.tolist()), pose) for points, who, pose in zip(shapes, own, poses)]
    return made, rng.uniform(-spread, spread, (counts.sum(), 2)), names


@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(0.1, 3.0), st.floats(0.05, 1.0), st.booleans())
def test_parts_are_moved_as_they_are_until_lines_divide_them(seed, parts, spread, room, sent):
    made, position, names = drawn(seed, parts, spread)
    rng = np.random.default_rng(seed + 1)
    goals = [Goal(position=tuple(rng.uniform(-5, 5, 2)), part=k + 1) for k in range(parts)] if sent else []
    whole = side_by_side(made, position, names, goals, room)
    if whole is None:
        assert all(gap(a.world, b.world) >= room for a, b in itertools.combinations(made, 2))
        return
    assert sorted(whole.names) == sorted(names)
    place = dict(zip(whole.names, whole.world))
    moved = [np.array([place[name] for name in part.names]) for part in made]
    for part, there in zip(made, moved):
        assert there - part.world == pytest.approx(np.broadcast_to(there[0] - part.world[0], there.shape), abs=1e-9)
    for a, b in itertools.combinations(moved, 2):
        assert gap(a, b) >= room - 1e-9


@given(st.integers(0, 10**6), st.floats(0.05, 1.0))
def test_two_parts_end_exactly_so_far_apart_or_stay(seed, room):
    made, position, names = drawn(seed, 2, 1.0)
    whole = side_by_side(made, position, names, (), room)
    if whole is None:
        return
    place = dict(zip(whole.names, whole.world))
    moved = [np.array([place[name] for name in part.names]) for part in made]
    stayed = all(np.allclose(there, part.world) for there, part in zip(moved, made))
    way = made[0].world.mean(axis=0) - made[1].world.mean(axis=0)
    way /= np.hypot(*way)
    assert stayed or (moved[0] @ way).min() - (moved[1] @ way).max() == pytest.approx(room)


def test_each_goes_to_the_side_on_which_its_goal_is():
    cross = np.array([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.5], [0.0, -0.5]])
    made = [Structure(cross, tuple("abcd"), np.zeros(3)), Structure(cross, tuple("efgh"), np.array([0.1, 0.0, 0.0]))]
    goals = [Goal(position=(0.0, -4.0), part=1), Goal(position=(0.0, 4.0), part=2)]
    whole = side_by_side(made, np.vstack([part.world for part in made]), tuple("abcdefgh"), goals, 0.3)
    height = dict(zip(whole.names, whole.world[:, 1]))
    assert max(height[name] for name in "abcd") <= min(height[name] for name in "efgh") - 0.3 + 1e-9


@pytest.mark.parametrize("model", ["car", "differential"])
def test_two_parts_whose_robots_are_mixed_form_and_go_their_ways(model, tmp_path):
    """Cars whose part is in the way of the other's stood for ever."""
    goals = [{"position": [0.0, 3.3], "part": 1}, {"position": [0.0, -3.3], "part": 2}]
    file = tmp_path / "mixed.yaml"
    file.write_text(yaml.safe_dump({
        "duration": 90, "seed": 4, "goals": goals,
        "robots": [{
            "count": 9, "model": model, "radius": 0.1, "wheel_base": 0.16, "max_speed": 0.33, "max_acceleration": 1.0, "max_turn_rate": 3.6,
            "start": {"pattern": "scatter", "spacing": 0.4, "heading_spread": 360},
        }],
        "control": {
            "period": 0.05, "separation_filter": {"enabled": True},
            "formation": {"enabled": True, "shape": "wedge", "spacing": 0.5, "split": [5, 4]},
        },
    }))  # fmt: skip
    run = sc.Simulation(file).run(until="arrival")
    assert run.done and run.metrics()["collisions"] == 0
    names = [set(part.names) for part in run.controller.formation(0).controllers[0].structures]
    assert names == [{f"robot_{k}" for k in range(5)}, {f"robot_{k}" for k in range(5, 9)}]
