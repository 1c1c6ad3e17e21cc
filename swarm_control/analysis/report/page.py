"""A report: pictures, and one HTML page that holds them all and needs nothing else."""

import base64
import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from swarm_control.analysis.report.groups import RunGroup, grouped, mean_and_interval
from swarm_control.analysis.report.plots import draw_comparison, draw_measures
from swarm_control.analysis.report.runs import Run
from swarm_control.analysis.report.trajectories import draw, save
from swarm_control.files import replacing

MEASURES = {
    "robots": ("robots", 0), "duration": ("duration (s)", 1), "collisions": ("collisions", 0),
    "min_separation": ("least separation (m)", 3), "min_clearance": ("least clearance (m)", 3),
    "polarization": ("order", 3), "arrived_fraction": ("arrived", 2),
    "arrival_time": ("arrival (s)", 1), "formation_error_mean": ("mean formation error (m)", 5),
}  # fmt: skip
"""Columns of the tables: title and digits."""

STYLE = """
:root { color-scheme: light dark; --line: #8884; --ink: #1a1a1a; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #15181c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
body { max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .8rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; background: #fff; border-radius: 6px; margin: .5rem 0; }
section { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 1rem; align-items: start; }
.notice { opacity: .75; }
"""


def write_report(runs: Sequence[Run], out: Path) -> list[Path]:
    """Write pictures and ``report.html`` into the folder ``out``; return their paths."""
    groups = grouped(runs)
    written: list[Path] = []
    comparison = out / "comparison.png"
    parts = [_table(groups)]
    if draw_comparison(groups, comparison):
        written.append(comparison)
        legend = "Diamonds: means with 95 % intervals over seeds; dots: runs."
        parts.append(f"<h2>Side by side</h2><p>{legend}</p>{_image(comparison, 'comparison')}")
    for k, run in enumerate(runs):
        pictures = out / f"{k + 1}_trajectories.png", out / f"{k + 1}_measures.png"
        save(draw(run.trajectory, run.grid, run.goals, run.radius, run.name, objects=run.objects), pictures[0])
        draw_measures(run, pictures[1])
        written += pictures
        parts.append(_section(run, pictures))
    page = out / "report.html"
    title = ", ".join(dict.fromkeys(run.name for run in runs))
    with replacing(page) as temporary:
        temporary.write_text(_html(title, "".join(parts)), encoding="utf-8")
    return [*written, page]


def table(groups: Sequence[RunGroup]) -> tuple[list[str], list[list[str]]]:
    """Columns, and a row for every group: means, with intervals where there is more than one run."""
    shown = [name for name in MEASURES if any(group.values(name).size or group.unknown(name) for group in groups)]
    rows = []
    for group in groups:
        cells = [group.label, str(len(group.runs))]
        cells += [_cell(group, name) for name in shown]
        rows.append(cells)
    return ["scenario", "runs", *(MEASURES[name][0] for name in shown)], rows


def _cell(group: RunGroup, name: str) -> str:
    values, unknown, digits = group.values(name), group.unknown(name), MEASURES[name][1]
    if not values.size:
        return "unknown" if unknown else "–"
    mean, half = mean_and_interval(values)
    return f"{mean:.{digits}f}" + (f" ± {half:.{max(digits, 1)}f}" if half else "") + (f" ({unknown} unknown)" if unknown else "")


def _table(groups: Sequence[RunGroup]) -> str:
    columns, rows = table(groups)
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _section(run: Run, pictures: Sequence[Path]) -> str:
    seed = f", seed {html.escape(str(run.summary['seed']))}" if "seed" in run.summary else ""
    notices = "".join(f'<p class="notice">{html.escape(line)}</p>' for line in run.notices)
    images = "".join(_image(path, f"{run.name}: {path.stem}") for path in pictures)
    return f"<h2>{html.escape(run.name)}{seed}</h2><p>{html.escape(str(run.source))}</p>{notices}{_phases(run)}<section>{images}</section>"


def _phases(run: Run) -> str:
    def cell(value: Any) -> str:
        return "–" if value is None else f"{value:.1f}" if isinstance(value, float) else html.escape(str(value))

    phases = run.summary.get("phases") or []
    rows = "".join(f"<tr><td>{cell(p.get('name'))}</td><td>{cell(p.get('start'))}</td><td>{cell(p.get('end'))}</td></tr>" for p in phases)
    return f"<table><tr><th>phase</th><th>from (s)</th><th>to (s)</th></tr>{rows}</table>" if rows else ""


def _image(path: Path, text: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{html.escape(text)}" src="data:image/png;base64,{data}">'


def _html(title: str, body: str) -> str:
    name, meta = html.escape(title), '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head = f"<head>{meta}<title>{name}</title><style>{STYLE}</style></head>"
    return f'<!doctype html><html lang="en">{head}<body><h1>{name}</h1>{body}</body></html>\n'
