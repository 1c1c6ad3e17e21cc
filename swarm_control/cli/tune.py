"""``swarm tune``."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from swarm_control.cli.progress import ProgressBar
from swarm_control.cli.whole_numbers import whole
from swarm_control.errors import InputError

EXAMPLE = (
    "Example: swarm tune migrate_mixed --param separation.weight=0:1 --param cohesion.weight=0:1 "
    "--objective arrival_time --constraint 'collisions<=0' --out results/tuned"
)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    text = "Find the parameters with which a scenario does best over several seeds (CMA-ES). Started again, it goes on where it was."
    parser = commands.add_parser("tune", description=text, epilog=EXAMPLE)
    option = parser.add_argument
    option("scenario", metavar="SCENARIO", help="a name that `swarm list` shows, or a YAML file")
    for name, form, text in (
        ("--param", "PATH=LOW:HIGH[:log]", "a parameter to be tuned, and its range; repeat for more"),
        ("--objective", "METRIC[=WEIGHT]", "a measure of summary.json to improve; repeat for a weighted sum"),
        ("--constraint", "METRIC<=BOUND", "what every run must keep, also with >=; comes before the objective"),
        ("--set", "PATH=VALUE", "change a value of the scenario; may be repeated"),
    ):
        option(name, metavar=form, action="append", default=[], help=text)
    for name, number, text in (
        ("--seeds", "5", "runs of every candidate, seeds 0 to N-1"),
        ("--held-out", "10", "further seeds, to check the best with"),
        ("--evaluations", "100", "candidates to try"),
        ("--seed", "0", "seed of the search itself"),
        ("--jobs", "0", "processes; 0: one for each core"),
    ):
        option(name, metavar="N", default=number, help=f"{text} (default: %(default)s)")
    option("--cluster", metavar="ADDRESS", default="", help="a Dask scheduler (tcp://…) or a queueing system (slurm), not this machine")
    option("--out", metavar="DIR", help="folder for the results (default: results/tune_SCENARIO)")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Tune, show progress, write the best parameters with the evidence."""
    from swarm_control.analysis.cluster import executors
    from swarm_control.analysis.report.tuning import write
    from swarm_control.analysis.tuning.objective import objective_of
    from swarm_control.analysis.tuning.search import TuningProblem, search
    from swarm_control.analysis.tuning.space import space_of
    from swarm_control.files import output_directory
    from swarm_control.scenario.loader import find, load

    loaded = load(options.scenario, options.set)
    if not options.objective:
        raise InputError("--objective", "none found, expected a measure of summary.json, as in --objective arrival_time")
    seeds, held, evaluations = (whole(options, key, least) for key, least in (("seeds", 1), ("held_out", 0), ("evaluations", 1)))
    problem = TuningProblem(
        str(find(options.scenario)), tuple(options.set), space_of(options.scenario, options.set, options.param),
        objective_of(options.objective, options.constraint), tuple(range(seeds)), whole(options, "seed", 0),
    )  # fmt: skip
    out = output_directory(Path(options.out or f"results/tune_{loaded.scenario.name}"))
    make = executors(whole(options, "jobs", 0) or None, options.cluster)
    result = search(problem, out / "runs.jsonl", evaluations, range(seeds, seeds + held), _progress(), make)
    _print(result)
    for path in write(out, problem, result):
        print(f"  {path}")
    return 0


def _print(result: Any) -> None:
    start, best = result.candidates[0], result.best
    width = max(map(len, best.values))
    for path, value in best.values.items():
        print(f"  {path:{width}}  {start.values[path]:>10.6g} → {value:<10.6g}")
    rows = (("start", start, result.start_held_out), ("best", best, result.best_held_out))
    for name, candidate, held in rows:
        print(f"{name:5}  {_shown(candidate.score)}" + (f"   held-out seeds: {_shown(held.score)}" if held.summaries else ""))


def _shown(score: Any) -> str:
    return f"cost {score.cost:.4g}" + (f", constraints broken by {score.violation:.4g}" if score.violation else "")


def _progress() -> Callable[[int, int, Any], None]:
    """A bar that says the best so far, too."""
    bar = ProgressBar(at_most=True)
    return lambda done, total, best: bar(done, total, f", best: {_shown(best)}" if best else "")
