"""Groups, landmarks and laws in scenario files: what is made of them, and what is refused in one line."""

import numpy as np
import pytest
import yaml

from swarm_control.errors import InputError
from swarm_control.scenario.consistency import contradictions
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Control, Landmarks, Scenario
from swarm_control.scenario.society import landmark_points, make_society
from swarm_control.scenario.tree import build, change, to_data, to_text

GUARDS = """
robots:
  - {count: 3, group: "guards, north"}
  - {count: 1, group: invader, role: leading, way: [[5, 5, 0], [0, 0, 10]], start: {center: [5, 5]}}
landmarks:
  - {group: castle, shape: circle, radius: 2, count: 8}
control:
  social:
    weight: 1
    laws:
      - {acts_on: guards, of: castle, equilibrium: 3, repulsion: 3, attraction: 1}
      - {acts_on: guards, of: guards, terms: [-0.5, 2, 0.1, 1]}
      - {acts_on: guards, of: invader, spring: 2, length: 0.5, near: 0.1, far: 4}
"""


def written(tmp_path, text):
    path = tmp_path / "guards.yaml"
    path.write_text(text)
    return load(str(path))


def test_groups_and_landmarks_become_kinds(tmp_path):
    scenario = written(tmp_path, GUARDS).scenario
    position = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [5.0, 5.0]])
    society = make_society(scenario.robots, position, scenario.landmarks, "here")
    assert society.kinds[society.robot[0]] == {"", "guards", "north"} and society.kinds[society.robot[3]] == {"", "invader"}
    assert len(society.landmark) == 8 and {society.kinds[k] for k in society.landmark_kind} == {frozenset({"castle"})}
    assert society.leads.tolist() == [False, False, False, True]
    (way,) = society.ways
    assert way.robots.tolist() == [3] and way.time.tolist() == [0, 10] and way.point.tolist() == [[5, 5], [0, 0]]


def test_the_resolved_scenario_reads_as_the_same(tmp_path):
    scenario = written(tmp_path, GUARDS).scenario
    again = build(Scenario, yaml.safe_load(yaml.safe_dump(to_data(scenario))), "again")
    assert again == scenario


