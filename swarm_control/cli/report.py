"""``swarm report``."""

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "report",
        description="Plots, a table and one self-contained HTML page of runs: results folders, MCAP files, folders of ros2 bag record.",
        epilog="Example: swarm report results/frame_seed* --out results/report",
    )  # fmt: skip
    parser.add_argument("runs", metavar="DIR", nargs="+", help="results of swarm run or swarm simulate, a folder of such, or a bag")
    parser.add_argument("--out", metavar="DIR", default="results/report", help="folder for the report (default: %(default)s)")
    parser.set_defaults(call=run)


def run(options: argparse.Namespace) -> int:
    """Write the report and print its table."""
    from swarm_control.analysis.report.groups import grouped
    from swarm_control.analysis.report.page import table, write_report
    from swarm_control.analysis.report.runs import read_runs
    from swarm_control.files import output_directory

    out = output_directory(Path(options.out))
    runs = read_runs([Path(path) for path in options.runs])
    for line in dict.fromkeys(notice for each in runs for notice in each.notices):
        print(f"swarm: {line}", flush=True)
    columns, rows = table(grouped(runs))
    widths = [max(len(row[k]) for row in (columns, *rows)) for k in range(len(columns))]
    for row in (columns, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    for path in write_report(runs, out):
        print(f"  {path}")
    return 0
