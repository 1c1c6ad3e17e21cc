"""Ask a checkout of ros/rosdistro what it makes of the keys in ``package.xml``, and write that to ``rosdep_keys.json`` beside this file.

::

    python test/rosdep_keys.py CHECKOUT
"""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import yaml

HERE = Path(__file__).parent
KEYS = HERE / "rosdep_keys.json"
RELEASES = {"jammy": ("humble",), "noble": ("jazzy", "kilted")}
"""The releases of Ubuntu, with the distributions of ROS 2 for them."""


def named() -> list[str]:
    """The keys that ``package.xml`` names."""
    root = ElementTree.parse(HERE.parent / "package.xml").getroot()
    return sorted({str(element.text) for element in root if element.tag.endswith("depend")})


def read(checkout: Path) -> dict[str, object]:
    """For each key what installs it on each release: apt, pip, ros (a released ROS package); nothing for what nobody has."""
    rules = {}
    for file in ("base", "python"):
        rules |= yaml.load((checkout / "rosdep" / f"{file}.yaml").read_text(), yaml.CSafeLoader)
    released = {name: ros_packages(checkout / name / "distribution.yaml") for names in RELEASES.values() for name in names}
    keys = {
        key: {
            release: "ros" if all(key in released[name] for name in names) else installer(rules.get(key, {}).get("ubuntu"), release)
            for release, names in RELEASES.items()
        }
        for key in named()
    }
    return {"state": state(checkout), "keys": keys}


def ros_packages(file: Path) -> set[str]:
    """Names of the packages that a distribution of ROS has released."""
    repositories = yaml.load(file.read_text(), yaml.CSafeLoader)["repositories"]
    return {name for key, each in repositories.items() if "release" in each for name in each["release"].get("packages", [key])}


def installer(rule: object, release: str) -> str:
    """What installs a key on a release by its rule for Ubuntu, see REP 111; nothing where it has none."""
    if isinstance(rule, dict) and not rule.keys() & {"apt", "pip", "packages"}:
        rule = rule.get(release, rule.get("*"))
    if isinstance(rule, dict):
        return "pip" if "pip" in rule else "apt"
    return "apt" if rule else ""


def state(checkout: Path) -> str:
    """The day of the checkout's commit."""
    told = subprocess.run(["git", "-C", checkout, "log", "-1", "--format=%cs"], capture_output=True, text=True, check=True)
    return told.stdout.strip()


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "rosdep" / "python.yaml").is_file():
        sys.exit("rosdep_keys.py: expected a checkout of ros/rosdistro as the only argument")
    KEYS.write_text(json.dumps(read(Path(sys.argv[1])), indent=1) + "\n", encoding="utf-8")
