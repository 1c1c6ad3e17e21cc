"""Who may import whom: an import that points back, or costs time where nobody asked for it, fails here."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import swarm_control

ROOT = Path(swarm_control.__file__).parent
LAYER = {
    "core": 0, "world": 1, "scenario": 1, "drivers": 2, "sim": 3, "nodes": 4, "dashboard": 4, "report": 4, "experiments": 4, "cli": 4,
}  # fmt: skip
SIDEWAYS = {("cli", name) for name in ("nodes", "dashboard", "report", "experiments")} | {
    ("nodes", "dashboard"), ("experiments", "nodes"),
}  # fmt: skip
"""The command line starts everything; a node feeds the dashboard; experiments start the plan's processes."""

EVERYWHERE = {"errors", "paths"}
"""Modules of the package itself that know nothing of it."""

FOUNDATION = {"state", "geometry", "grid", "compiled", "parameters", "cells"}
"""Modules of ``core`` that all of ``core`` may use."""
ALSO = {
    "fields": {"walldistance"}, "motion": {"perception", "walldistance"}, "formation": {"motion"},
    "social": {"motion"}, "behaviours": {"social"},
    "pipeline": {"perception", "behaviours", "accumulation", "motion", "leaders", "fields", "social"},
}  # fmt: skip
"""What else a module of ``core`` may use of its siblings."""

ROS = {"rclpy", "rosgraph_msgs", "rcl_interfaces", "tf2_msgs", "tf2_ros", "launch", "launch_ros", "builtin_interfaces"}
HEAVY = {"matplotlib", "aiohttp", "ruamel", "mujoco", "shapely", "PIL", "serial", "cv2", "navground"}
"""Packages that take long to import: on use only."""

MODULES = sorted(ROOT.rglob("*.py"))


def name_of(path: Path) -> list[str]:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports(path: Path, top_level_only: bool = False) -> Iterator[tuple[str, int]]:
    """Every absolute module name that a file imports, with its line; imports for type checking alone do not count."""
    for node, inside in walk(ast.parse(path.read_text(encoding="utf-8")), False):
        if top_level_only and inside:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def walk(node: ast.AST, inside: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Nodes with whether they are inside a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child, inside
        yield from walk(child, inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))


def own(path: Path) -> Iterator[tuple[list[str], str]]:
    """What a file imports of this package, as parts of a name, and the place."""
    for module, line in imports(path):
        if module.split(".")[0] == "swarm_control":
            yield module.split(".")[1:], f"{path.relative_to(ROOT.parent)}:{line}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_import_points_back(path):
    layer = name_of(path)[0] if name_of(path) else ""
    if layer in EVERYWHERE or not layer:
        assert not [place for parts, place in own(path) if parts[0] != "__version__"]
        return
    assert layer in LAYER, f"{layer} has no place among the layers"
    for parts, place in own(path):
        if parts[0] in LAYER and parts[0] != layer:
            assert LAYER[parts[0]] < LAYER[layer] or (layer, parts[0]) in SIDEWAYS, f"{place}: {layer} imports {parts[0]}"


@pytest.mark.parametrize("path", [p for p in MODULES if name_of(p)[:1] == ["core"]], ids=lambda path: str(path.relative_to(ROOT)))
def test_siblings_in_core_know_only_the_foundation(path):
    me = name_of(path)[1] if len(name_of(path)) > 1 else ""
    for parts, place in own(path):
        assert parts[0] in {"core"} | EVERYWHERE, f"{place}: core imports {parts[0]}"
        if parts[0] == "core" and parts[1] != me and me != "pipeline":
            assert parts[1] in FOUNDATION | ALSO.get(me, set()), f"{place}: core.{me} imports core.{parts[1]}"


def test_the_foundation_rests_on_itself():
    for name in FOUNDATION:
        used = {parts[1] for parts, _ in own(ROOT / "core" / f"{name}.py")}
        assert used <= FOUNDATION, f"core.{name} imports {used - FOUNDATION}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_ros_is_imported_under_nodes_only(path):
    if name_of(path)[:1] != ["nodes"]:
        found = [f"{line}: {module}" for module, line in imports(path) if module.split(".")[0] in ROS or "_msgs" in module.split(".")[0]]
        assert not found, f"{path}:{found}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_heavy_is_imported_before_it_is_used(path):
    found = [f"{line}: {module}" for module, line in imports(path, top_level_only=True) if module.split(".")[0] in HEAVY]
    assert not found, f"{path}:{found}"


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*sorted(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent).stdout.split())


def test_a_headless_run_loads_what_it_needs_and_no_more():
    loaded = loaded_by("import swarm_control.cli.main, swarm_control.sim.runner, swarm_control.sim.setup")
    assert "swarm_control.core.pipeline" in loaded
    assert not loaded & (HEAVY | ROS | {"scipy.spatial", "scipy.ndimage", "scipy.optimize"})


def test_the_package_itself_loads_nothing():
    assert not loaded_by("import swarm_control") & (HEAVY | ROS | {"numpy", "numba", "scipy", "yaml"})
