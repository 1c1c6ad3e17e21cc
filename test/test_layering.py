"""Who may import whom, what costs time to import, and the house's rules of size. Each rule lists all its violations at once."""

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import swarm_control

pytestmark = pytest.mark.xdist_group("layering")  # so that the package is parsed once

ROOT = Path(swarm_control.__file__).parent
LAYERS = (
    {"errors", "paths", "files", "options", "terminal"}, {"core"}, {"robots", "social", "gait"},
    {"behaviours", "formation", "safety", "world"}, {"scenario"}, {"runtime"}, {"hardware"}, {"sim"}, {"analysis"},
    {"dashboard", "ros", "cli"},
)  # fmt: skip
"""From the bottom to the top: a folder imports itself and those of layers below."""

SIDEWAYS = {("files", "errors"), ("options", "errors"), ("robots", "gait"), ("ros", "dashboard"), ("cli", "ros"), ("cli", "dashboard")}
"""Within a layer: the hexapod has a gait; a node feeds the dashboard; the command line starts everything."""

ROS = {"rclpy", "rcl_interfaces", "builtin_interfaces", "tf2_ros", "tf_transformations", "launch", "launch_ros"}
HEAVY = {
    "matplotlib", "aiohttp", "ruamel", "mujoco", "shapely", "PIL", "serial", "cv2", "navground", "pettingzoo", "gymnasium", "numba",
    "onnxruntime", "scipy.spatial", "scipy.ndimage", "scipy.optimize", "scipy.linalg", "scipy.stats", "scipy.integrate",
}  # fmt: skip
"""What takes long to import: on use only."""

FOR_KERNELS = "swarm_control/core/compiled.py"
"""The one module that may import numba: all kernels are made there."""

FOR_PETTINGZOO = "swarm_control/analysis/rl/pettingzoo_env.py"
"""The one module that imports it; itself it is imported on use only."""

LINES, FUNCTION_LINES = 200, 50
TOO_LONG = {
    "swarm_control/analysis/simulation.py",
    "swarm_control/core/state.py", "swarm_control/dashboard/server.py",
    "swarm_control/ros/messages/cdr.py", "swarm_control/ros/messages/convert.py",
    "swarm_control/ros/nodes/simulator.py", "swarm_control/ros/support/observer.py",
    "swarm_control/runtime/formation_controller.py", "swarm_control/scenario/schema.py",
    "swarm_control/sim/hardware/ports.py",
}  # fmt: skip
"""Files, and functions of files, that are longer than the rule has it. Nothing is added; what has become shorter is taken off."""


@dataclass(frozen=True)
class Import:
    """``name``: what is imported, dotted, ``from a import b`` as ``a.b``. ``late``: inside a function. ``typing``: for checkers alone."""

    place: str
    name: str
    late: bool
    typing: bool


@cache
def modules() -> dict[Path, ast.Module]:
    """Every file of the package, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.rglob("*.py"))}


def where(path: Path) -> str:
    return str(path.relative_to(ROOT.parent))


def folder(path: Path) -> str:
    """First part of a module's name within the package; empty for the package itself."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


