"""Print ``constraints.txt``: the versions, in this environment, of all that ``make install`` brings.

::

    .venv/bin/python test/constraints.py > constraints.txt

Other versions of Python ignore the lines: not every package has the same newest version for all of them.
"""

import configparser
import platform
import re
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PYTHON = ".".join(platform.python_version_tuple()[:2])


def wanted() -> list[Requirement]:
    """What ``make install`` asks for."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    extras = re.findall("^EXTRAS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[0].split(",")
    texts = [config["options"]["install_requires"], *(config["options.extras_require"][extra] for extra in extras)]
    return [Requirement(line) for text in texts for line in text.split("\n") if line]


def found() -> dict[str, str]:
    """Versions by name of what is wanted and of what that needs in turn."""
    versions: dict[str, str] = {}
    waiting, seen = wanted(), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                further = map(Requirement, metadata.requires(name) or ())
                waiting += [each for each in further if each.marker is None or each.marker.evaluate({"extra": extra})]
        versions[name] = metadata.version(name)
    return versions


if __name__ == "__main__":
    print(f"# What make install brings on Python {PYTHON}: the versions that everything was tested with. Made by test/constraints.py.")
    for name, version in sorted(found().items()):
        print(f'{name}=={version} ; python_version == "{PYTHON}"')
