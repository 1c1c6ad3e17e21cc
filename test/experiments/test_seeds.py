"""Seeds: every experiment works on those that were asked for, and never reports on those that chose its values."""

import ast
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import swarm_experiments
from swarm_control.analysis.experiments import (
    EXPERIMENTS,
    NO_SEEDS,
    UNSEEDED,
    Experiment,
    Finding,
    Lab,
    Page,
    Trial,
    each_seed,
    experiment,
    register_experiment,
)  # fmt: skip
from swarm_control.analysis.experiments.finding import Curves
from swarm_control.analysis.experiments.flight import fly
from swarm_control.analysis.experiments.page import save, seeds_line, write_pages
from swarm_control.cli.main import main
from swarm_experiments.papers.reynolds.avoidance import STEER, across

SOURCES = sorted(Path(swarm_experiments.__file__).parent.rglob("*.py"))
FIRST = 7_000_003
"""So large that nothing else in an item is as large."""
LATER = {"social_density", "social_synthesis", "steer_step"}
"""Experiments that use their seeds only in what comes after their first items."""


class Reached(Exception):  # noqa: N818 - nothing went wrong
    """An experiment has got to where its work would begin."""


class AskedLab(Lab):
    """A lab in which nothing is done: it remembers the first items; with ``only`` seeds are all that it waits for."""

    def __init__(self, only: bool, **options):
        super().__init__(**options)
        self.only, self.items = only, []

    def seeds(self, quick=2):
        found = super().seeds(quick)
        if self.only:
            raise Reached
        return found

    def map(self, work, items):
        self.check(items)
        self.items = list(items)
        raise Reached


def numbers(thing):
    """All whole numbers in tuples, lists and dataclasses, as deep as they go."""
    if isinstance(thing, (tuple, list)):
        return {number for part in thing for number in numbers(part)}
    if dataclasses.is_dataclass(thing):
        return {number for field in dataclasses.fields(thing) for number in numbers(getattr(thing, field.name))}
    return {thing} if isinstance(thing, int) and not isinstance(thing, bool) else set()


def asked(name, only, **options):
    lab = AskedLab(only, **options)
    with pytest.raises(Reached):
        EXPERIMENTS[name].run(lab)
    return lab


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_works_on_the_seeds_that_were_asked_for(name, quick):
    lab = asked(name, True, quick=quick, seeds=3, first_seed=FIRST)
    assert lab.reported == (range(FIRST, FIRST + 3) if EXPERIMENTS[name].reported_on else NO_SEEDS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_without_being_asked_it_works_on_its_own(name):
    assert asked(name, True).reported == EXPERIMENTS[name].reported_on
    quick = asked(name, True, quick=True).reported
    assert len(quick) <= 3 and set(quick) <= set(EXPERIMENTS[name].reported_on)


def through_the_lab():
    """Experiments whose first work goes through the lab; the others time things, or run nodes or a search of their own."""
    alone = {"formation_search", "formation_speed", "formation_bandwidth", "wireless", "wireless_swarms", "tuning", "hexapod_tuning",
             "social_crowd", "social_disc", "herd_response", "herd_numerics", "safety", "safety_messages",
             "safety_parents", "safety_cuts", "safety_soak", "safety_soak_fast", "ros_namespaces", "ros_frames", "ros_missions",
             "ros_covariances"}  # fmt: skip
    return [name for name in EXPERIMENTS if name not in alone | LATER]


@pytest.mark.parametrize("name", through_the_lab())
def test_these_seeds_are_in_what_it_does(name):
    seeds = {number for number in numbers(asked(name, False, quick=True, seeds=1, first_seed=FIRST).items) if number >= FIRST}
    assert seeds == ({FIRST} if EXPERIMENTS[name].reported_on else set())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SOURCES[0].parent)))
