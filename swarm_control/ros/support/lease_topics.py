"""What a request for a lease says of the topics on which robots are commanded."""

import re
from typing import Any

from swarm_control.ros.graph.spec import TOP
from swarm_control.world.names import is_topic

MOST = 10_000
"""Robots that one guard watches over."""

NAME = re.compile("[A-Za-z0-9_/]{0,256}")
"""Characters of a topic's name, and of a frame's."""


def check_topics(names: Any, frames: Any) -> None:
    """``ValueError`` for topics and frames of commands that are none."""
    for found, kinds in ((names, str), (frames, (str, type(None)))):
        if not isinstance(found, list) or not all(isinstance(one, kinds) and NAME.fullmatch(one or "") for one in found[: MOST + 1]):
            raise ValueError(f"{str(found)[:60]} found, expected a list of names")
    good = all(is_topic(name[1:] if name.startswith(TOP) else name) for name in names)
    if len(names) > MOST or len(names) != len(frames) or len(set(names)) < len(names) or not good:
        expected = f"expected at most {MOST} different ones that begin with a slash, and a frame for each"
        raise ValueError(f"{len(names)} topics, {str(names)[:60]}, and {len(frames)} frames found, {expected}")
