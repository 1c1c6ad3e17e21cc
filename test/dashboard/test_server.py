"""The server from outside: who is let in, what is refused, and that no page can slow anything down."""

import asyncio
import contextlib
import json
import socket
import time
from types import SimpleNamespace

import aiohttp
import pytest
from pages import MadeUp
from unpack_frames import unpack

from swarm_control.dashboard import security
from swarm_control.dashboard.protocol import LARGEST
from swarm_control.dashboard.security import Access, is_local, new_token
from swarm_control.dashboard.server import BURST, MOST_CLIENTS, REQUESTS, Server
from swarm_control.errors import InputError

TOKEN = "t" + "0123456789abcdef"


@contextlib.contextmanager
def serving(**access):
    server = Server(Access(port=0, **access))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def talk(server, conversation, address="127.0.0.1"):
    """Run ``conversation(session)`` with an HTTP session at the server, from an address."""

    async def run():
        jar, link = aiohttp.CookieJar(unsafe=True), aiohttp.TCPConnector(local_addr=(address, 0))
        async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}", cookie_jar=jar, connector=link) as session:
            return await conversation(session)

    return asyncio.run(asyncio.wait_for(run(), 30.0))


def origin(server, host="127.0.0.1"):
    return {"Origin": f"http://{host}:{server.port}"}


async def until(condition, timeout=60.0):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


@pytest.fixture
def server():
    with serving() as found:
        yield found


def test_the_page_and_its_parts_are_served(server):
    async def look(session):
        found = {}
        for name in ("", "style.css", "main.js", "icon.svg"):
            async with session.get(f"/{name}") as answer:
                found[name] = answer.status, answer.headers["Content-Type"].partition(";")[0], answer.headers["Content-Security-Policy"]
        return found

    found = talk(server, look)
    assert {status for status, _, _ in found.values()} == {200} and all("default-src 'self'" in policy for _, _, policy in found.values())
    assert [kind for _, kind, _ in found.values()] == ["text/html", "text/css", "text/javascript", "image/svg+xml"]


@pytest.mark.parametrize("path", [
    "/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "/page/../../server.py", "//etc/passwd", "/%2fetc%2fpasswd", "/main.js%00.css",
    "/server.py", "/__init__.py", "/..\\server.py",
])  # fmt: skip
def test_no_way_leads_out_of_the_page(server, path):
    with socket.create_connection(("127.0.0.1", server.port)) as link:
        link.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
        answer = link.makefile("rb").read()
    assert answer.split(b" ")[1] in (b"404", b"400") and b"import" not in answer


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_names_that_others_let_point_here_are_refused(server, host):
    async def look(session):
        async with session.get("/", headers={"Host": host}) as answer:
            return answer.status

    assert talk(server, look) in (400, 421)


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}])
def test_websockets_of_other_pages_are_refused(server, headers):
    async def connect(session):
        with pytest.raises(aiohttp.WSServerHandshakeError) as error:
            await session.ws_connect("/ws", headers=headers)
        return error.value.status

    assert talk(server, connect) == 403


def test_a_token_is_needed_where_others_can_come():
    with pytest.raises(InputError, match=r"token: none found, expected one, as 0\.0\.0\.0 is not this machine alone"):
        Access("0.0.0.0")
    with pytest.raises(InputError, match="token: expected 16 to 128"):
        Access("0.0.0.0", token="secret")
    assert Access("0.0.0.0", token=new_token()).token != new_token()
    assert all(map(is_local, ("127.0.0.1", "::1", "localhost"))) and not any(map(is_local, ("0.0.0.0", "192.168.1.5", "example.org")))


def test_the_token_opens_the_door_and_becomes_a_cookie():
    async def look(session):
        tried = []
        for path in ("/", "/main.js", "/?token=wrong"):
            async with session.get(path) as answer:
                tried.append(answer.status)
        with pytest.raises(aiohttp.WSServerHandshakeError) as error:
            await session.ws_connect("/ws", headers=headers)
        async with session.get(f"/?token={TOKEN}", allow_redirects=False) as answer:
            cookie = answer.headers["Set-Cookie"]
        async with session.get("/main.js") as answer, session.ws_connect("/ws", headers=headers) as link:
            return tried, error.value.status, cookie, answer.status, (await link.receive_json())["type"]

    with serving(host="0.0.0.0", token=TOKEN) as server:
        server.tell("hello", {})
        headers = origin(server)
        tried, refused, cookie, script, news = talk(server, look)
    assert tried == [401, 401, 401] and refused == 401
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert script == 200 and news == "hello"


