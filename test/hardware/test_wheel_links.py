"""Links: cutting lines, naming links, and real sockets and pseudo-terminals."""

import itertools
import selectors
import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wires import Wire, connected, settle

from swarm_control.errors import InputError
from swarm_control.hardware.connection import LATEST, SOONEST
from swarm_control.hardware.link import Lines, make_link, urls
from swarm_control.hardware.protocol import LONGEST
from swarm_control.sim.hardware.ports import PtyPort, TcpPort, UdpPort

PORTS = [lambda: TcpPort(0), lambda: UdpPort(0), PtyPort]


@given(st.binary(max_size=600), st.lists(st.integers(0, 600), max_size=12))
def test_lines_do_not_depend_on_how_the_bytes_arrive(data, cuts):
    whole, parts, found = Lines(), Lines(), []
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    expected = [line for line in data.split(b"\n")[:-1] if line]
    for start, end in itertools.pairwise(edges):
        found += parts.feed(data[start:end])
    short = [line for line in expected if len(line) <= LONGEST]
    assert [line for line in found if len(line) <= LONGEST] == short == [line for line in whole.feed(data) if len(line) <= LONGEST]


def test_what_never_ends_is_one_bad_line_and_does_not_pile_up():
    lines = Lines()
    found = [line for _ in range(1000) for line in lines.feed(b"x" * 100)]
    assert len(found) == 1 and len(lines._rest) <= LONGEST
    assert lines.feed(b"x\nV 1\n") == [b"V 1"]


@pytest.mark.parametrize(
    "url",
    ["", "tcp://host", "tcp://:5000", "tcp://host:99999", "tcp://host:0", "tcp://host:1/x", "udp://host:abc", "http://host:80", "serial://dev/x",
     "serial:///dev/x?baud=fast", "serial:///dev/x?parity=e", "tcp://[::1:5", "serial:"],
)  # fmt: skip
def test_a_url_that_names_no_link_is_bad_input(url):
    with pytest.raises(InputError, match=r"hardware.wheels.link: .* found, expected serial:///dev/ttyUSB0\?baud=115200, tcp://HOST:PORT"):
        make_link(url)


def test_a_pattern_names_a_link_for_each_robot():
    robots = {0: "a", 3: "b"}
    assert urls("tcp://127.0.0.1:50{index:02d}", robots) == ["tcp://127.0.0.1:5000", "tcp://127.0.0.1:5003"]
    assert urls("udp://{name}:5000", robots) == ["udp://a:5000", "udp://b:5000"]
    assert urls("serial:///dev/ttyUSB0", {2: "c"}) == ["serial:///dev/ttyUSB0"]
    with pytest.raises(InputError, match="the same link for all robots"):
        urls("serial:///dev/ttyUSB0", robots)
    for pattern in ("tcp://{port}:1", "{", "{0}", "{index[0]}", "{name.x}", "{name:d}"):
        with pytest.raises(InputError, match="expected no more than"):
            urls(pattern, robots)


def until(condition, timeout=60.0):
    deadline = time.monotonic() + timeout
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    return found


@pytest.mark.parametrize("make", PORTS, ids=["tcp", "udp", "pty"])
def test_lines_go_there_and_back_without_blocking(make):
    port = make()
    link = make_link(port.url)
    link.open()
    try:
        assert link.read_lines() == [] == port.read_lines()
        assert link.write_line(b"hello\n")
        assert until(port.read_lines) == [b"hello"]
        port.write(b"one\ntwo\n")
        with selectors.DefaultSelector() as ready:
            ready.register(link, selectors.EVENT_READ)
            assert ready.select(5.0), "a selector can wait for the link"
        assert until(link.read_lines) == [b"one", b"two"]
    finally:
        link.close()
        port.close()


def test_a_new_host_takes_the_place_of_the_old_one():
    port = TcpPort(0)
    old, new = make_link(port.url), make_link(port.url)
    old.open()
    until(lambda: port.read_lines() == [] and port.connected)
    new.open()
    new.write_line(b"new\n")
    assert until(port.read_lines) == [b"new"]
    with pytest.raises(OSError, match="closed"):
        until(old.read_lines)
    port.write(b"answer\n")
    assert until(new.read_lines) == [b"answer"]
    new.close()
    port.close()


def test_a_robot_that_does_not_read_gets_whole_lines_or_none():
    server = socket.create_server(("127.0.0.1", 0))
    link = make_link(f"tcp://127.0.0.1:{server.getsockname()[1]}")
    link.open()
    peer, _ = server.accept()
    lines = [b"line %06d %s\n" % (k, b"x" * 4000) for k in range(5000)]
    sent = [line for line in lines if link.write_line(line)]
    assert 0 < len(sent) < len(lines), "a full link takes no more, and does not block"
    data = bytearray()
    peer.settimeout(5.0)
    while len(data) < sum(map(len, sent)):
        data += peer.recv(1 << 20)
        link._push(b"") if link._unsent else None
    assert bytes(data) == b"".join(sent)
    for file in (link, peer, server):
        file.close()


def test_nobody_at_a_port_is_an_error_to_tcp_and_silence_to_udp():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(OSError):
        make_link(f"tcp://127.0.0.1:{port}").open()
    link = make_link(f"udp://127.0.0.1:{port}")
    link.open()
    for _ in range(3):
        link.write_line(b"hello\n")
        assert link.read_lines() == []
    link.close()


def test_a_broken_link_is_opened_anew_after_pauses_that_double():
    wire = Wire()
    connection = connected(wire)
    wire.broken, now, attempts = True, 0.0, []
    connection.serve(now)
    assert not connection.up and connection.error == "no carrier"
    while now < 12.0:
        now += 0.01
        tried = wire.tried
        settle(connection, now)
        attempts += [now] * (wire.tried - tried)
    pauses = [later - earlier for earlier, later in zip([0.0, *attempts], attempts)]
    assert pauses[:5] == pytest.approx([SOONEST * 2**k for k in range(5)], abs=0.03)
    assert pauses[5:] == pytest.approx([LATEST] * len(pauses[5:]), abs=0.03) and len(pauses) > 6
    wire.broken = False
    settle(connection, now + 10.0)
    assert connection.up and wire.opened == connection.opened == 2


def test_a_link_that_is_silent_or_not_understood_is_opened_anew():
    wire = Wire()
    connection = connected(wire, silence=1.0)
    for k in range(1, 200):
        wire.to_host.append(b"noise")
        connection.serve(0.01 * k)
        if not connection.up:
            break
    assert k == pytest.approx(102, abs=1) and connection.error == "silent"


def test_lines_that_waited_while_the_host_slept_are_still_read():
    wire = Wire()
    connection = connected(wire, silence=1.0)
    wire.to_host.append(b"good")
    assert connection.serve(5.0) == [b"good"]
    connection.understood(5.0)
    connection.serve(5.1)
    assert connection.up
