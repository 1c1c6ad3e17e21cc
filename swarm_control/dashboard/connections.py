"""Connections that ask for nothing, or never finish to ask: they are not kept."""

import asyncio
import time
from typing import Any

LOOK = 0.5
"""Time (s) between looks."""

PATIENCE = 5.0
"""How long (s) a connection may be without a request."""

MOST = 64
"""So many may be; beyond that the oldest go at once."""


async def shed(server: Any) -> None:
    """Close connections of an aiohttp ``server`` that have had no whole request for long, for as long as this runs."""
    since: dict[Any, float] = {}
    while True:
        await asyncio.sleep(LOOK)
        now = time.monotonic()
        idle = [one for one in server.connections if getattr(one, "_current_request", None) is None]
        since = {one: since.get(one, now) for one in idle}
        oldest = sorted(since, key=lambda one: since[one])
        for place, one in enumerate(oldest):
            if now - since[one] > PATIENCE or place < len(oldest) - MOST:
                one.force_close()
                if one.transport is not None:
                    one.transport.abort()
