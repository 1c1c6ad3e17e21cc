import json

import pytest
import yaml

from swarm_control.cli.main import main
from swarm_control.scenario.loader import load

WORDS = [
    "tune", "migrate_mixed", "--set", "duration=1", "--set", "separation_filter.enabled=false", "--param", "separation.weight=0:1",
    "--objective", "min_separation", "--constraint", "collisions<=0", "--seeds", "2", "--held-out", "1", "--jobs", "1",
]  # fmt: skip


def test_tune_writes_the_best_and_goes_on_where_it_was(tmp_path, capsys):
    assert main([*WORDS, "--evaluations", "4", "--out", str(tmp_path)]) == 0
    runs = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert len(runs) == 1 + 5 * 2 + 2  # the problem, every candidate with two seeds, first and best with one more
    best = yaml.safe_load((tmp_path / "parameters.yaml").read_text())["control"]["separation"]["weight"]
    assert load(str(tmp_path / "scenario.yaml")).scenario.control.separation.weight == best
    summaries = [json.loads(line) for line in runs[1:]]
    by_value = {}
    for line in summaries:
        by_value.setdefault(line["values"]["separation.weight"], []).append(line["summary"]["min_separation"])
    assert best == max(by_value, key=lambda value: sum(by_value[value][:2]))
    assert "seeds not seen in the search" in (tmp_path / "parameters.yaml").read_text()
    assert (tmp_path / "tuning.png").stat().st_size > 10_000

    assert main([*WORDS, "--evaluations", "6", "--out", str(tmp_path)]) == 0
    again = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert again[: len(runs)] == runs and len(again) >= len(runs) + 2 * 2  # the first four were not flown again


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--objective", "min_separation"], "--param"), (["--param", "separation.weight=0:1"], "--objective"),
        (["--param", "separation.weight=0:1", "--objective", "collisions", "--seeds", "0"], "--seeds"),
        (["--param", "separation.weight=0:1", "--objective", "speed"], "expected one of"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(tmp_path, capsys, words, message):
    assert main(["tune", "migrate_mixed", *words, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and "Traceback" not in error


@pytest.mark.study
def test_another_tuning_in_the_folder_is_not_lost(tmp_path, capsys):
    words = [*WORDS, "--evaluations", "1", "--out", str(tmp_path)]
    assert main(words) == 0
    kept = (tmp_path / "runs.jsonl").read_text()
    assert main([*words, "--seed", "5"]) == 2
    assert "another tuning" in capsys.readouterr().err and (tmp_path / "runs.jsonl").read_text() == kept
