"""What experiments leave behind: a picture (PNG, SVG) and a JSON file each, and a page of all that were run, in Markdown."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from swarm_control.analysis.experiments.finding import Finding
from swarm_control.analysis.experiments.pictures import draw
from swarm_control.analysis.experiments.registry import EXPERIMENTS, Page, pages
from swarm_control.analysis.run_metrics import plain
from swarm_control.errors import InputError
from swarm_control.files import output_directory, replacing


def save(name: str, finding: Finding, command: str, out: Path) -> list[Path]:
    """Write pictures and JSON of the experiment ``name`` into its page's folder in ``out``; return their paths."""
    folder = output_directory(out / EXPERIMENTS[name].page.name)
    picture, record = folder / f"{name}.png", folder / f"{name}.json"
    written = draw(finding, picture)
    data = {
        "name": name, "command": command, "title": finding.title, "statement": finding.statement, "columns": finding.columns,
        "rows": finding.rows, "claims": finding.claims, "numbers": finding.numbers, "note": finding.note,
        "seeds": {"chosen_on": _ends(finding.chosen_on), "reported_on": _ends(finding.reported_on)},
    }  # fmt: skip
    with replacing(record) as temporary:
        temporary.write_text(json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    return [*written, record]


def write_pages(out: Path) -> list[Path]:
    """Write each page from the JSON files that are in its folder; return the pages' paths."""
    written = []
    for page in pages().values():
        names = [name for name, experiment in EXPERIMENTS.items() if experiment.page == page]
        records = [_read(out / page.name / f"{name}.json") for name in names if (out / page.name / f"{name}.json").is_file()]
        if records:
            path = out / f"{page.name}.md"
            with replacing(path) as temporary:
                temporary.write_text(_text(page, records), encoding="utf-8")
            written.append(path)
    return written


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


def _text(page: Page, records: list[dict[str, Any]]) -> str:
    held = sum(sum(record["claims"].values()) for record in records)
    total = sum(len(record["claims"]) for record in records)
    head = f"# {page.title}: the paper's results and ours\n\nWritten by `swarm experiment`; above each table is the command that made it, "
    head += f"as well as its picture. {held} of {total} statements were found to hold.\n"
    head += f"\n{page.elsewhere}\n" if page.elsewhere else ""
    return head + "".join(_section(page, record) for record in records)


def _section(page: Page, record: dict[str, Any]) -> str:
    name = record["name"]
    rows = [record["columns"], ["---"] * len(record["columns"]), *record["rows"]]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    claims = [f"- {'holds' if held else '**does not hold**'}: {claim}" for claim, held in record["claims"].items()]
    said = record["statement"] if record["statement"].startswith("Not in the paper") else f"The paper: {record['statement']}"
    parts = (
        f"\n## {record['title']}", f"`{record['command']}`", seeds_line(record), said, "\n".join(lines), record["note"], "\n".join(claims),
        f"![{record['title']}]({page.name}/{name}.png)",
    )  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def seeds_line(record: dict[str, Any]) -> str:
    """Which seeds chose an experiment's values and which made the numbers of its ``record``; one without is from before they were apart."""
    registered = EXPERIMENTS[record["name"]]
    if "seeds" not in record:
        if not registered.reported_on:
            return "Seeds: none: deterministic."
        known = f"Values chosen on seeds {_span(_ends(registered.chosen_on))}; these numbers are from before seeds were kept apart"
        return f"{known} and are of the choice, too, until the experiment is made again."
    chosen, reported = (record["seeds"][key] for key in ("chosen_on", "reported_on"))
    if reported is None:
        return "Seeds: none: deterministic."
    line = f"Values chosen on seeds {_span(chosen)}, reported on seeds {_span(reported)}"
    apart = chosen is None or chosen[1] < reported[0] or reported[1] < chosen[0]
    return f"{line}." if apart else f"{line}: not apart, as it was asked for these."


def _ends(seeds: range) -> tuple[int, int] | None:
    """First and last seed."""
    return (seeds[0], seeds[-1]) if seeds else None


def _span(ends: Sequence[int] | None) -> str:
    return "none" if ends is None else f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]}…{ends[1]}"
