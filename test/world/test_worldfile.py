"""The syntax of world files: entities, tuples, macros, includes and the place named by every complaint."""

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.errors import InputError
from swarm_control.world.tokens import tokenize
from swarm_control.world.worldfile import Entity, WorldFile, parse

Value = float | str


@dataclass
class Tree:
    """An entity to write: properties by key, then children."""

    type: str
    properties: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    children: list["Tree"] = field(default_factory=list)


def emit(tree: Tree, seed: int = 0) -> str:
    """``tree`` as text, spaced and commented at random by ``seed``."""
    rng = random.Random(seed)
    lines = [f"{tree.type}{_gap(rng)}({_break(rng)}"]
    for key, values in tree.properties.items():
        written = _gap(rng).join(_value(value) for value in values)
        one = len(values) == 1 and rng.random() < 0.7
        lines.append(f"{key} {written}" if one else f"{key}{_gap(rng)}[{_gap(rng)}{written} ]")
        lines.append(_break(rng))
    for child in tree.children:
        lines.append(emit(child, rng.randrange(2**30)))
        lines.append(_break(rng))
    return "".join([*lines, ")"])


def _value(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _gap(rng: random.Random) -> str:
    return rng.choice((" ", "  ", "\t", " \t "))


def _break(rng: random.Random) -> str:
    return rng.choice((" ", "\n", "\n\n\t", ' # a ) remark ( " [\n', "\r\n"))


NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}(\[[0-9]{1,2}\])?", fullmatch=True).filter(
    lambda name: name not in ("include", "define")
)
TYPES = st.sampled_from(("model", "position", "block", "window", "anything"))
VALUES = st.floats(-1e6, 1e6) | st.text("abc /._-#()[]é", max_size=8)
PROPERTIES = st.dictionaries(NAMES, st.lists(VALUES, min_size=1, max_size=5).map(tuple), max_size=4)
TREES = st.recursive(
    st.builds(Tree, TYPES, PROPERTIES),
    lambda inner: st.builds(Tree, TYPES, PROPERTIES, st.lists(inner, max_size=3)),
    max_leaves=8,
)


def read(folder: Path, text: str, name: str = "a.world") -> WorldFile:
    (folder / name).write_text(text, encoding="utf-8")
    return parse(folder / name)


def tree(entity: Entity) -> Tree:
    values = {key: found.values for key, found in entity.properties.items()}
    return Tree(entity.type, values, [tree(child) for child in entity.children])


@settings(max_examples=150, deadline=None)
@given(TREES, st.integers(0, 2**30))
def test_reads_back_what_is_written(
    tmp_path_factory: pytest.TempPathFactory, written: Tree, seed: int
) -> None:
    entity = read(tmp_path_factory.getbasetemp(), emit(written, seed)).root.children[0]
    assert tree(entity) == written
    assert [list(entity.properties)] == [list(written.properties)]


def test_several_properties_on_one_line_and_lines_of_origin(tmp_path: Path) -> None:
    root = read(tmp_path, 'a 1 b [2 3] c "x"\n\nmodel ( d 4\ne[1] [5] )').root
    assert {key: found.values for key, found in root.properties.items()} == {
        "a": (1.0,),
        "b": (2.0, 3.0),
        "c": ("x",),
    }
    model = root.children[0]
    assert (model.line, model.properties["d"].line, model.properties["e[1]"].line) == (3, 3, 4)


def test_numbers_in_all_notations() -> None:
    texts = ["1", "-1", "+.5", "2.", "1e-3", "-1.5E+2"]
    assert [(t.kind, float(t.text)) for t in tokenize(" ".join(texts), "x")] == [
        ("number", value) for value in (1, -1, 0.5, 2, 1e-3, -150)
    ]


def test_macros_build_on_macros_and_what_comes_later_overrides(tmp_path: Path) -> None:
    root = read(
        tmp_path,
        """define base position ( size [1 1 1] color "red" ranger ( ) )
        define fast base ( color "blue" speed 2 )
        fast ( speed 3 fiducial ( ) )""",
    ).root
    robot = root.children[0]
    assert robot.type == "position" and robot.line == 3
    assert [(key, found.values) for key, found in robot.properties.items()] == [
        ("size", (1.0, 1.0, 1.0)),
        ("color", ("blue",)),
        ("speed", (3.0,)),
    ]
    assert [child.type for child in robot.children] == ["ranger", "fiducial"]


