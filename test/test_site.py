"""The documentation as a site: it builds without network and without a warning, links lead somewhere, and it can be searched."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import swarm_control

pytestmark = pytest.mark.study

ROOT = Path(__file__).parents[1]
CLASSES_AND_FUNCTIONS = [name for name in swarm_control.__all__ if callable(getattr(swarm_control, name))]


def build(source, out):
    """What building a site from ``source`` says, and its exit status; warnings are errors."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", out / "trees", source, out / "site"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    assert build(ROOT / "docs", out) == (0, "")
    return out / "site"


def test_every_page_is_on_the_site_and_can_be_searched(site):
    index = (site / "searchindex.js").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix("")
        assert (site / f"{name}.html").exists() and f'"{name}"' in index
    assert "Moves ten, a hundred" in (site / "index.html").read_text(), "the README is the first page"


def test_the_reference_has_every_name_of_the_library_with_its_text(site):
    page = (site / "api.html").read_text()
    assert CLASSES_AND_FUNCTIONS
    for name in CLASSES_AND_FUNCTIONS:
        assert re.search(f'id="swarm_control\\.{name}">(?:(?!<dt).)*</dt>\\s*<dd><p>.{{10}}', page, re.DOTALL), name


def test_no_page_loads_anything_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|link)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*"', page.read_text())
        assert not loaded, page


def test_pictures_and_links_lead_somewhere(site):
    for page in site.rglob("*.html"):
        for target in re.findall(r'(?:src|href)="([^"#?:]+)(?:[#?][^"]*)?"', page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(site)}: {target}"


@pytest.mark.parametrize("wrong", ["[there](nowhere.md)", "[there](page.md#nowhere)"])
def test_a_link_that_leads_nowhere_ends_the_build(tmp_path, wrong):
    source = tmp_path / "docs"
    source.mkdir()
    (source / "conf.py").write_text((ROOT / "docs/conf.py").read_text().replace("furo", "basic"))
    (source / "page.md").write_text("# A page\n")
    (tmp_path / "README.md").write_text(f"# Home\n\n{wrong}\n")
    (source / "index.md").write_text("<!-- site -->\n```{toctree}\npage\n```\n")
    status, said = build(source, tmp_path)
    assert status == 1 and "nowhere" in said