def test_an_address_that_is_taken_is_said(server):
    with pytest.raises(InputError, match=f"dashboard at 127.0.0.1:{server.port}: cannot be listened to"):
        Server(Access(port=server.port)).start()


def test_commands_arrive_and_are_answered(server):
    async def converse(session):
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            await link.send_json({"type": "stop", "on": True, "id": 7})
            await until(lambda: not server.asked.empty())
            command, answer = server.asked.get()
            answer(True, "stopped")
            return command, await link.receive_json()

    command, answer = talk(server, converse)
    assert (command.type, command.fields) == ("stop", {"on": True})
    assert answer == {"type": "answer", "id": 7, "ok": True, "text": "stopped"}


def test_junk_gets_a_clear_word_and_the_connection_lives(server):
    async def converse(session):
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            await link.send_str("hello")
            await link.send_bytes(b"\0\1\2")
            await link.send_json({"type": "set", "changes": "all"})
            return [(await link.receive_json())["text"] for _ in range(3)]

    said = talk(server, converse)
    assert said[0] == "'hello' found, expected a JSON object" and said[1] == "bytes found, expected a JSON object"
    assert said[2] == "set: changes 'all' found, expected an object of names and values"
    assert server.asked.empty()


def test_too_large_and_too_much_end_the_connection(server):
    async def converse(session):
        codes = []
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            await link.send_str("x" * (LARGEST + 1))
            codes.append((await link.receive()).data)
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            with contextlib.suppress(ConnectionError):
                for _ in range(3000):
                    await link.send_str('{"type": "ack", "sequence": 1}')
            codes.append((await link.receive()).data)
        return codes

    assert talk(server, converse) == [1009, 1008]


def test_a_stop_gets_through_when_too_much_is_asked(server):
    async def converse(session):
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            for k in range(300):
                await link.send_json({"type": "reset", "id": k})
            await link.send_json({"type": "stop", "on": True, "id": 300})
            await until(lambda: any(command.type == "stop" for command, _ in tuple(server.asked.queue)))
            return await link.receive_json()

    assert talk(server, converse)["text"] == "too much was asked at once; try again"


def test_there_is_an_end_to_requests(server, monkeypatch):
    """At once ``BURST``, and then as many as the clock allows: it is held still here, as a slow machine takes long to ask.

    The address is this test's alone: pages of other tests may look for a server that had this one's port before.
    """
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(security, "time", clock)

    async def crowd(session):
        return [(await session.get("/nothing")).status for _ in range(int(BURST) + 5)]

    assert talk(server, crowd, "127.0.0.77") == [404] * int(BURST) + [429] * 5
    clock.now += 3.0 / REQUESTS
    assert talk(server, crowd, "127.0.0.77")[:4] == [404] * 3 + [429]


def test_there_is_always_a_place_for_an_operator(server):
    """All places are taken by sockets that say nothing; one more page comes, and the quietest goes."""

    async def crowd(session):
        quiet = [await session.ws_connect("/ws", headers=origin(server)) for _ in range(MOST_CLIENTS)]
        await until(lambda: server.audience == MOST_CLIENTS)
        for link in quiet[1:]:
            await link.send_json({"type": "watch", "robot": -1, "everybody": False})
        await asyncio.sleep(0.1)
        operator = await session.ws_connect("/ws", headers=origin(server))
        gone = await quiet[0].receive()
        await operator.send_json({"type": "stop", "on": True, "id": 1})
        await until(lambda: not server.asked.empty())
        return gone.type, server.asked.get()[0].type, server.audience

    assert talk(server, crowd) == (aiohttp.WSMsgType.CLOSE, "stop", MOST_CLIENTS)