@pytest.mark.parametrize("as_text", [False, True])
def test_laws_are_changed_as_a_whole_by_mappings_or_texts(tmp_path, as_text):
    control = written(tmp_path, GUARDS).scenario.control
    laws = [to_text(law) for law in control.social.laws]
    assert laws[2] == "{acts_on: guards, of: invader, spring: 2.0, length: 0.5, near: 0.1, far: 4.0}"
    given = laws if as_text else [yaml.safe_load(text) for text in laws]
    assert change(Control(), {"social.laws": given}, "here").social.laws == control.social.laws
    assert change(control, {"social.laws": []}, "here").social.laws == ()


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("of: castle", "of: castel", r"laws\[0\]\.of: 'castel', a group without members found, expected one of castle, guards, invader"),
        ("acts_on: guards, of: castle", "acts_on: castle, of: castle", "a group of landmarks, which feel nothing, found"),
        ("length: 0.5", "lenght: 0.5", r"laws\[2\]\.lenght: unknown key"),
        ("repulsion: 3", "repulsion: 0", r"laws\[0\]\.repulsion: 0 found, expected a number from 0.01"),
        ("[-0.5, 2, 0.1, 1]", "[-0.5, -2]", "exponent -2 found, expected one greater than 0"),
        ('"guards, north"', '"guards,,"', "names of groups with commas between"),
        ("role: leading, ", "", "a way of ordinary robots found"),
        ("[0, 0, 10]", "[0, 0, 0]", "times that do not grow"),
        ("[0, 0, 10]", "[0, 0]", r"way\[1\]: \[0, 0\] found, expected a list of 3 numbers .* \(m, m, s\)"),
        ("shape: circle, radius: 2, count: 8", "shape: line, points: [0, 0, 1]", "3 numbers found, expected x and y of at least 2 points"),
        ("shape: circle, radius: 2, count: 8", "shape: outline, points: [0, 0, 1, 1, 1, 0, 0, 1]", "sides 0 and 2 meet"),
        ("group: castle, ", "", "landmarks in no group"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_one_line(tmp_path, old, new, complaint):
    assert old in GUARDS
    with pytest.raises(InputError, match=complaint) as caught:
        written(tmp_path, GUARDS.replace(old, new))
    assert "guards.yaml" in str(caught.value) and "\n" not in str(caught.value)


def test_phases_may_not_name_groups_that_are_not_there(tmp_path):
    phase = "phases: [{start: 1, set: {social.laws: ['{acts_on: guards, of: ghosts, spring: 1}']}}]"
    with pytest.raises(InputError, match=r"phases\[0\]\.set: social\.laws\[0\]\.of: 'ghosts'"):
        written(tmp_path, GUARDS + phase)
    assert written(tmp_path, GUARDS + phase.replace("ghosts", "invader"))


def test_lines_and_outlines_are_filled_evenly():
    line = landmark_points(Landmarks(shape="line", points=(0, 0, 1, 0, 1, 2), spacing=0.5), "here")
    assert line.tolist() == [[0, 0], [0.5, 0], [1, 0], [1, 0.5], [1, 1], [1, 1.5], [1, 2]]
    square = landmark_points(Landmarks(shape="outline", points=(0, 0, 3, 0, 3, 3, 0, 3), spacing=0.7), "here")
    gaps = np.linalg.norm(np.roll(square, -1, axis=0) - square, axis=1)
    assert len(square) == 20 and np.allclose(gaps, 0.6)
    circle = landmark_points(Landmarks(shape="circle", center=(1, 2), radius=3, count=5), "here")
    assert np.allclose(np.linalg.norm(circle - [1, 2], axis=1), 3) and len(circle) == 5


def warnings(*laws, **social):
    return contradictions(build(Control, {"social": {"weight": 1, "laws": list(laws), **social}}, "here"))


def test_laws_that_cannot_keep_a_group_are_warned_of_with_their_equilibrium():
    assert warnings({"equilibrium": 1.25}) == []
    assert warnings({"acts_on": "a", "of": "b", "terms": [1, 2]}) == [], "to go to another group is no contradiction"
    (blown,) = warnings({"equilibrium": 1.25, "repulsion": 1, "attraction": 3})
    assert "attract without bound inside 1.25 m" in blown
    (loose,) = warnings({"acts_on": "a", "of": "a", "terms": [-1, 2]})
    assert "never attract, and no other group holds robots" in loose
    assert warnings({"terms": [-1, 2]}, {"terms": [1, 1]}) == [], "laws between the same groups add up"
    assert warnings({"acts_on": "a", "of": "a", "terms": [-1, 2]}, {"acts_on": "a", "of": "b", "spring": 1}) == [], "b holds it"
    (inside,) = warnings({"equilibrium": 0.03}, core_radius=0.1)
    assert "balance at 0.03 m, inside social.core_radius (0.1 m)" in inside
    (unstable,) = warnings({"acts_on": "a", "of": "b", "terms": [1, 2, -1, 1]})
    assert "inside 1 m, the equilibrium, which is unstable" in unstable


def test_laws_without_weight_and_weight_without_laws_are_warned_of():
    assert any("no social.laws" in line for line in warnings())
    assert any("social.weight is 0" in line for line in warnings({"equilibrium": 1.0}, weight=0))


@pytest.mark.parametrize(("shape", "points"), [
    ("points", []), ("points", [1.0]), ("points", [1.0, 2.0, 3.0]), ("line", [0.0, 0.0]), ("line", [0.0, 0.0, 1.0, 1.0, 2.0]),
    ("outline", [0.0, 0.0, 1.0, 0.0]), ("outline", [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 2.0]),
])  # fmt: skip
def test_odd_numbers_and_too_few_points_are_refused(shape, points):
    with pytest.raises(InputError, match=f"{len(points)} numbers found, expected x and y of at least"):
        landmark_points(Landmarks(shape=shape, points=tuple(points)), "here")
