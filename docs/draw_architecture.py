"""Draw the swarm tick and the node graph from the code: ``python docs/draw_architecture.py``.

The tick is read from the statements of ``core/pipeline.py: tick``; the graph from the ``publisher(…)`` and ``subscribe(…)`` calls in
``ros/``. Nothing is imported but the source text, so that the pictures cannot say what the code does not.
"""

import ast
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "swarm_control"
IMAGES = ROOT / "docs" / "images"
NODES = ("simulator", "neighbourhood", "behaviours", "virtual_structure", "motion_model", "director", "guard")
IMPORT = re.compile(r"^from swarm_control\.ros\.(support|messages)\.(\w+) import", re.MULTILINE)


def steps(name: str = "tick") -> list[tuple[str, list[str], list[str]]]:
    """Each call in a function of the pipeline as (function, names it takes, names it makes), as done for one squad."""
    tree = ast.parse((PACKAGE / "core" / "pipeline.py").read_text(encoding="utf-8"))
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    found = []
    for statement in function.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            called = ast.unparse(statement.value.func)
            if called == "desired_accelerations":
                found += steps("_desired")
                continue
            target = statement.targets[0]
            makes = [e.id for e in target.elts if isinstance(e, ast.Name)] if isinstance(target, ast.Tuple) else [ast.unparse(target)]
            takes = [ast.unparse(argument) for argument in statement.value.args]
            found.append((called, takes, makes))
    return found


def draw_tick(path: Path) -> None:
    """The tick as a row of boxes with what flows between them."""
    import matplotlib.pyplot as plt

    chain = steps()
    figure, axes = plt.subplots(figsize=(3.1 * len(chain) + 1.5, 2.6))
    for k, (function, takes, makes) in enumerate(chain):
        x = 3.0 * k
        _box(axes, x, 0.0, function, "#dbe7f5")
        made_before = {name for _, _, names in chain[:k] for name in names}
        settings = [name for name in takes if name.split(".")[0] not in made_before and name not in ("state", "parts", "around", "control")]
        axes.text(x, -0.62, "\n".join(settings), ha="center", va="top", fontsize=7, color="#555555")
        axes.annotate("", (x + 2.05, 0.0), (x + 0.85, 0.0), arrowprops={"arrowstyle": "-|>", "color": "#333333"})
        axes.text(x + 1.45, 0.12, "\n".join(makes), ha="center", va="bottom", fontsize=8)
    axes.annotate("", (-0.95, 0.0), (-2.1, 0.0), arrowprops={"arrowstyle": "-|>", "color": "#333333"})
    axes.text(-1.5, 0.12, "state\n(odometry)", ha="center", va="bottom", fontsize=8)
    axes.text(3.0 * len(chain) - 0.9, 0.0, "cmd_vel", ha="left", va="center", fontsize=8)
    _save(figure, axes, path, (-2.4, 3.0 * len(chain) + 0.2), (-2.1, 1.0))


def wires() -> dict[str, tuple[set[str], set[str]]]:
    """For each node's module: the topics that it reads and writes."""
    names = _topic_names()
    found: dict[str, tuple[set[str], set[str]]] = {}
    for node in NODES:
        reads: set[str] = set()
        writes: set[str] = set()
        for module in _modules_of(node):
            tree = ast.parse(module.read_text(encoding="utf-8"))
            local = {ast.unparse(s.targets[0]): s.value for s in ast.walk(tree) if isinstance(s, ast.Assign)}
            for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call) and len(n.args) > 1):
                kind = ast.unparse(call.func).split(".")[-1]
                said = local.get(ast.unparse(call.args[1]), call.args[1])
                topics = {names[n.attr] for n in ast.walk(said) if isinstance(n, ast.Attribute) and n.attr in names}
                if kind == "publisher":
                    writes |= topics
                elif kind == "subscribe":
                    reads |= topics
        found[node] = (reads, writes)
    return found


def _modules_of(node: str) -> list[Path]:
    """The node's own module and what it imports of ``ros/support`` and ``ros/messages``, but for what every node has."""
    found = [PACKAGE / "ros" / "nodes" / f"{node}.py"]
    for path in found:
        for folder, name in IMPORT.findall(path.read_text(encoding="utf-8")):
            helper = PACKAGE / "ros" / folder / f"{name}.py"
            if name not in ("node", "status") and helper not in found:
                found.append(helper)
    return found


def _topic_names() -> dict[str, str]:
    tree = ast.parse((PACKAGE / "ros" / "graph" / "topics.py").read_text(encoding="utf-8"))
    return {
        ast.unparse(s.targets[0]): s.value.args[0].value
        for s in tree.body
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call) and ast.unparse(s.value.func) == "Topic"
        and isinstance(s.value.args[0], ast.Constant)
    }  # fmt: skip


def draw_graph(path: Path) -> None:
    """The nodes as columns, the topics as lines between those that write and read them."""
    import matplotlib.pyplot as plt

    graph = wires()
    topics = [t for t in dict.fromkeys(_topic_names().values()) if any(t in writes | reads for reads, writes in graph.values())]
    figure, axes = plt.subplots(figsize=(2.2 * len(graph) + 1.5, 0.42 * len(topics) + 1.4))
    for x, node in enumerate(graph):
        axes.plot((x, x), (0.4, -len(topics)), color="#cccccc", lw=1, zorder=0)
        _box(axes, x, 0.9, node, "#e3f1de")
    for k, topic in enumerate(topics):
        y = -0.3 - k
        columns = [x for x, (reads, writes) in enumerate(graph.values()) if topic in reads | writes]
        axes.plot((min(columns), max(columns)), (y, y), color="#5b7fa6", lw=1.2, zorder=1)
        for x, (reads, writes) in enumerate(graph.values()):
            if topic in writes:
                axes.plot(x, y, "o", color="#1f4e79", ms=9)
            elif topic in reads:
                axes.plot(x, y, "v", color="#d9822b", ms=9)
        axes.text(-0.55, y, topic.replace("{robot}", "<robot>"), ha="right", va="center", fontsize=9, family="monospace")
    axes.text(-0.55, 0.9, "● writes  ▼ reads", ha="right", va="center", fontsize=8, color="#555555")
    _save(figure, axes, path, (-1.9, len(graph) - 0.3), (-len(topics) - 0.2, 1.6))


def _box(axes: Any, x: float, y: float, text: str, colour: str) -> None:
    axes.text(x, y, text, ha="center", va="center", fontsize=10, bbox={"boxstyle": "round,pad=0.7", "fc": colour, "ec": "#555555"})


def _save(figure: Any, axes: Any, path: Path, x: tuple[float, float], y: tuple[float, float]) -> None:
    axes.set(xlim=x, ylim=y)
    axes.axis("off")
    figure.savefig(path, dpi=110, bbox_inches="tight", facecolor="white")


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    IMAGES.mkdir(parents=True, exist_ok=True)
    draw_tick(IMAGES / "tick.png")
    draw_graph(IMAGES / "graph.png")
