"""``swarm sweep``."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from swarm_control.cli.whole_numbers import whole
from swarm_control.errors import InputError

EXAMPLE = (
    "Example: swarm sweep migrate_mixed --param separation.weight=0.1,0.2,0.4 --param robots=10,20 --seeds 10 --first-seed 100 "
    "--until-arrival --out results/weights"
)
ROWS = 40
"""Combinations that are printed; the others are in the table."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "sweep", epilog=EXAMPLE,
        description="Fly a scenario with many values of its parameters, each with several seeds: a table of all runs, and a picture with "
        "means and their 95 % intervals. Started again with the same folder, it flies only what is missing.",
    )  # fmt: skip
    option = parser.add_argument
    option("scenario", metavar="SCENARIO", help="a name that `swarm list` shows, or a YAML file")
    option(
        "--param", metavar="PATH=VALUES", action="append", default=[],
        help="values with commas between, or LOW:HIGH[:log] to draw from; robots too; repeat for more",
    )  # fmt: skip
    option("--design", default="grid", help="grid: all combinations; random, latin: --samples of them (default: %(default)s)")
    option("--samples", metavar="N", default="0", help="combinations to draw, unless all are flown")
    option("--design-seed", metavar="N", default="0", help="seed of what is drawn (default: %(default)s)")
    option("--seeds", metavar="N", default="5", help="runs of every combination (default: %(default)s)")
    option("--first-seed", metavar="K", default="0", help="the first of their seeds, K to K+N-1 (default: %(default)s)")
    option("--set", metavar="PATH=VALUE", action="append", default=[], help="change a value of the scenario; may be repeated")
    option("--until-arrival", action="store_true", help="end each run when the last goal has been reached")
    option("--measure", metavar="NAME", action="append", default=[], help="of summary.json, to print and draw; default: those that vary")
    option("--jobs", metavar="N", default="0", help="processes, or a queueing system's jobs; 0: one process for each core")
    option("--cluster", metavar="ADDRESS", default="", help="a Dask scheduler (tcp://…) or a queueing system (slurm), not this machine")
    option("--out", metavar="DIR", help="folder for the results (default: results/sweep_SCENARIO)")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Fly what is missing, show progress, write table and picture, print the means."""
    from swarm_control.analysis.cluster import executors
    from swarm_control.analysis.sweep.design import DESIGNS, axis_of, combinations
    from swarm_control.analysis.sweep.runs import RunStore
    from swarm_control.analysis.sweep.sweep import fly_all, runs_of
    from swarm_control.cli.progress import ProgressBar
    from swarm_control.files import checked_directory, output_directory
    from swarm_control.scenario.loader import load

    loaded = load(options.scenario, options.set)
    if options.design not in DESIGNS:
        raise InputError("--design", f"{options.design!r} found, expected one of {', '.join(DESIGNS)}")
    if not options.param:
        raise InputError("--param", "none found, expected a parameter and its values, as in separation.weight=0.1,0.2")
    count, first = whole(options, "seeds", 1), whole(options, "first_seed", 0)
    axes = [axis_of(options.scenario, options.set, text) for text in options.param]
    values = combinations(axes, options.design, whole(options, "samples", 0), whole(options, "design_seed", 0))
    measures = _checked_measures(options.measure)
    runs = runs_of(options.scenario, options.set, values, range(first, first + count), options.until_arrival)
    out = checked_directory(Path(options.out or f"results/sweep_{loaded.scenario.name}"), "--out")
    store = RunStore(output_directory(out / "runs"))
    make = executors(whole(options, "jobs", 0) or None, options.cluster)
    rows = fly_all(runs, store, make, ProgressBar())
    _report(out, rows, axes, measures, loaded.scenario.name)
    return 0


def _checked_measures(names: Sequence[str]) -> list[str]:
    from swarm_control.analysis.metrics import METRICS
    from swarm_control.errors import nearest

    known = [measure.key for metric in METRICS.values() for measure in metric.measures]
    for name in names:
        if name.rpartition(".")[2] not in known:
            raise InputError(f"--measure {name}", f"unknown measure{nearest(name, known)}")
    return list(names)


def _report(out: Path, rows: list[dict[str, Any]], axes: Sequence[Any], measures: list[str], name: str) -> None:
    """Write table and picture, print the means."""
    from swarm_control.analysis.sweep.picture import draw
    from swarm_control.analysis.sweep.table import measures_that_vary, write_csv, write_parquet
    from swarm_control.analysis.tuning.objective_function import OBJECTIVES

    shown = measures or measures_that_vary(rows, list(OBJECTIVES))
    failed = [row for row in rows if row["error"]]
    paths = [axis.path for axis in axes]
    _print(rows, paths, shown)
    _print_ranks(rows, paths, shown)
    for text in dict.fromkeys(row["error"] for row in failed):
        print(f"not flown, {sum(row['error'] == text for row in failed)} of {len(rows)} runs: {text}")
    seeds = sorted({row["seed"] for row in rows})
    title = f"{name}, seeds {seeds[0]} to {seeds[-1]}: means and 95 % intervals"
    written = [write_csv(out / "sweep.csv", rows), write_parquet(out / "sweep.parquet", rows)]
    if shown:
        written.append(draw(out / "sweep.png", rows, axes, shown, title))
    for path in written:
        print(f"  {path}" if path else "  no sweep.parquet: it needs pyarrow, as `pip install 'swarm_control[cluster]'` brings it")


def _print(rows: list[dict[str, Any]], paths: list[str], measures: list[str]) -> None:
    """A line for each combination: its values, how many runs there are, the mean of each measure with its interval."""
    from swarm_control.analysis.sweep.table import combinations_of, mean_of

    lines = [[*paths, "runs", *measures]]
    every = combinations_of(rows, paths)
    for values, made in list(every.items())[:ROWS]:
        means = [mean_of(made, measure) for measure in measures]
        lines.append([*(f"{value}" for value in values), str(len(made)), *("–" if mean is None else str(mean) for mean in means)])
    _print_lines(lines)
    if len(every) > ROWS:
        print(f"… and {len(every) - ROWS} more combinations, in the table")


def _print_ranks(rows: list[dict[str, Any]], paths: list[str], measures: list[str]) -> None:
    """How each measure goes with each parameter over all runs, where a parameter has many values: Spearman's rank correlation."""
    from swarm_control.analysis.sweep.table import rank_correlation

    found = {path: [rank_correlation(rows, path, measure) for measure in measures] for path in paths}
    lines = [[path, *("–" if rank is None else f"{rank:+.2f}" for rank in ranks)] for path, ranks in found.items() if any(ranks)]
    if lines:
        print("\nrank correlation with each parameter, -1 to 1:")
        _print_lines([["", *measures], *lines])


def _print_lines(lines: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
