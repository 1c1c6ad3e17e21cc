"""The policy file names every node and topic, allows what nodes really do, and nothing listens beyond this machine."""

import contextlib
import fnmatch
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from graph import SCENARIO, Graph

from swarm_control import paths
from swarm_control.ros.graph import policy, topics
from swarm_control.ros.graph.access import ACCESS
from swarm_control.ros.graph.kinds import KINDS
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


ELSEWHERE = {
    ("publish", "/joy"), ("publish", "/swarm/stop"), ("publish", "/swarm/structure/cmd_vel"), ("publish", "/swarm/structure/path"),
    ("publish", "/swarm/robot_0/cmd_vel"), ("publish", "/swarm/robot_0/goal_pose"), ("subscribe", "/robot_0/wheel_odom"),
    ("subscribe", "/robot_0/robot_description"),
}  # fmt: skip
"""What no node of this package does, but people's programs do, which need enclaves of their own."""


def test_the_policy_is_the_one_that_the_table_makes():
    assert POLICY.read_text(encoding="utf-8") == policy.text(), (
        "python -m swarm_control.ros.graph.policy makes another config/sros2/policy.xml"
    )


def test_a_robot_that_carries_its_nodes_moves_no_other():
    rules = [rule for name, rule in profiles().items() if name.startswith("/robot_0/")]
    moving = {name for rule in rules for name in rule["publish"] if name.endswith(("cmd_vel", "odom"))}
    assert moving == {"/robot_0/cmd_vel", "/robot_0/odom", "/robot_0/wheel_odom"}


def test_every_topic_and_every_node_of_the_plan_is_in_the_policy():
    known = profiles()
    assert set(ACCESS) >= {name for name, kind in KINDS.items() if not kind.holds}
    extras = {"formation": True, "dashboard": {}, "record": "run.mcap", "markers": True, "drivers": ("tracker", "wheel_driver")}
    for specs in (
        plan("formation_translate", **extras), plan("formation_translate", simulator="mujoco", **extras),
        plan("formation_translate", simulator="none", aggregate=True, onboard=["robot_0"], **extras),
    ):  # fmt: skip
        assert {node.full_name for spec in specs for node in spec.each} <= set(known)
    for topic in topics.TABLE:
        name = topic.of("robot_0")
        name = name if name.startswith("/") else f"/swarm/{name}"
        for how in ("publish", "subscribe"):
            assert (how, name) in ELSEWHERE or any(allowed(rules, how, name) for rules in known.values()), (how, name)


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


IDLE = {
    ("subscribe", "/*/odom"): "the embedded simulator's swarm_state is heard instead",
    ("publish", "/map"): "the scenario has no obstacles",
    ("*", "/swarm/structure/word"): "all robots hear each other",
    ("publish", "/tf"): "tf2_msgs may not be installed",
    ("subscribe", "/tf*"): "all odometry is in the map's frame",
    ("subscribe", "/swarm/[*]/*"): "there are no groups",
    ("request", "/*/*"): "nobody changes a parameter",
}
"""What no node does in the graphs of the test, though it may, and why."""


def is_idle(how, rule):
    return any(kind in (how, "*") and fnmatch.fnmatchcase(rule, pattern) for kind, pattern in IDLE)


def compared(graph, names, onboard):
    """What nodes do and must not, and what they may and do not do: lists of node, kind of rule and name."""
    known, more, less = profiles(), [], []
    for name in names:
        space, _, short = name.rpartition("/")
        for how, ask in (
            ("publish", graph.node.get_publisher_names_and_types_by_node),
            ("subscribe", graph.node.get_subscriber_names_and_types_by_node),
            ("reply", graph.node.get_service_names_and_types_by_node),
            ("request", graph.node.get_client_names_and_types_by_node),
        ):  # fmt: skip
            done = [what for what, _ in ask(short, space)]
            more += [(name, how, what) for what in done if not allowed(known[name], how, what)]
            wanted = [rule for rule in known[name].get(how, ()) if not is_idle(how, rule)]
            less += [(name, how, rule) for rule in wanted if not fnmatch.filter(done, rule)]
    on_board = {(f"/swarm/{guard}", "publish", "/*/cmd_vel") for guard in ("guard", "standby")} if onboard else set()
    return more, [one for one in less if one not in on_board]  # there the robots' own guards stop them


@pytest.mark.ros(anytime=True)
@pytest.mark.parametrize("onboard", [(), ("robot_0",)], ids=["hosted", "onboard"])
def test_nodes_do_just_what_the_policy_allows_and_listen_to_this_machine_only(tmp_path, onboard):
    count = {"robots": [{"count": 1}]} if onboard else {}
    data = {**SCENARIO, **count, "control": {**SCENARIO["control"], "formation": {"enabled": True}}}
    graph = Graph(tmp_path, data, formation=True, onboard=onboard, markers=True, record=str(tmp_path / "run.mcap"))
    names = {one.full_name: node for node in graph.supervisor.nodes for one in node.spec.each}
    try:
        graph.until(lambda: set(names) <= set(graph.status), timeout=90.0)
        with contextlib.suppress(AssertionError):  # what is found is told below
            graph.until(lambda: not any(compared(graph, names, onboard)), timeout=20.0)
        more, less = compared(graph, names, onboard)
        assert more == [] and less == []
        for name, node in names.items():
            heard = local_sockets(node.process.pid)
            assert heard and set(heard) == {"0100007F"}, name
    finally:
        graph.close()


@pytest.mark.ros(anytime=True)
def test_where_security_cannot_be_had_no_node_runs_without_it(tmp_path):
    secure = {"ROS_SECURITY_ENABLE": "true", "ROS_SECURITY_STRATEGY": "Enforce", "ROS_SECURITY_KEYSTORE": str(tmp_path)}
    command = [sys.executable, "-m", "swarm_control.ros.nodes.guard", "--ros-args", "--enclave", "/swarm/guard"]
    ended = subprocess.run(command, env={**os.environ, **secure}, capture_output=True, text=True, timeout=60)
    lines = ended.stderr.strip().splitlines()
    assert ended.returncode == 2 and len(lines) == 1, ended.stderr
    assert lines[0].startswith("guard: ROS_SECURITY_ENABLE: true found, but ") and str(tmp_path) in lines[0]
