"""Wrong options of ``swarm simulate``: one line names the option as it was typed, and what was expected."""

import shlex

import pytest

from swarm_control.cli.main import main

WRONG = {
    "--set seperation.weight=1": "unknown key seperation, did you mean control.separation.weight?",
    "--set separation.wieght=1": "unknown key wieght, did you mean control.separation.weight?",
    "--set control.separation.wieght=1": "did you mean control.separation.weight?",
    "--set contorl.separation.weight=1": "did you mean control.separation.weight?",
    "--set perception.radus=1": "did you mean control.perception.radius?",
    "--set separation_filter.enabeld=true": "did you mean control.separation_filter.enabled?",
    "--set robots.0.modell=car": "did you mean robots.0.model?",
    "--set robots.0.start.patern=grid": "did you mean robots.0.start.pattern?",
    "--set robot=5": "unknown key robot, did you mean robots or ",
    "--set robot.0.model=car": "did you mean robots.0.model?",
    "--set goals.0.positon=[1,2]": "did you mean goals.0.position?",
    "--set simulater.dt=0.01": "did you mean simulator.dt?",
    "--set durration=3": "did you mean duration?",
    "--set qqq=1": "unknown key qqq; expected one of name, description, duration, seed, world, robots",
    "--set separation.weight=abc": "control.separation.weight: 'abc' found, expected a number from 0 to 100",
    "--set separation.weight=-1": "-1 found, expected a number from 0 to 100",
    "--set separation.weight=.nan": "nan found, expected a number",
    "--set separation=3": "control.separation: 3 found, a mapping was expected",
    "--set separation_filter.enabled=1": "1 found, expected true or false",
    "--set leaders.count=1.5": "expected a whole number",
    "--set leaders.count=300": "300 leaders found, expected at most",
    "--set robots.0.model=tank": "'tank' found, expected one of omni, differential",
    "--set robots.0.start.center=[1]": "robots[0].start.center: [1] found, expected a list of 2 numbers",
    "--set robots.0.start.pattern=poses": "0 poses found, expected one for each",
    "--set robots.0.start.poses=[[1,2]]": "robots[0].start.poses[0]: [1, 2] found, expected a list of 3 numbers",
    "--set robots.7.count=1": "'7' found, expected an item's number from 0 to 0",
    "--set robots.x.count=1": "'x' found, expected an item's number from 0",
    "--set robots.0.count.deep=1": "'deep' is not in a mapping: robots.0.count is a whole number",
    "--set phases.0.start=1": "'0' found in a list that is empty",
    "--set simulator.failures.0.robot=x": "'0' found in a list that is empty",
    "--set simulator.failures=[{robot: nobody}]": "'nobody' found, expected the name of a robot",
    "--set simulator.radio_range=2": "simulator.radio_range: 2 m found, expected 0, or simulator.onboard: true beside it",
    "--set simulator={onboard: true, radio_range: 2, agree: false}": "agree: false found, expected true",
    "--set simulator.dt=0.03": "0.03 s found, expected a whole part of control.period",
    "--set social.laws=[{equilibrum: 1}]": "unknown key, did you mean equilibrium?",
    "--set social.laws=[{terms: [1]}]": "expected pairs",
    "--set phases=[{set: {separation.wait: 1}}]": "unknown key; expected one of weight",
    "--set world=nowhere.world": "nowhere.world not found, expected a Stage .world file",
    "--set separation.weight": "expected PATH=VALUE",
    "--set =1": "expected PATH=VALUE",
    "--set duration=[": "not YAML: expected",
    "--robots 0": "0 found, expected a whole number from 1 to 1000000",
    "--robots many": "'many' found, expected a whole number from 1 to 1000000",
    "--robots 1.5": "1.5 found, expected a whole number",
    "--duration abc": "'abc' found, expected a number",
    "--duration -1": "-1 found, expected a number from 0.001",
    "--seed x": "'x' found, expected a whole number",
    "--seed -1": "-1 found, expected a whole number from 0",
    "--world missing.world": "no such world file",
}


@pytest.mark.parametrize("option", WRONG)
def test_the_option_is_named_as_typed_with_what_was_expected(option, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, _, value = option.partition(" ")
    assert main(["simulate", "flock_frame", name, value]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"swarm: {option}: ") and WRONG[option] in lines[0], lines
    assert ".yaml" not in lines[0] and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "guilty"),
    [
        ("--set separation.weight=1 --set duration=abc --seed 3", "--set duration=abc"),
        ("--set duration=abc --duration xyz", "--duration xyz"),
        ("--robots 3 --set leaders.count=4", "--robots 3"),
        ("--set separation.weight=1 --set simulator.dt=0.02 --seed 1", "--set simulator.dt=0.02"),
    ],
)
def test_of_several_options_the_one_is_named_that_brings_the_error(arguments, guilty, capsys):
    assert main(["simulate", "flock_frame", *shlex.split(arguments)]) == 2
    assert capsys.readouterr().err.startswith(f"swarm: {guilty}: ")


def test_what_is_wrong_in_the_file_is_not_put_on_an_option(capsys, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("robots: [{count: 2}]\ncontrol: {separation: {wieght: 1}}\n")
    assert main(["simulate", str(file), "--set", "duration=1", "--robots", "3"]) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"swarm: {file}: control.separation.wieght: unknown key, did you mean weight?")
