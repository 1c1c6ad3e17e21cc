"""The policy for SROS2, made from what nodes do: ``python -m swarm_control.ros.graph.policy > config/sros2/policy.xml``."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree

from swarm_control.ros.graph.access import ACCESS, Name
from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.graph.plan import plan
from swarm_control.ros.graph.spec import HOSTED, NodeSpec
from swarm_control.ros.graph.topics import Topic

ROBOT = "robot_0"
"""The robot that stands for all those that carry their own nodes."""

SERVED = (
    "~/describe_parameters", "~/get_parameter_types", "~/get_parameters", "~/list_parameters", "~/set_parameters",
    "~/set_parameters_atomically", "~/get_type_description",
)  # fmt: skip
"""Services that every node of rclpy has."""

LIFE = "~/change_state", "~/get_state", "~/get_available_states", "~/get_available_transitions", "~/get_transition_graph"
"""Those of managed nodes that serve the whole swarm. All managed nodes publish ``~/transition_event``."""

HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- What each node may say and hear, for `ros2 security generate_artifacts -p`; see docs/security.md. A star stands for any name.
     Enclave /{ROBOT} is a robot that carries its own nodes: copy it for every robot, with its name in place of {ROBOT}.
     Made by `python -m swarm_control.ros.graph.policy`. -->
"""


def nodes() -> list[NodeSpec]:
    """Every node that the policy names: those of all plans, hosted and carried by a robot, and those that are in no plan."""
    found = [
        *plan("any", formation=True, dashboard={}, record="run.mcap", markers=True),
        *plan("any", simulator="mujoco", drivers=("tracker", "wheel_driver")),
        *plan("any", simulator="none", aggregate=True, formation=True, drivers=("tracker", "wheel_driver"), onboard=[ROBOT]),
        *(NodeSpec(kind, kind, HOSTED, ()) for kind in ACCESS),
    ]
    return sorted({node.full_name: node for spec in reversed(found) for node in spec.each}.values(), key=_place)


def rules(spec: NodeSpec) -> dict[str, list[str]]:
    """What a node may ``publish``, ``subscribe``, ``reply`` and ``request``: absolute names, in which a star stands for any characters."""
    access, base = ACCESS[spec.executable], spec.namespace == HOSTED
    own = () if base else access.exchanges
    subscribes = (*access.subscribes, *(access.base_subscribes if base else own))
    managed = spec.executable in KINDS and KINDS[spec.executable].managed
    serves = (*access.serves, *(access.base_serves if base else ()), *SERVED, *(LIFE if base and managed else ()))
    common = ("/parameter_events", "/rosout", *(["status"] if access.status else []), *(["~/transition_event"] if managed else []))
    heard = (*(["/parameter_events"] if access.control else []), *(["/clock"] if access.clock else []))
    return {
        "publish": _names(spec, (*common, *access.publishes, *own)),
        "subscribe": _names(spec, (*heard, *subscribes)),
        "reply": _names(spec, serves),
        "request": _names(spec, access.calls),
    }


def _names(spec: NodeSpec, wanted: Iterable[Name]) -> list[str]:
    """Absolute names without repetition, with the node's remappings applied."""
    shared = dict(spec.remappings)
    robot = "*" if spec.namespace == HOSTED else spec.namespace.lstrip("/")
    found = []
    for one in wanted:
        name = one.name.format(robot=robot, group="*") if isinstance(one, Topic) else one
        name = f"{spec.name}{name[1:]}" if name.startswith("~/") else shared.get(name, name)
        found.append(name if name.startswith("/") else f"{spec.namespace}/{name}")
    return list(dict.fromkeys(found))


def _place(spec: NodeSpec) -> tuple[bool, int, str]:
    """Hosted nodes first, in the order of the table."""
    return spec.namespace != HOSTED, list(ACCESS).index(spec.executable), spec.name


def enclave(spec: NodeSpec) -> str:
    """Path of the enclave with a node's keys: one for each hosted node, and one for all nodes of a robot."""
    return spec.full_name if spec.namespace == HOSTED else spec.namespace


def text(specs: Sequence[NodeSpec] = ()) -> str:
    """The policy file for ``specs``; without them, for :func:`nodes`."""
    root = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(root, "enclaves")
    profiles: dict[str, ElementTree.Element] = {}
    for spec in [node for process in specs for node in process.each] or nodes():
        path = enclave(spec)
        if path not in profiles:
            profiles[path] = ElementTree.SubElement(ElementTree.SubElement(enclaves, "enclave", path=path), "profiles")
        profile = ElementTree.SubElement(profiles[path], "profile", ns=spec.namespace, node=spec.name)
        profile.extend(_groups(spec))
    ElementTree.indent(root)
    return HEAD + ElementTree.tostring(root, encoding="unicode") + "\n"


def _groups(spec: NodeSpec) -> Iterator[ElementTree.Element]:
    for how, names in rules(spec).items():
        kind = "topic" if how in ("publish", "subscribe") else "service"
        group = ElementTree.Element(f"{kind}s", {how: "ALLOW"})
        for name in names:
            ElementTree.SubElement(group, kind).text = name
        if names:
            yield group


if __name__ == "__main__":
    sys.stdout.write(text())
