"""The table of a sweep."""

import csv
import math

import numpy as np
import pytest
from pyarrow import parquet

from swarm_control.analysis.sweep.table import mean_of, measures_that_vary, rank_correlation, row_of, write_csv, write_parquet

SUMMARY = {
    "scenario": "s", "seed": 3, "duration": 9.5, "arrival_time": None, "collisions": 0, "phases": [{"name": "a"}],
    "groups": {"red": {"collisions": 1, "phases": []}},
}  # fmt: skip


def test_a_row_has_parameters_seed_and_measures_groups_too():
    row = row_of("k", {"duration": 20, "goals.0.position": [1, 2]}, 3, SUMMARY)
    assert row == {
        "run": "k", "duration": 20, "goals.0.position": "[1, 2]", "seed": 3, "scenario": "s", "summary.duration": 9.5, "arrival_time": None,
        "collisions": 0, "groups.red.collisions": 1, "error": None,
    }  # fmt: skip
    assert row_of("k", {}, 3, {"error": "no room"}) == {"run": "k", "seed": 3, "error": "no room"}


def test_both_files_say_the_same_with_types(tmp_path):
    runs = (("a", 1, SUMMARY), ("b", 0.5, {"arrival_time": 4.25, "scenario": "s"}), ("c", 2, {"error": "x"}))
    rows = [row_of(key, {"w": weight}, seed, summary) for seed, (key, weight, summary) in enumerate(runs)]
    table = parquet.read_table(write_parquet(tmp_path / "t.parquet", rows)).to_pydict()
    with write_csv(tmp_path / "t.csv", rows).open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert list(table) == list(read[0]) and list(table)[-1] == "error"
    assert table["w"] == [1.0, 0.5, 2.0] and table["arrival_time"] == [None, 4.25, None] and table["error"] == [None, None, "x"]
    assert [row["arrival_time"] for row in read] == ["", "4.25", ""] and [row["w"] for row in read] == ["1", "0.5", "2"]


def test_an_interval_covers_the_true_mean_as_often_as_it_says():
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(2000):
        mean = mean_of([{"m": float(value)} for value in rng.normal(3.0, 2.0, 6)], "m")
        held += abs(mean.value - 3.0) <= mean.half
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_means_are_of_those_that_have_the_measure():
    rows = [{"m": 1.0}, {"m": 3.0}, {"m": None}, {}]
    mean = mean_of(rows, "m")
    assert (mean.value, mean.count) == (2.0, 2) and mean.half == pytest.approx(12.706204736 * math.sqrt(2.0) / math.sqrt(2.0))
    assert mean_of(rows, "other") is None and mean_of(rows[:1], "m").half is None


def test_measures_that_never_differ_are_left_out():
    rows = [{"a": 1, "b": 2.0, "c": None}, {"a": 1, "b": 2.5, "c": None}]
    assert measures_that_vary(rows, ["a", "b", "c"]) == ["b"]
    assert measures_that_vary(rows[:1], ["a", "b", "c"]) == ["a"] and measures_that_vary([], ["a"]) == []


def test_ranks_tell_what_goes_with_a_parameter_whatever_its_shape():
    rows = [{"p": float(k), "up": math.exp(k), "down": -(k**3), "few": k % 2, "text": "x"} for k in range(8)]
    assert rank_correlation(rows, "p", "up") == pytest.approx(1.0) and rank_correlation(rows, "p", "down") == pytest.approx(-1.0)
    assert rank_correlation(rows, "p", "few") is None and rank_correlation(rows, "text", "up") is None
    assert rank_correlation([], "p", "up") is None
