from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swarm_control import paths
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load, version
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.tree import flatten, to_data

MINIMAL = """\
duration: 5
robots:
  - {count: 4, max_speed: 0.5}
  - {count: 2}
control:
  separation: {weight: 0.2, distance: 0.3}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Writes a scenario file of the given text, always the same."""
    path = tmp_path_factory.mktemp("scenarios") / "mine.yaml"

    def write(text: str | bytes) -> str:
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return str(path)

    return write


def refused(name: str, *overrides: str) -> str:
    """The one line with which this is refused."""
    with pytest.raises(InputError) as caught:
        load(name, overrides)
    line = str(caught.value)
    assert "\n" not in line and 10 < len(line) < 1000 and ":" in line
    return line


def test_a_file_is_read_over_the_defaults(file):
    loaded = load(file(MINIMAL))
    scenario = loaded.scenario
    assert loaded.source == Path(file(MINIMAL)) and scenario.name == "mine" and scenario.duration == 5.0
    assert [group.count for group in scenario.robots] == [4, 2] and scenario.robots[0].max_speed == 0.5
    assert scenario.control.separation.distance == 0.3
    assert scenario.control.perception == Scenario().control.perception


@pytest.mark.parametrize("name", sorted(paths.scenarios()))
def test_shipped_scenarios_load_and_survive_being_written(name, file):
    scenario = load(name).scenario
    assert scenario.name == name and scenario.description
    assert load(file(yaml.safe_dump(to_data(scenario)))).scenario == scenario


def test_changes_come_after_the_file_in_their_order(file):
    scenario = load(
        file(MINIMAL),
        ["separation.weight=0.7", "control.cohesion.weight=0.1", "robots.1.count=7", "robots[0].model=differential", "duration=3",
         "duration=2", "accumulation.priority=[seek, cohesion]", "goals=[{position: [1, 2]}]"],
    ).scenario  # fmt: skip
    assert scenario.control.separation.weight == 0.7 and scenario.control.separation.distance == 0.3
    assert scenario.control.cohesion.weight == 0.1 and scenario.duration == 2.0
    assert scenario.robots[1].count == 7 and scenario.robots[0].model == "differential"
    assert scenario.control.accumulation.priority == ("seek", "cohesion") and scenario.goals[0].position == (1.0, 2.0)


@pytest.mark.parametrize(("count", "shares"), [(2, [1, 1]), (6, [4, 2]), (9, [6, 3]), (1000, None)])
def test_a_number_of_robots_is_shared_in_the_groups_proportion(file, count, shares):
    groups = load(file(MINIMAL), [f"robots={count}"]).scenario.robots
    found = [group.count for group in groups]
    assert sum(found) == count and (shares is None or found == shares)
    assert abs(found[0] - 2 * found[1]) <= 2 or count == 2


@pytest.mark.parametrize(("count", "shares"), [(3, [1, 2]), (200, [198, 2])])
def test_robots_with_poses_of_their_own_stay_as_many(file, count, shares):
    placed = "robots: [{count: 20}, {count: 2, start: {pattern: poses, poses: [[9, 0, 0], [9, 1, 0]]}}]"
    assert [group.count for group in load(file(placed), [f"robots={count}"]).scenario.robots] == shares


def test_robots_given_where_the_file_has_none(file):
    assert [group.count for group in load(file("duration: 1"), ["robots=3"]).scenario.robots] == [3]


