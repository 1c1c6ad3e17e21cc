"""The web server: the page's files, and a websocket for every page that looks on. It runs on a thread and a loop of its own."""

import asyncio
import contextlib
import json
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from swarm_control.dashboard.clients import Client
from swarm_control.dashboard.connections import shed
from swarm_control.dashboard.frames import Frame
from swarm_control.dashboard.protocol import LARGEST, Command, parse
from swarm_control.dashboard.security import COOKIE, HEADERS, Access, Bucket, Buckets
from swarm_control.errors import InputError

PAGE = Path(__file__).parent / "page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
MOST_CLIENTS = 32
REQUESTS, BURST = 50.0, 300.0
"""Requests per second from one address, in the long run and at once."""

WRONG, ALL_WRONG, WRONG_BURST = 0.2, 2.0, 10.0
"""Wrong tokens per second from one address, and from all, in the long run; at once."""

HEARTBEAT = 10.0
"""Time (s) between looks at whether a page is still there."""

Answer = Callable[[bool, str], None]
Ask = tuple[Command, Answer]


class Server:
    """Serves the page. What pages ask for is put into :attr:`asked`; all other methods may be called from any thread."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self.asked: queue.Queue[Ask] = queue.Queue(256)
        self.port = 0
        self._files = {path.name: path.read_bytes() for path in PAGE.iterdir() if path.suffix in TYPES}
        self._clients: set[Client] = set()
        self._closing: set[asyncio.Task[bool]] = set()
        self._kept: dict[str, str | bytes] = {}
        self._buckets = Buckets(REQUESTS, BURST)
        self._wrong, self._all_wrong = Buckets(WRONG, WRONG_BURST), Bucket(ALL_WRONG, WRONG_BURST)
        self._sequence = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="dashboard", daemon=True)
        self._ready = threading.Event()
        self._failure = ""

    def start(self) -> None:
        """Begin to listen; ``InputError`` when the address cannot be had."""
        self._thread.start()
        self._ready.wait()
        if self._failure:
            self._thread.join()
            raise InputError(f"dashboard at {self.access.host}:{self.access.port}", self._failure)

    def stop(self) -> None:
        """Close all and end the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join(5.0)

    @property
    def address(self) -> str:
        """What to type into a browser."""
        return self.access.address(self.port)

    @property
    def audience(self) -> int:
        """How many pages look on."""
        return len(self._clients)

    @property
    def curious(self) -> bool:
        """Whether any page wants details."""
        return any(client.everybody or client.robot is not None for client in tuple(self._clients))

    def show(self, frame: Frame) -> None:
        """Show a frame to all pages; it is not waited for."""
        self._soon(self._show, frame)

    def tell(self, key: str, data: dict[str, Any] | bytes) -> None:
        """Tell all pages, those that come later too; newer data takes the place of older under the same ``key``."""
        self._soon(self._tell, key, data if isinstance(data, bytes) else json.dumps({"type": key, **data}))

    def _soon(self, call: Callable[..., None], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(call, *arguments)

    def _show(self, frame: Frame) -> None:
        self._sequence += 1
        for client in self._clients:
            client.show(self._sequence, frame)

    def _tell(self, key: str, data: str | bytes) -> None:
        self._kept[key] = data
        for client in self._clients:
            client.tell(key, data)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:
            self._failure = repr(error)
            raise
        finally:
            self._loop.close()
            self._ready.set()

    async def _serve(self) -> None:
        from aiohttp import web

        self._end = asyncio.Event()

        @web.middleware
        async def guard(request: Any, handler: Any) -> Any:
            return await self._guard(request, handler)

        application = web.Application(middlewares=[guard], client_max_size=LARGEST)
        application.router.add_get("/", self._file)
        application.router.add_get("/ws", self._socket)
        application.router.add_get("/{name}", self._file)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        site = web.TCPSite(runner, self.access.host, self.access.port)
        try:
            await site.start()
            self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        except OSError as error:
            self._failure = f"cannot be listened to: {error.strerror or error}"
            await runner.cleanup()
            return
        self._ready.set()
        shedding = asyncio.create_task(shed(runner.server))
        await self._end.wait()
        shedding.cancel()
        for client in tuple(self._clients):
            await client.socket.close(code=1001, message=b"the dashboard ends")
        await runner.cleanup()

    async def _guard(self, request: Any, handler: Any) -> Any:
        """Middleware: rate, host, token; then the headers of every answer."""
        from aiohttp import web

        token, cookie, remote = request.query.get("token", ""), request.cookies.get(f"{COOKIE}_{self.port}", ""), request.remote or ""
        known = self.access.known(cookie, token)
        if not (known and self.access.token) and not self._buckets.take(remote):  # who has the token is always let in
            answer = web.Response(status=429, text="Too many requests.\n")
        elif not known and (token or cookie) and not (self._wrong.take(remote) and self._all_wrong.take()):
            answer = web.Response(status=429, text="Too many wrong tokens.\n")
        elif not self.access.meant(request.headers.get("Host", "")):
            answer = web.Response(status=421, text="Expected the address of this machine.\n")
        elif not known:
            answer = web.Response(status=401, text="Expected the address with the token, as it was printed at the start.\n")
        elif token and self.access.token and request.path == "/":
            answer = web.Response(status=303, headers={"Location": "/"})
            answer.set_cookie(f"{COOKIE}_{self.port}", self.access.token, httponly=True, samesite="Strict", path="/")
        else:
            try:
                answer = await handler(request)
            except web.HTTPException as error:
                answer = web.Response(status=error.status, text=f"{error.reason}\n")
        if not answer.prepared:
            answer.headers.update(HEADERS)
        return answer

    async def _file(self, request: Any) -> Any:
        """One of the page's files: only names that were there at the start, so that there is no path to stray from."""
        from aiohttp import web

        name = request.match_info.get("name", "index.html")
        if name not in self._files:
            raise web.HTTPNotFound
        return web.Response(body=self._files[name], content_type=TYPES[Path(name).suffix], charset="utf-8")

    async def _socket(self, request: Any) -> Any:
        from aiohttp import web

        if not self.access.own(request.headers):
            raise web.HTTPForbidden
        self._make_room()
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT, max_msg_size=LARGEST, compress=False)
        await socket.prepare(request)
        client = Client(socket)
        for key, data in self._kept.items():
            client.tell(key, data)
        self._clients.add(client)
        sending = asyncio.create_task(client.send())
        try:
            async for message in socket:
                client.heard = time.monotonic()
                if not client.bucket.take():
                    await socket.close(code=1008, message=b"too many messages")
                elif message.type == web.WSMsgType.TEXT:
                    self._hear(client, message.data)
                elif message.type == web.WSMsgType.BINARY:
                    client.answer({"type": "answer", "id": None, "ok": False, "text": "bytes found, expected a JSON object"})
        finally:
            self._clients.discard(client)
            sending.cancel()
        return socket

    def _make_room(self) -> None:
        """Where all places are taken, part with the page that has said nothing for longest: there is always one for an operator."""
        while len(self._clients) >= MOST_CLIENTS:
            quiet = min(self._clients, key=lambda client: client.heard)
            self._clients.discard(quiet)
            closing = asyncio.create_task(quiet.socket.close(code=1013, message=b"others look on"))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _hear(self, client: Client, text: str) -> None:
        try:
            command = parse(text)
        except ValueError as error:
            client.answer({"type": "answer", "id": None, "ok": False, "text": str(error)})
            return
        if command.type == "ack":
            if client.confirm(command.fields["sequence"]):
                client.bucket.give_back()  # the server sets the pace of frames: a quick page is no flood
        elif command.type == "watch":
            client.watch(**command.fields)
        else:
            self._ask(client, command)

    def _ask(self, client: Client, command: Command) -> None:
        def answer(ok: bool, text: str) -> None:
            self._soon(client.answer, {"type": "answer", "id": command.id, "ok": ok, "text": text})

        if self.asked.full() and command.type == "stop":
            with contextlib.suppress(queue.Empty):
                self.asked.get_nowait()  # stopping finds room at anything else's cost
        try:
            self.asked.put_nowait((command, answer))
        except queue.Full:
            answer(False, "too much was asked at once; try again")
