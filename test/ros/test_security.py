"""The policy file names every node and topic, allows what nodes really do, and nothing listens beyond this machine."""

import fnmatch
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from graph import SCENARIO, Graph

from swarm_control import paths
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.plan import plan

POLICY = paths.share() / "config" / "sros2" / "policy.xml"
RULES = {"topics": ("topic", {"publish", "subscribe"}), "services": ("service", {"reply", "request"})}


def profiles():
    """Node → kind of rule → names, made absolute."""
    found = {}
    for profile in ET.parse(POLICY).getroot().iter("profile"):
        space, rules = profile.get("ns"), {}
        for group in profile:
            for how in group.attrib:
                names = [item.text if item.text.startswith("/") else f"{space}/{item.text}" for item in group]
                rules.setdefault(how, []).extend(names)
        found[f"{space}/{profile.get('node')}"] = rules
    return found


def allowed(rules, how, name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in rules.get(how, []))


def test_the_policy_has_the_structure_of_sros2s_schema():
    root = ET.parse(POLICY).getroot()
    assert root.tag == "policy" and root.get("version") == "0.2.0" and [child.tag for child in root] == ["enclaves"]
    paths_seen = [enclave.get("path") for enclave in root[0]]
    assert len(set(paths_seen)) == len(paths_seen) > 0
    for enclave in root[0]:
        assert enclave.tag == "enclave" and set(enclave.attrib) == {"path"} and [child.tag for child in enclave] == ["profiles"]
        for profile in enclave[0]:
            assert profile.tag == "profile" and set(profile.attrib) == {"ns", "node"}
            for group in profile:
                item, hows = RULES[group.tag]
                assert set(group.attrib) <= hows and set(group.attrib.values()) == {"ALLOW"} and len(group) > 0
                assert all(child.tag == item and child.text and not child.attrib for child in group)


def test_every_topic_and_every_node_of_the_plan_is_in_the_policy():
    known = profiles()
    extras = {"formation": True, "dashboard": {}, "record": "run.mcap", "markers": True, "drivers": ("tracker", "wheel_driver")}
    for specs in (
        plan("formation_translate", **extras), plan("formation_translate", simulator="mujoco", **extras),
        plan("formation_translate", simulator="none", aggregate=True, onboard=["robot_0"], **extras),
    ):  # fmt: skip
        assert {spec.full_name for spec in specs} <= set(known)
    for topic in topics.TABLE:
        name = topic.of("robot_0")
        name = name if name.startswith("/") else f"/swarm/{name}"
        for how in ("publish", "subscribe"):
            assert name in ("/goal_pose", "/robot_0/cmd_vel") or any(allowed(rules, how, name) for rules in known.values()), (how, name)


def local_sockets(process):
    """Local addresses (hexadecimal, as /proc prints them) of the sockets of a process that wait for somebody."""
    mine = set()
    for entry in Path(f"/proc/{process}/fd").iterdir():
        try:
            link = os.readlink(entry)
        except OSError:
            continue
        if link.startswith("socket:["):
            mine.add(link[8:-1])
    found = []
    for table, waiting in (("udp", "07"), ("udp6", "07"), ("tcp", "0A"), ("tcp6", "0A")):
        for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in mine and words[3] == waiting:
                found.append(words[1].split(":")[0])
    return found


@pytest.mark.ros
@pytest.mark.parametrize("onboard", [(), ("robot_0",)], ids=["hosted", "onboard"])
def test_nodes_do_no_more_than_the_policy_allows_and_listen_to_this_machine_only(tmp_path, onboard):
    count = {"robots": [{"count": 1}]} if onboard else {}
    data = {**SCENARIO, **count, "control": {**SCENARIO["control"], "formation": {"enabled": True}}}
    graph = Graph(tmp_path, data, formation=True, onboard=onboard)
    names = {node.spec.full_name: node for node in graph.supervisor.nodes}
    try:
        graph.until(lambda: set(names) <= set(graph.status), timeout=90.0)
        known = profiles()
        for name, node in names.items():
            space, _, short = name.rpartition("/")
            for how, ask in (
                ("publish", graph.node.get_publisher_names_and_types_by_node),
                ("subscribe", graph.node.get_subscriber_names_and_types_by_node),
                ("reply", graph.node.get_service_names_and_types_by_node),
                ("request", graph.node.get_client_names_and_types_by_node),
            ):  # fmt: skip
                doing = lambda ask=ask, short=short, space=space: [what for what, _ in ask(short, space)]  # noqa: E731
                done = doing() if how == "request" else graph.until(doing)
                assert [what for what in done if not allowed(known[name], how, what)] == [], (name, how)
            heard = local_sockets(node.process.pid)
            assert heard and set(heard) == {"0100007F"}, name
    finally:
        graph.close()
