"""What a public host reads of the project says what is so: citation, continuous integration, and where to add what."""

import configparser
import re
from pathlib import Path

import pytest
import yaml

import swarm_control
from swarm_control.cli.main import COMMANDS, make_parser

ROOT = Path(__file__).resolve().parent.parent


def test_the_citation_is_of_this_version_and_names_the_five_papers():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == swarm_control.__version__ and cited["license"] == "Apache-2.0" and cited["cff-version"] == "1.2.0"
    names = {author["family-names"] for paper in cited["references"] for author in paper["authors"]}
    assert len(cited["references"]) == 5 and {"Brogan", "Lewis", "McKenna", "Adeola", "Reif"} <= names


def test_continuous_integration_runs_what_there_is():
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    steps = [step["run"] for job in flow["jobs"].values() for step in job["steps"] if "run" in step]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake (\w+)", "\n".join(step for step in steps if step.startswith("make"))):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for command in re.findall(r"swarm (\w+) ", "\n".join(steps)):
        assert command in COMMANDS or command == "executables", command
    assert flow["jobs"]["test"]["strategy"]["matrix"]["python"][0] == re.search(
        r'python_requires=">=([\d.]+)"', (ROOT / "setup.py").read_text(encoding="utf-8")
    ).group(1)


def test_the_image_installs_what_tests_install_and_its_service_is_a_command_line():
    """Docker itself is not asked: packages, extras and words are looked at."""
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    needed = re.findall(r"(?:needed|wished)=\(([^)]*)\)", (ROOT / ".ci/run").read_text(encoding="utf-8"))
    packages = re.search(r"--no-install-recommends ([^\\&]+)", image)[1].split()
    assert set(packages) <= {*" ".join(needed).split()} and {"make", "python3", "python3-venv"} <= set(packages)
    extras = configparser.ConfigParser()
    extras.read(ROOT / "setup.cfg")
    assert set(re.search(r"EXTRAS=(\S+)", image)[1].split(",")) <= set(extras["options.extras_require"])
    service = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["swarm"]
    words = service["command"].split()
    options = make_parser(words[0]).parse_args(words)
    port = service["ports"][0].rpartition(":")[2]
    assert options.dashboard and options.dashboard_address.endswith(f":{port}") and options.scenario == "migrate_boxes"
    assert service["volumes"][0].endswith(f":{options.out}")


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md", "README.md", "docs/laws.md"])
def test_what_a_page_points_to_is_there(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if not link.startswith("http")]
    named = re.findall(r"`((?:swarm_control|experiments|config|examples|test|docs)/[\w/.]*)`", text)
    assert links + named
    for path in links:
        assert (ROOT / name).parent.joinpath(path).exists(), path
    for path in named:
        assert (ROOT / path).exists() or name == "README.md", path