def test_half_open_requests_are_not_kept_and_stops_get_through_meanwhile(server):
    """300 connections that never finish to ask."""
    halves = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
    for half in halves:
        half.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")

    async def stop(session):
        operator = await session.ws_connect("/ws", headers=origin(server))
        began = time.monotonic()
        await operator.send_json({"type": "stop", "on": True, "id": 1})
        await until(lambda: not server.asked.empty())
        took = time.monotonic() - began
        await until(lambda: sum(map(ended, halves)) == len(halves))
        return took

    try:
        assert talk(server, stop) < 0.5
    finally:
        for half in halves:
            half.close()


def ended(link):
    """Whether the other side has closed a connection."""
    link.setblocking(False)
    try:
        return link.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_guessing_tokens_is_slow_and_keeps_nobody_out_who_knows_it():
    with serving(token=TOKEN) as server:

        async def guess(session):
            statuses = [(await session.get("/", params={"token": f"t{k:016d}"})).status for k in range(400)]
            right = await session.get("/", params={"token": TOKEN}, allow_redirects=False)
            return statuses[0], statuses[-1], statuses.count(401), right.status

        first, last, tried, right = talk(server, guess)
        assert (first, last, right) == (401, 429, 303) and tried < 15


def test_a_late_page_hears_the_newest_of_everything(server):
    server.tell("hello", {"n": 1})
    server.tell("values", {"n": 1})
    server.tell("values", {"n": 2})

    async def converse(session):
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            return [await link.receive_json() for _ in range(2)]

    assert talk(server, converse) == [{"type": "hello", "n": 1}, {"type": "values", "n": 2}]


def test_frames_that_are_not_confirmed_are_dropped_and_the_newest_comes_next(server):
    swarm = MadeUp(20)

    async def converse(session):
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            await until(lambda: server.audience == 1)
            got = []
            for k in range(100):
                server.show(swarm.frame(float(k)))
                if k < 2:
                    got.append(unpack((await link.receive()).data)[0])
            with pytest.raises(asyncio.TimeoutError):
                await link.receive(timeout=0.3)
            await link.send_str(json.dumps({"type": "ack", "sequence": got[-1]}))
            return got, unpack((await link.receive()).data)[0]

    assert talk(server, converse) == ([1, 2], 100)


def test_a_page_that_keeps_up_with_a_fast_swarm_is_no_flood(server):
    """A thousand frames, confirmed as fast as they come: far more than the messages that a page may send of its own accord."""
    swarm = MadeUp(20).frame(0.0)

    async def converse(session):
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            await until(lambda: server.audience == 1)
            for k in range(1, 1001):
                server.show(swarm)
                message = await link.receive(timeout=5.0)
                assert message.type == aiohttp.WSMsgType.BINARY, f"after {k} frames: {message}"
                await link.send_json({"type": "ack", "sequence": unpack(message.data)[0]})

    talk(server, converse)


def test_a_dead_page_slows_nobody(server):
    """One page confirms without end and never reads: the other gets every frame, and showing takes no time."""
    swarm = MadeUp(500)
    dead = socket.create_connection(("127.0.0.1", server.port))
    dead.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    lines = ("GET /ws HTTP/1.1", f"Host: 127.0.0.1:{server.port}", f"Origin: http://127.0.0.1:{server.port}", "Upgrade: websocket",
             "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", "")  # fmt: skip
    dead.sendall("\r\n".join(lines).encode())
    confirm = b'{"type": "ack", "sequence": %9d}'

    async def converse(session):
        async with session.ws_connect("/ws", headers=origin(server)) as link:
            await until(lambda: server.audience == 2)
            longest = 0.0
            for k in range(1, 401):
                began = time.perf_counter()
                server.show(swarm.frame(0.05 * k))
                longest = max(longest, time.perf_counter() - began)
                body = confirm % k
                dead.sendall(bytes([0x81, 0x80 | len(body), 0, 0, 0, 0]) + body)
                sequence = unpack((await link.receive(timeout=5.0)).data)[0]
                assert sequence == k
                await link.send_str(json.dumps({"type": "ack", "sequence": sequence}))
                await asyncio.sleep(0.006)
            return longest

    try:
        assert talk(server, converse) < 1.0  # s: writing to a page that does not read would wait for ever
    finally:
        dead.close()
