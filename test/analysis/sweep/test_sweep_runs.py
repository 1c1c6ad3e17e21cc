"""What tells runs apart, and that none is flown twice."""

import shutil
from concurrent.futures import Executor, Future

import pytest

import swarm_control as sc
from swarm_control import paths
from swarm_control.analysis.sweep.runs import RunStore, files_of, with_seed
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load


class Counting(Executor):
    """Does work at once, and counts it."""

    done = 0

    def submit(self, work, /, *items):
        Counting.done += 1
        future = Future()
        future.set_result(work(*items))
        return future


def key(*changes, name="migrate_boxes", seed=1, until_arrival=False):
    loaded = load(str(name), changes)
    return with_seed(loaded, files_of(loaded), {}, seed, until_arrival).key


def test_a_key_is_of_all_that_makes_the_result(tmp_path):
    keys = [
        key(), key(seed=2), key("separation.weight=0.3"), key("robots=4"), key(until_arrival=True), key(name="migrate_mixed"),
        key("world=mixed.world"),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert key() == key() == key("separation.weight=0.2")  # as the file says it


def test_another_version_of_a_world_or_of_a_trajectory_makes_other_runs(tmp_path, monkeypatch):
    for name in ("boxes.world", "sphero.inc", "map.inc"):
        if (paths.share() / "worlds" / name).exists():
            shutil.copy(paths.share() / "worlds" / name, tmp_path / name)
    (tmp_path / "own.world").write_text('model ( pose [1 1 0 0] size [1 1 1] name "wall" obstacle_return 1 )\n')
    scenario = tmp_path / "mine.yaml"
    scenario.write_text("world: own.world\nrobots: [{count: 2, start: {center: [-3, -3]}}]\n")
    before = key(name=scenario)
    (tmp_path / "own.world").write_text('model ( pose [1 2 0 0] size [1 1 1] name "wall" obstacle_return 1 )\n')
    from swarm_control.analysis.sweep import runs

    runs._world_digest.cache_clear()
    assert key(name=scenario) != before
    monkeypatch.setattr(runs, "__version__", "9.9")
    assert key(name=scenario) != before


def test_a_run_that_was_made_is_not_made_again_and_one_more_value_costs_its_runs(tmp_path):
    def sweep(weights):
        Counting.done = 0
        return sc.sweep(
            "migrate_boxes", {"separation.weight": weights, "robots": [2, 3]}, range(7, 9), set={"duration": 0.5}, out=tmp_path,
            executor=Counting,
        )  # fmt: skip

    rows = sweep([0.1, 0.2])
    assert Counting.done == 8
    assert [(row["separation.weight"], row["robots"], row["seed"]) for row in rows[:5]] == [
        (0.1, 2, 7), (0.1, 2, 8), (0.1, 3, 7), (0.1, 3, 8), (0.2, 2, 7),
    ]  # fmt: skip
    assert sweep([0.1, 0.2]) == rows and Counting.done == 0
    assert sweep([0.2, 0.4])[:4] == rows[4:] and Counting.done == 4


def test_a_run_is_that_of_simulate(tmp_path):
    row = sc.sweep("migrate_boxes", {"separation.weight": [0.3]}, [5], set={"duration": 3}, out=tmp_path, executor=Counting)[0]
    alone = sc.Simulation("migrate_boxes", seed=5, duration=3, set={"separation.weight": 0.3}).run().metrics()
    assert {name: row[name] for name in ("min_separation", "polarization", "min_clearance")} == {
        name: alone[name] for name in ("min_separation", "polarization", "min_clearance")
    }


def test_values_that_do_not_go_together_are_told_in_the_table(tmp_path):
    rows = sc.sweep("migrate_boxes", {"robots.0.radius": [0.05, 30.0]}, [1], set={"duration": 0.5}, out=tmp_path, executor=Counting)
    assert rows[0]["error"] is None and "robots" in rows[1]["error"]


def test_the_same_run_drawn_twice_is_one_witness(tmp_path):
    """Else it would make intervals narrower."""
    Counting.done = 0
    rows = sc.sweep("migrate_boxes", {"duration": [0.5], "robots": [2, 3]}, [3, 3, 4], out=tmp_path, executor=Counting)
    assert Counting.done == len(rows) == 4 and len({row["run"] for row in rows}) == 4


def test_a_world_that_is_not_there_is_refused_by_its_parameter(tmp_path):
    with pytest.raises(InputError, match=r"^--param world=nowhere\.world: .*nowhere\.world not found"):
        sc.sweep("migrate_boxes", {"world": ["boxes.world", "nowhere.world"]}, [1], out=tmp_path, executor=Counting)


def test_a_damaged_file_is_named(tmp_path):
    run = with_seed(load("migrate_boxes"), {}, {}, 1, False)
    (tmp_path / f"{run.key}.json").write_text('{"summary": [1')
    with pytest.raises(InputError, match=f"{run.key}.json: cannot be read, expected the summary of a run; remove it"):
        RunStore(tmp_path).get(run)