WRONG = {
    "weight: -1": ("control: {seek: {weight: -1}}", ("control.seek.weight", "-1", "from 0 to 100")),
    "unknown key": ("control: {seek: {wieght: 1}}", ("control.seek.wieght", "unknown key", "weight")),
    "unknown at the top": ("wurld: x", ("wurld", "unknown key", "world")),
    "not a mapping": ("control: [1, 2]", ("control", "[1, 2]", "mapping")),
    "text for a number": ("duration: long", ("duration", "'long'", "a number")),
    "a truth for a number": ("duration: yes", ("duration", "True", "a number")),
    "a fraction for a whole number": ("seed: 1.5", ("seed", "1.5", "whole number")),
    "not a number": ("duration: .nan", ("duration", "nan")),
    "infinite": ("goals: [{position: [.inf, 0]}]", ("goals[0].position", "2 numbers")),
    "too few coordinates": ("goals: [{position: [1]}]", ("goals[0].position", "[1]", "2 numbers")),
    "a huge number": ("duration: 0x" + "f" * 6000, ("duration", "a huge number", "from 0.001 to 1e+06")),
    "a wrong choice": ("robots: [{model: tracked}]", ("robots[0].model", "tracked", "omni", "differential")),
    "a wrong name in a list": ("control: {accumulation: {priority: [sink]}}", ("accumulation.priority", "sink", "separation")),
    "a list where a mapping is": ("robots: {count: 2}", ("robots", "a list was expected")),
    "poses missing": ("robots: [{count: 3, start: {pattern: poses, poses: [[0, 0, 0]]}}]", ("[0].start.poses", "1 poses", "3 robots")),
    "a pose too short": ("robots: [{start: {poses: [[0, 0]]}}]", ("robots[0].start.poses[0]", "3 numbers")),
    "steps that do not fit": ("simulator: {dt: 0.03}", ("simulator.dt", "0.03", "whole part")),
    "more leaders than robots": ("robots: [{count: 2}]\ncontrol: {leaders: {count: 3}}", ("leaders.count", "3", "at most 2")),
    "too many robots": ("robots: [{count: 1000000}, {count: 1}]", ("robots", "1000001", "1000000")),
    "a phase that sets nothing known": ("phases: [{set: {cohesion.wait: 1}}]", ("phases[0].set", "cohesion.wait", "unknown key")),
    "a phase that sets a group": ("phases: [{set: {cohesion: 1}}]", ("phases[0].set", "cohesion", "name one")),
    "a phase that changes the period": ("phases: [{set: {period: 0.1}}]", ("phases[0].set.period", "whole run")),
    "a name that is a path": ("name: ../../elsewhere", ("name", "elsewhere", "letters")),
    "a key twice": ("duration: 1\nduration: 2", (":2:", "duration", "twice")),
    "no YAML": ("robots: [", (":1:", "not YAML")),
    "a list": ("- 1", ("a mapping",)),
    "empty": ("", ("a mapping",)),
    "an impossible date": ("description: 2024-13-45", ("not YAML",)),
    "a python object": ("robots: !!python/object:os.system {}", ("not YAML",)),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_in_one_line(file, case):
    text, words = WRONG[case]
    path = file(text)
    line = refused(path)
    assert line.startswith(path)
    for word in words:
        assert word in line, line


def test_an_alias_bomb_is_refused_at_once(file):
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefghi", "bcdefghij"))
    assert "unknown key" in refused(file(bomb)) and "duration" in refused(file(bomb.replace("a: &a", "duration: &a", 1)))
    assert "mapping" in refused(file("control: &c [*c]"))


def test_files_that_can_not_be_read(file, tmp_path):
    assert "UTF-8" in refused(file(b"duration: \xff\xfe"))
    assert "no such scenario file" in refused(str(tmp_path / "none.yaml"))
    assert "a folder found, expected a scenario's YAML file" in refused(str(tmp_path) + "/")
    assert "not readable" in refused("/" + 300 * "x" + ".yaml")
    assert "migrate_boxes" in refused("migrate_boxs")
    assert refused("traffic_coridor").count("traffic_") == 1 + 3  # what is most alike, no more
    assert "expected a YAML file or one of" in refused("")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("separation.weight", "PATH=VALUE"), ("=3", "PATH=VALUE"), (".=3", "PATH=VALUE"), ("robots.9.count=1", "0 to 1"),
        ("robots.x.count=1", "'x'"), ("robots.²=1", "'²'"), ("goals.0=1", "empty"), ("robots.0.count.deep=1", "not in a mapping"),
        ("duration=[", "not YAML"), ("duration=2024-13-45", "not YAML"), ("separation.wieght=1", "did you mean control.separation.weight"),
        ("robots=0", "1 to 1000000"), ("robots=many", "'many'"), ("robots=1", "2 groups"), ("robots=2000000", "1 to 1000000"),
    ],
)  # fmt: skip
def test_changes_that_can_not_be_made(file, change, words):
    assert words in refused(file(MINIMAL + "goals: []\n"), change)


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates(), st.binary(max_size=4),
    st.sampled_from((-1, 0, 1e308, 10**400, "omni", "poses", [0, 0], [1, 2, 3])),
)  # fmt: skip
KEYS = st.sampled_from(sorted({part for name, _, _ in flatten(Scenario()) for part in name.split(".")} | {
    "robots", "world", "goals", "phases", "set", "start", "poses", "count", "model", "position", "pattern", "obstacle_area",
}))  # fmt: skip
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3) | st.integers(), inner, max_size=4),
    max_leaves=12,
)
TREES = st.dictionaries(st.sampled_from(sorted(Scenario.__dataclass_fields__)), DATA, max_size=4)


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES)
def test_any_data_is_loaded_or_refused(file, tree):
    path = file(yaml.safe_dump(tree, allow_unicode=True))
    try:
        scenario = load(path).scenario
    except InputError as error:
        assert str(error).startswith(path) and "\n" not in str(error) and len(str(error)) < 1000
    else:
        assert load(file(yaml.safe_dump(to_data(scenario)))).scenario == scenario


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
def test_any_text_is_loaded_or_refused(file, text):
    path = file(text.encode("utf-8", "surrogatepass"))
    try:
        load(path)
    except InputError as error:
        assert str(error).startswith(path) and "\n" not in str(error)


PATHS = st.lists(KEYS | st.sampled_from(("0", "1", "-1", "[0]", "", "x")), min_size=1, max_size=4).map(".".join)


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PATHS | st.text(max_size=9), DATA.map(lambda data: yaml.safe_dump(data, default_flow_style=True)) | st.text(max_size=12))
def test_any_change_is_made_or_refused(file, key, value):
    try:
        load(file(MINIMAL), [f"{key}={value}"])
    except InputError as error:
        assert "\n" not in str(error) and len(str(error)) < 1000


def test_the_version_of_a_file_that_is_not_there_is_zeros(tmp_path):
    assert version(tmp_path / "none.yaml") == (0, 0, 0) != version(Path(__file__))
