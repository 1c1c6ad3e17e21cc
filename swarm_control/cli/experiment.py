"""``swarm experiment``."""

import argparse
import sys
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "experiment", help="reproduce a figure or table of a paper, with its statement beside our numbers",
        description="Reproduce a figure or table of a paper: picture, table, and whether its statement holds. Without a name: list them.",
        epilog="Example: swarm experiment line_and_circle --out results/experiments",
    )  # fmt: skip
    parser.add_argument("name", metavar="NAME", nargs="?", help="an experiment, a page's name (all of its experiments), or all")
    out = "results/experiments"
    parser.add_argument("--out", metavar="DIR", default=out, help="folder for pictures, numbers and pages (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--seeds", metavar="N", help="number of seeds, in place of each experiment's own")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Run experiments and write what they find. A statement that does not hold is a finding, not a failure."""
    from swarm_control.experiments import EXPERIMENTS
    from swarm_control.experiments.lab import Lab
    from swarm_control.experiments.page import save, write_pages
    from swarm_control.sim.files import output_directory

    if options.name is None:
        width = max(map(len, EXPERIMENTS))
        print("\n".join(f"{name:{width}}  {experiment.help}" for name, experiment in EXPERIMENTS.items()))
        return 0
    names = _chosen(options.name)
    seeds = _count(options.seeds)
    out = output_directory(Path(options.out))
    for name in names:
        with Lab(options.quick, seeds, lambda done, total, name=name: _progress(name, done, total)) as lab:  # type: ignore[misc]
            finding = EXPERIMENTS[name].run(lab)
        _print(finding)
        for path in save(name, finding, _command(name, options.quick, seeds), out):
            print(f"  {path}")
        pages = write_pages(out)  # after each, so that the page is never older than what it shows
    print("\n".join(map(str, pages)))
    return 0


def _chosen(name: str) -> list[str]:
    from swarm_control.experiments import EXPERIMENTS, GROUPS

    if name == "all":
        return list(EXPERIMENTS)
    if name in GROUPS:
        return [key for key, experiment in EXPERIMENTS.items() if experiment.group == name]
    if name not in EXPERIMENTS:
        raise InputError(name, f"no such experiment; expected all, {', '.join(GROUPS)}, {', '.join(EXPERIMENTS)}")
    return [name]


def _count(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise InputError("--seeds", f"{text!r} found, expected a whole number from 1 to 10000")
    return int(text)


def _command(name: str, quick: bool, seeds: int | None) -> str:
    return f"swarm experiment {name}" + " --quick" * quick + (f" --seeds {seeds}" if seeds else "")


def _progress(name: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{name}: {done} of {total} runs ", file=sys.stderr, end="" if done < total else "\n", flush=True)
    elif done == total or done % max(total // 4, 1) == 0:
        print(f"{name}: {done} of {total} runs", file=sys.stderr, flush=True)


def _print(finding: Any) -> None:
    from swarm_control.experiments.page import table

    print(f"\n{finding.title}\n\n{finding.statement}\n\n{table(finding.columns, finding.rows)}\n")
    if finding.note:
        print(finding.note)
    for claim, held in finding.claims.items():
        print(f"  {'holds' if held else 'DOES NOT HOLD'}: {claim}")
