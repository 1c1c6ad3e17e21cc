"""What experiments leave behind: a picture and a JSON file each, and a page of all that were run, in Markdown."""

import json
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError
from swarm_control.experiments import EXPERIMENTS, GROUPS
from swarm_control.experiments.finding import Finding
from swarm_control.experiments.pictures import draw
from swarm_control.sim.files import output_directory, replacing
from swarm_control.sim.metrics import plain


def save(name: str, finding: Finding, command: str, out: Path) -> list[Path]:
    """Write picture and JSON of the experiment ``name`` into its group's folder in ``out``; return their paths."""
    folder = output_directory(out / EXPERIMENTS[name].group)
    picture, record = folder / f"{name}.png", folder / f"{name}.json"
    draw(finding, picture)
    data = {
        "name": name, "command": command, "title": finding.title, "statement": finding.statement, "columns": finding.columns,
        "rows": finding.rows, "claims": finding.claims, "numbers": finding.numbers, "note": finding.note,
    }  # fmt: skip
    with replacing(record) as temporary:
        temporary.write_text(json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    return [picture, record]


def write_pages(out: Path) -> list[Path]:
    """Write each group's page from the JSON files that are in its folder; return the pages' paths."""
    pages = []
    for group, title in GROUPS.items():
        names = [name for name, experiment in EXPERIMENTS.items() if experiment.group == group]
        records = [_read(out / group / f"{name}.json") for name in names if (out / group / f"{name}.json").is_file()]
        if records:
            page = out / f"{group}.md"
            with replacing(page) as temporary:
                temporary.write_text(_page(group, title, records), encoding="utf-8")
            pages.append(page)
    return pages


def table(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    """A table for the terminal, columns padded."""
    widths = [max(len(row[k]) for row in (columns, *rows)) for k in range(len(columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in (columns, *rows)]
    return "\n".join((lines[0], "  ".join("-" * width for width in widths), *lines[1:]))


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        raise InputError(str(path), "cannot be read, expected the record of an experiment; delete it") from None


def _page(group: str, title: str, records: list[dict[str, Any]]) -> str:
    held = sum(sum(record["claims"].values()) for record in records)
    total = sum(len(record["claims"]) for record in records)
    head = f"# {title}: the paper's results and ours\n\nWritten by `swarm experiment`; above each table is the command that made it, as "
    head += f"well as its picture. {held} of {total} statements were found to hold.\n"
    return head + "".join(_section(group, record) for record in records)


def _section(group: str, record: dict[str, Any]) -> str:
    name = record["name"]
    rows = [record["columns"], ["---"] * len(record["columns"]), *record["rows"]]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    claims = [f"- {'holds' if held else '**does not hold**'}: {claim}" for claim, held in record["claims"].items()]
    said = record["statement"] if record["statement"].startswith("Not in the paper") else f"The paper: {record['statement']}"
    parts = (
        f"\n## {record['title']}", f"`{record['command']}`", said, "\n".join(lines), record["note"], "\n".join(claims),
        f"![{record['title']}]({group}/{name}.png)",
    )  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"
