"""The documentation as a site: ``make site`` builds it from these pages and from the docstrings, without network."""

import os
import re
from pathlib import Path

import swarm_control

project = "swarm_control"
author = "the swarm_control authors"
copyright = f"{author}, Apache-2.0"
version = release = swarm_control.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "swarm_control"
html_show_sphinx = html_show_sourcelink = html_copy_source = False

ROOT = Path(__file__).resolve().parents[1]

ELSEWHERE = {
    "index": "README.md",
    "contributing": "CONTRIBUTING.md",
    "example_plugin": "examples/plugin/README.md",
    "examples": "examples/README.md",
    "firmware": "firmware/README.md",
    "reporting": "SECURITY.md",
}
"""Page → the file of the repository whose text it has on the site."""


def _place(app, page, source):
    """Put texts from elsewhere on their pages, and lead all links to where things are on the site."""
    written = ROOT / ELSEWHERE.get(page, f"docs/{page}.md")
    if page in ELSEWHERE:
        source[0] = written.read_text(encoding="utf-8") + source[0].partition("<!-- site -->")[2]
    pages = {ROOT / text: ROOT / f"docs/{name}.md" for name, text in ELSEWHERE.items()}

    def led(match):
        target = Path(os.path.normpath(written.parent / match[1]))
        return f"]({os.path.relpath(pages.get(target, target), (ROOT / 'docs' / page).parent)}"

    source[0] = re.sub(r"\]\((?!\w+:)([^)#]+)", led, source[0])


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", _place)