def test_first_definition_of_a_macro_counts(tmp_path: Path) -> None:
    file = read(tmp_path, "define a model ( x 1 )\ndefine a model ( x 2 )\na()")
    assert file.root.children[0].properties["x"].values == (1.0,)
    assert [token.line for token in file.ignored_macros] == [2]


def test_include_beside_the_world_or_beside_the_including_file(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "one.inc").write_text('include "two.inc"\nfrom_one 1\n')
    (tmp_path / "lib" / "two.inc").write_text("from_two 2\n")
    root = read(tmp_path, 'include "lib/one.inc"\nown 3').root
    assert list(root.properties) == ["from_two", "from_one", "own"]
    assert Path(root.properties["from_two"].file).name == "two.inc"
    (tmp_path / "two.inc").write_text("nearer 4\n")
    assert "nearer" in parse(tmp_path / "a.world").root.properties


def test_one_file_included_twice_is_no_circle(tmp_path: Path) -> None:
    (tmp_path / "m.inc").write_text("define m model ( )\n")
    assert len(read(tmp_path, 'include "m.inc"\ninclude "m.inc"\nm() m()').root.children) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("model\n(\n x 1", "a.world:2: this '(' is not closed"),
        ("model ( x [1 2\n", "a.world:1: this '[' is not closed"),
        ("\nx [1 y]", "a.world:2: expected a number, a string or ']', found 'y'"),
        (")", "a.world:1: expected a property or an entity"),
        ('x "abc\n"', 'the string "abc is not closed'),
        ("x 1,2", "unexpected character ','"),
        ("x 1.2.3", "expected a number, found 1.2.3"),
        ("x 1e999", "expected a finite number"),
        ("x { }", "unexpected character '{'"),
        ("x y", "expected a number, a string, '[' or '(' after x, found 'y'"),
        ("x", "after x, found the end of the file"),
        ("model ( 3 )", "expected a property, an entity or ')', found '3'"),
        ("include 3", 'a.world:1: expected include "file"'),
        ('\ninclude "none.inc"', "a.world:2: none.inc: no such world file"),
        ('include "a.world"', "a.world:1: a.world"),
        ("define", "expected define NAME base"),
        ("define a b 3", "expected '(' after define a b"),
        ("model ( define a b ( ) )", "expected define only outside"),
        ("define a a ( )\na()", "the macro a is defined by itself"),
        ("define a model ( b() )\ndefine b model ( a() )\na()", "is defined by itself"),
        ("x ( " * 100, "more than 60 entities inside one another"),
    ],
)
def test_complaints_name_the_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert complaint in str(error.value) and "a.world:" in str(error.value)
    assert "\n" not in str(error.value)


def test_include_circle_over_two_files(tmp_path: Path) -> None:
    (tmp_path / "b.inc").write_text('\ninclude "a.world"')
    with pytest.raises(InputError, match=r"b\.inc:2: a\.world: .*includes itself"):
        read(tmp_path, 'include "b.inc"')


def test_growth_of_macros_and_includes_is_bounded(tmp_path: Path) -> None:
    doubling = "".join(f"define a{i + 1} model ( a{i}() a{i}() )\n" for i in range(40))
    with pytest.raises(InputError, match="macros grow"):
        read(tmp_path, f"define a0 model ( )\n{doubling}a40()")
    for i in range(20):
        (tmp_path / f"{i}.inc").write_text(f'include "{i + 1}.inc"\n' * 2)
    (tmp_path / "20.inc").write_text("")
    with pytest.raises(InputError, match="at most 1000 includes"):
        parse(tmp_path / "0.inc")


def test_missing_folder_and_binary(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.world: no such world file"):
        parse(tmp_path / "none.world")
    with pytest.raises(InputError, match="not a folder"):
        parse(tmp_path)
    (tmp_path / "b.world").write_bytes(b"\x89PNG\x00\x01")
    with pytest.raises(InputError, match=r"b\.world: expected a world file in plain text"):
        parse(tmp_path / "b.world")


def test_comments_in_old_encodings_are_read(tmp_path: Path) -> None:
    (tmp_path / "l.world").write_bytes("x 1 # dužina, größe".encode("cp1250"))
    assert parse(tmp_path / "l.world").root.properties["x"].values == (1.0,)
