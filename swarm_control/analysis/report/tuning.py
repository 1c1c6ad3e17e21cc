"""What a tuning leaves behind: the best parameters as YAML with the evidence, the scenario with them, and a picture of the search."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.tuning.search import Candidate, Result, TuningProblem
from swarm_control.analysis.tuning.space import changes
from swarm_control.files import replacing
from swarm_control.scenario.loader import load
from swarm_control.scenario.overrides import keys_of
from swarm_control.scenario.tree import to_data
from swarm_control.scenario.yaml_text import dump_yaml


def write(out: Path, problem: TuningProblem, result: Result) -> list[Path]:
    """Write ``parameters.yaml``, ``scenario.yaml`` and ``tuning.png`` into ``out``; return their paths."""
    evidence = "".join(f"# {line}\n" for line in _evidence(problem, result))
    loaded = load(problem.scenario, [*problem.overrides, *changes(result.best.values)])
    contents = {"parameters.yaml": _nested(result.best.values), "scenario.yaml": to_data(loaded.scenario)}
    for name, data in contents.items():
        with replacing(out / name) as temporary:
            temporary.write_text(evidence + dump_yaml(data), encoding="utf-8")
    picture = out / "tuning.png"
    _draw(result, picture)
    return [*(out / name for name in contents), picture]


def _nested(values: Mapping[str, float | int]) -> dict[str, Any]:
    """Dotted paths as the mappings of a scenario file; items of lists by their number."""
    tree: dict[str, Any] = {}
    for path, value in values.items():
        *parents, last = keys_of(path)
        place = tree
        for key in parents:
            place = place.setdefault(key, {})
        place[last] = value
    return tree


def _evidence(problem: TuningProblem, result: Result) -> list[str]:
    terms = " + ".join(f"{term.weight:g}·{term.metric}" for term in problem.objective.terms)
    kept = "; ".join(f"{c.metric} {c.comparison} {c.bound:g}" for c in problem.objective.constraints)
    lines = [f"Tuned on {Path(problem.scenario).name}: {terms}" + (f", such that {kept}" if kept else "") + "."]
    lines.append(f"{len(result.candidates) - 1} candidates with seeds {_range(problem.seeds)}; CMA-ES, seed {problem.seed}.")
    lines += [f"changed beforehand: {change}" for change in problem.overrides]
    for name, candidate, held in (("start", result.candidates[0], result.start_held_out), ("best", result.best, result.best_held_out)):
        lines.append(f"{name}: {_shown(candidate)}" + (f"; seeds not seen in the search: {_shown(held)}" if held.summaries else ""))
    return lines


def _range(seeds: tuple[int, ...]) -> str:
    return f"{seeds[0]} to {seeds[-1]}"


def _shown(candidate: Candidate) -> str:
    return f"cost {candidate.score.cost:.4g}, constraints broken by {candidate.score.violation:.4g}"


def _draw(result: Result, path: Path) -> None:
    """Cost of every candidate, and the best so far; those that break a constraint as crosses."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    cost = np.array([candidate.score.cost for candidate in result.candidates])
    keeps = np.array([candidate.score.violation == 0.0 for candidate in result.candidates])
    index = np.arange(len(cost))
    best = np.minimum.accumulate(np.where(keeps, cost, np.inf))
    figure = Figure(figsize=(7.0, 4.2), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.plot(index[keeps], cost[keeps], "o", ms=4, color="#1f77b4", alpha=0.6, label="candidate")
    axes.plot(index[~keeps], cost[~keeps], "x", ms=4, color="#999999", label="breaks a constraint")
    axes.plot(index, np.where(np.isfinite(best), best, np.nan), drawstyle="steps-post", color="#d62728", label="best so far")
    axes.set(xlabel="candidate (0: the scenario's own values)", ylabel="cost")
    axes.legend(fontsize=8)
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png")