@cache
def imports(path: Path) -> tuple[Import, ...]:
    """Every import of a file."""

    def walk(node: ast.AST, late: bool, typing: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            place = f"{where(path)}:{getattr(child, 'lineno', 0)}"
            if isinstance(child, ast.Import):
                yield from (Import(place, alias.name, late, typing) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                source = "." * child.level + (child.module or "")
                yield from (Import(place, f"{source}.{alias.name}", late, typing) for alias in child.names)
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            checking = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            yield from walk(child, late or inside, typing or checking)

    return tuple(walk(modules()[path], False, False))


def every_import() -> Iterator[tuple[Path, Import]]:
    for path in modules():
        for one in imports(path):
            yield path, one


def layer(name: str) -> int:
    """Height of a folder's layer; above all of them for the package's own face."""
    return next((height for height, names in enumerate(LAYERS) if name in names), len(LAYERS) if not name else -1)


def may_import(importer: str, imported: str) -> bool:
    same = importer == imported or (importer, imported) in SIDEWAYS
    return same or imported == "__version__" or 0 <= layer(imported) < layer(importer)


def is_one_of(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def expect_none(violations: Iterable[str]) -> None:
    found = list(violations)
    assert not found, "\n".join(("", *found))


def test_every_folder_has_a_layer():
    expect_none(where(path) for path in modules() if layer(folder(path)) < 0)


def test_no_import_points_back():
    own = ((path, one) for path, one in every_import() if one.name.split(".")[0] == "swarm_control")
    expect_none(f"{one.place}: {one.name}" for path, one in own if not may_import(folder(path), [*one.name.split("."), ""][1]))


def test_imports_are_absolute():
    expect_none(one.place for _, one in every_import() if one.name.startswith("."))


def test_modules_do_not_import_one_another_in_a_circle():
    names = {".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in modules()}
    known = {
        name: {found for one in imports(path) if not one.late and not one.typing for found in module_of(one.name, names)} - {name}
        for name, path in names.items()
    }
    while free := {name for name, needs in known.items() if not needs & known.keys()}:
        known = {name: needs for name, needs in known.items() if name not in free}
    expect_none(sorted(known))


def module_of(imported: str, names: dict[str, Path]) -> set[str]:
    """The module of the package that an import needs: itself, or that of which it is a part."""
    return {imported} if imported in names else {imported.rpartition(".")[0]} & names.keys()


def test_ros_is_imported_in_its_folder_only():
    found = ((path, one) for path, one in every_import() if is_one_of(one.name, ROS) or one.name.split(".")[0].endswith("_msgs"))
    expect_none(f"{one.place}: {one.name}" for path, one in found if folder(path) != "ros")


def test_nothing_heavy_is_imported_before_it_is_used():
    early = (one for _, one in every_import() if not one.late and not one.typing and is_one_of(one.name, HEAVY))
    expect_none(f"{one.place}: {one.name}" for one in early if not one.place.startswith((FOR_KERNELS, FOR_PETTINGZOO)))
    modules = (one for _, one in every_import() if not one.late and not one.typing)
    expect_none(one.place for one in modules if "pettingzoo_env" in one.name)


def test_what_a_module_says_that_it_offers_is_there():
    for path, tree in modules().items():
        offered = (s.value for s in tree.body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == "__all__")
        found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {getattr(node, "name", "") for node in ast.walk(tree)}
        found |= {alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        said = (name.value for names in offered for name in getattr(names, "elts", ()) if isinstance(name, ast.Constant))
        expect_none(f"{where(path)}: __all__ has {name}, which is not there" for name in said if name not in found)


def test_no_two_classes_have_one_name():
    places = defaultdict(list)
    for path in (*modules(), *sorted((ROOT.parent / "experiments").rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{where(path)}:{node.lineno}")
    expect_none(f"{name}: {', '.join(found)}" for name, found in places.items() if len(found) > 1)


def test_files_and_functions_are_short_but_for_those_that_are_known_to_be_long():
    files = {where(path) for path in modules() if len(path.read_text(encoding="utf-8").splitlines()) > LINES}
    functions = {
        f"{where(path)}:{node.name}" for path, tree in modules().items() for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES
    }  # fmt: skip
    found = files | functions
    expect_none(f"{name}: longer than {LINES} lines, or {FUNCTION_LINES} for a function" for name in sorted(found - TOO_LONG))
    expect_none(f"{name}: no longer too long, take it off the list" for name in sorted(TOO_LONG - found))


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*sorted(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent).stdout.split())


def test_a_headless_run_loads_what_it_needs_and_no_more():
    loaded = loaded_by("import swarm_control.cli.main, swarm_control.analysis.simulation, swarm_control.scenario.setup")
    assert "swarm_control.core.pipeline" in loaded
    assert not {name for name in loaded if name in HEAVY - {"numba"} | ROS}


def test_the_package_itself_loads_nothing():
    assert not loaded_by("import swarm_control") & (HEAVY | ROS | {"numpy", "scipy", "yaml"})
