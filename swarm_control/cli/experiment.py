"""``swarm experiment``."""

import argparse
import difflib
import shlex
from pathlib import Path
from typing import Any

from swarm_control.cli.progress import ProgressBar
from swarm_control.cli.whole_numbers import whole
from swarm_control.errors import InputError


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "experiment",
        description="Reproduce a figure or table of a paper: picture, table, and whether its statement holds. Without a name: list them.",
        epilog="Example: swarm experiment social_walls --seeds 10 --first-seed 300",
    )  # fmt: skip
    parser.add_argument("name", metavar="NAME", nargs="?", help="an experiment, a page's name (all of its experiments), or all")
    out = "results/experiments"
    parser.add_argument("--out", metavar="DIR", default=out, help="folder for pictures, numbers and pages (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--seeds", metavar="N", help="number of seeds, in place of each experiment's own")
    parser.add_argument("--first-seed", metavar="K", help="the first of them: seeds K to K+N-1, in place of each experiment's own")
    parser.add_argument(
        "--set", metavar="PATH=VALUE", action="append", default=[],
        help="change every scenario that is flown, before the experiment does; may be repeated",
    )  # fmt: skip
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Run experiments and write what they find. A statement that does not hold is a finding, not a failure."""
    from swarm_control.analysis.experiments import EXPERIMENTS, Lab, load_experiments
    from swarm_control.analysis.experiments.page import save, write_pages
    from swarm_control.files import output_directory

    load_experiments()
    if not EXPERIMENTS:
        raise InputError("swarm experiment", "no experiments are installed; expected them from `pip install ./experiments` in a checkout")
    if options.name is None:
        width = max(map(len, EXPERIMENTS))
        print("\n".join(f"{name:{width}}  {experiment.help}" for name, experiment in EXPERIMENTS.items()))
        return 0
    names = _chosen(options.name)
    seeds = None if options.seeds is None else whole(options, "seeds", 1, 10_000)
    first = None if options.first_seed is None else whole(options, "first_seed", 0)
    out = output_directory(Path(options.out))
    for name in names:
        with Lab(options.quick, seeds, first, ProgressBar(f"runs of {name}"), options.set) as lab:
            finding = EXPERIMENTS[name].run(lab)
        _print(finding)
        for path in save(name, finding, _command(name, options, seeds, first), out):
            print(f"  {path}")
        pages = write_pages(out)  # after each, so that the page is never older than what it shows
    print("\n".join(map(str, pages)))
    return 0


def _chosen(name: str) -> list[str]:
    """Names of the experiments that an argument means."""
    from swarm_control.analysis.experiments import EXPERIMENTS, pages

    if name == "all":
        return list(EXPERIMENTS)
    if name in EXPERIMENTS:  # an experiment may have the name of its page
        return [name]
    if name in pages():
        return [key for key, experiment in EXPERIMENTS.items() if experiment.page.name == name]
    known = ["all", *pages(), *EXPERIMENTS]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    expected = f"did you mean {' or '.join(near)}?" if near else f"expected all, {', '.join(pages())}, or one of `swarm experiment`'s list"
    raise InputError(name, f"no such experiment; {expected}")


def _command(name: str, options: argparse.Namespace, seeds: int | None, first: int | None) -> str:
    """The command that makes the same again."""
    given = (f" --seeds {seeds}" if seeds is not None else "") + (f" --first-seed {first}" if first is not None else "")
    changed = "".join(f" --set {shlex.quote(change)}" for change in options.set)
    return f"swarm experiment {name}{' --quick' if options.quick else ''}{given}{changed}"


def _print(finding: Any) -> None:
    from swarm_control.analysis.experiments.page import table

    print(f"\n{finding.title}\n\n{finding.statement}\n\n{table(finding.columns, finding.rows)}\n")
    if finding.note:
        print(finding.note)
    for claim, held in finding.claims.items():
        print(f"  {'holds' if held else 'DOES NOT HOLD'}: {claim}")