def test_no_source_has_a_seed_of_its_own(path):
    """Neither is a generator made of a number, nor an engine or a run given one or left to its default."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        given = {word.arg: word.value for word in node.keywords}
        place = {"default_rng": 0, "Insects": 2, "HerdEngine": 5, "Trial": 2}.get(name)
        seed = given.get("seed")
        if seed is None and place is not None:
            assert len(node.args) > place, f"{path}:{node.lineno}: {name} without a seed"
            seed = node.args[place]
        assert not isinstance(seed, ast.Constant), f"{path}:{node.lineno}: {name} with a seed of its own"


def test_a_run_that_draws_nothing_is_the_same_for_every_seed():
    trial = across("line", 0.1, *STEER, "duration=5")
    assert trial.seed == UNSEEDED
    assert np.array_equal(fly(trial).position, fly(dataclasses.replace(trial, seed=7)).position)


PAGE = Page("mine", "My results")


def found(lab, seeds):
    curve = Curves("a line", "x", "y", {"one": (np.arange(3.0), np.arange(3.0), None)})
    return Finding("Mine", "Not in the paper.", ("seed",), tuple((str(seed),) for seed in seeds), {"holds": True}, (curve,))


@pytest.fixture
def own():
    """Registers experiments for one test; returns the function that does."""
    names = []

    def register(name, work, **seeds):
        experiment(name, "an experiment", PAGE, **seeds)(work)
        names.append(name)
        return EXPERIMENTS[name]

    yield register
    for name in names:
        EXPERIMENTS.remove(name)


@pytest.mark.parametrize("reported", [range(100), range(19, 30), range(5, 6)])
def test_seeds_that_chose_values_are_not_reported_on(reported):
    with pytest.raises(ValueError, match=r"reported_on.*chose its values"):
        experiment("mine", "an experiment", PAGE, chosen_on=range(20), reported_on=reported)(lambda lab: found(lab, []))
    assert "mine" not in EXPERIMENTS


@pytest.mark.parametrize("seeds", [range(100, 120, 2), range(-3, 5)])
def test_seeds_are_whole_numbers_in_a_row(seeds):
    with pytest.raises(ValueError, match="without gaps"):
        Experiment("mine", "an experiment", lambda lab: found(lab, []), PAGE, NO_SEEDS, seeds)


def test_a_page_has_one_title(own):
    own("mine", lambda lab: found(lab, lab.seeds()))
    with pytest.raises(ValueError, match="expected 'My results'"):
        register_experiment(Experiment("other", "another", lambda lab: found(lab, []), Page("mine", "Another title")))


def test_work_on_other_seeds_is_refused(own):
    def work(lab):
        lab.fly([Trial("flock_frame", ("duration=1",), lab.seeds()[-1] + 1)])

    with Lab() as lab, pytest.raises(ValueError, match="seed 105 found, expected one of the lab's"):
        own("mine", work).run(lab)


def test_seeds_are_refused_to_an_experiment_registered_without(own):
    with Lab() as lab, pytest.raises(ValueError, match="registered without"):
        own("mine", lambda lab: found(lab, lab.seeds()), chosen_on=NO_SEEDS, reported_on=NO_SEEDS).run(lab)


def test_choosing_never_takes_what_is_reported(own):
    taken = []

    def work(lab):
        seeds = lab.seeds()
        taken.append((list(seeds), list(lab.choosing(4))))
        return found(lab, seeds)

    one = own("mine", work, chosen_on=range(4))
    with Lab() as plain, Lab(seeds=3, first_seed=1) as among:
        one.run(plain)
        one.run(among)
    assert taken == [([100, 101, 102, 103, 104], [0, 1, 2, 3]), ([1, 2, 3], [0, 4, 5, 6])]


def test_work_for_one_seed_is_done_for_each(own):
    def work(lab, seed):
        return dataclasses.replace(found(lab, [seed]), claims={"even": seed % 2 == 0, "large": seed > 1}, numbers={"seed": float(seed)})

    one = own("mine", each_seed(work))
    with Lab(seeds=2, first_seed=6) as two, Lab(quick=True) as quick:
        finding, single = one.run(two), one.run(quick)
    assert finding.columns == ("seed", "seed") and finding.rows == (("6", "6"), ("7", "7"))
    assert finding.claims == {"even": False, "large": True} and finding.numbers == {"seed": 6.5} and finding.reported_on == range(6, 8)
    assert single.rows == (("100",),) and single.columns == ("seed",)


@pytest.mark.parametrize(
    "seeds, options, line",
    [
        ({}, {}, "Values chosen on seeds 0…19, reported on seeds 100…104."),
        ({"reported_on": range(40, 41)}, {}, "Values chosen on seeds 0…19, reported on seeds 40."),
        ({}, {"seeds": 2, "first_seed": 30}, "Values chosen on seeds 0…19, reported on seeds 30…31."),
        ({}, {"seeds": 2, "first_seed": 19}, "Values chosen on seeds 0…19, reported on seeds 19…20: not apart, as it was asked for these."),
        ({"chosen_on": NO_SEEDS}, {}, "Values chosen on seeds none, reported on seeds 100…104."),
        ({"chosen_on": NO_SEEDS, "reported_on": NO_SEEDS}, {}, "Seeds: none: deterministic."),
    ],
)
def test_record_and_page_tell_the_seeds(own, tmp_path, seeds, options, line):
    one = own("mine", lambda lab: found(lab, lab.seeds() if seeds.get("reported_on") != NO_SEEDS else []), **seeds)
    with Lab(**options) as lab:
        *_, record = save("mine", one.run(lab), "swarm experiment mine", tmp_path)
    (page,) = write_pages(tmp_path)
    assert line in page.read_text().split("\n")
    assert seeds_line(json.loads(record.read_text())) == line


def test_a_record_without_seeds_is_taken_for_one_of_the_choice(own):
    own("mine", lambda lab: found(lab, []))
    line = seeds_line({"name": "mine"})
    assert line.startswith("Values chosen on seeds 0…19;") and "of the choice, too" in line and "100" not in line


def test_the_command_hands_the_seeds_on(own, tmp_path, capsys):
    own("mine", lambda lab: found(lab, lab.seeds()))
    assert main(["experiment", "mine", "--seeds", "2", "--first-seed", "300", "--out", str(tmp_path)]) == 0
    record = json.loads((tmp_path / "mine/mine.json").read_text())
    assert record["rows"] == [["300"], ["301"]] and record["seeds"] == {"chosen_on": [0, 19], "reported_on": [300, 301]}
    assert record["command"] == "swarm experiment mine --seeds 2 --first-seed 300"


def test_the_experiments_package_names_every_folder_with_modules():
    root = SOURCES[0].parent
    folders = {".".join(("swarm_experiments", *path.parent.relative_to(root).parts)) for path in SOURCES if "build" not in path.parts}
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert set(ast.literal_eval(text[text.index("packages = [") + len("packages = ") :])) == folders
