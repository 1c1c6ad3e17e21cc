"""Which values a sweep flies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.analysis.sweep.design import ValueList, axis_of, combinations
from swarm_control.analysis.tuning.space import Dimension
from swarm_control.errors import InputError


@given(st.integers(1, 60), st.integers(1, 5), st.integers(0, 2**31))
def test_a_latin_hypercube_has_one_sample_in_each_of_as_many_equal_parts_of_each_parameter(samples, dimensions, seed):
    axes = [Dimension(f"p{k}", 0.0, float(samples), False, False, 0.0) for k in range(dimensions)]
    drawn = combinations(axes, "latin", samples, seed)
    for axis in axes:
        places = sorted(values[axis.path] for values in drawn)
        assert all(k - 1e-4 <= place <= k + 1 + 1e-4 for k, place in enumerate(places))  # values have six digits


def test_what_is_drawn_is_of_the_seed_and_keeps_to_the_bounds():
    axes = [Dimension("a", 0.01, 100.0, True, False, 1.0), Dimension("b", 3, 9, False, True, 3), ValueList("c", ("x", "y", "z"))]
    first, again, other = (combinations(axes, "random", 400, seed) for seed in (4, 4, 5))
    assert first == again != other
    a, b, c = (np.array([values[name] for values in first]) for name in "abc")
    assert a.min() >= 0.01 and a.max() <= 100.0 and 0.4 < (a < 1.0).mean() < 0.6  # evenly in the logarithm
    assert set(b) == set(range(3, 10)) and {type(values["b"]) for values in first} == {int}
    assert set(c) == {"x", "y", "z"}


def test_a_grid_is_every_combination_once():
    found = combinations([ValueList("a", (1, 2, 3)), ValueList("b", ("x", "y"))])
    assert [(values["a"], values["b"]) for values in found] == [(1, "x"), (1, "y"), (2, "x"), (2, "y"), (3, "x"), (3, "y")]


def test_values_are_read_as_scenario_files_are():
    assert axis_of("migrate_boxes", (), "robots=5,10") == ValueList("robots", (5, 10))
    assert axis_of("migrate_boxes", (), "separation.weight=1e-1, 0.2").values == (0.1, 0.2)
    assert axis_of("migrate_boxes", (), "goals.0.position=[1,2],[3,3]").values == ([1, 2], [3, 3])
    assert axis_of("migrate_boxes", (), "robots.0.model=omni,differential").values == ("omni", "differential")
    assert axis_of("migrate_boxes", (), "separation.weight=0:1").high == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("separation.weight", "expected PATH=V1,V2"), ("separation.weight=", "expected PATH=V1,V2"),
        ("separation.weigth=1,2", "did you mean"), ("separation.weight=0.1,-1", "expected"), ("separation.weight=0.1,0.1", "twice"),
        ("robots=0,2", "robots"), ("separation.weight=2:1", "LOW below HIGH"), ("robots.0.model=omni,blimp", "blimp"),
    ],
)  # fmt: skip
def test_what_cannot_be_flown_is_refused_by_its_option(text, message):
    with pytest.raises(InputError, match=message) as refused:
        axis_of("migrate_boxes", (), text)
    assert str(refused.value).startswith(f"--param {text}"[:30])


def test_a_design_and_its_parameters_fit():
    dimension, listed = Dimension("a", 0.0, 1.0, False, False, 0.0), ValueList("b", (1,))
    for axes, design, samples, message in (
        ([dimension], "grid", 0, "--design latin"), ([listed], "latin", 0, "--samples"),
        ([listed, ValueList("b", (2,))], "grid", 0, "twice"), ([ValueList("seed", (1, 2))], "grid", 0, "--first-seed"),
        ([ValueList("b", ())], "grid", 0, "no values"),
        ([ValueList(f"p{k}", tuple(range(10))) for k in range(7)], "grid", 0, "10000000 combinations"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            combinations(axes, design, samples)
