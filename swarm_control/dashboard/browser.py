"""Showing the page to whoever sits at this machine."""

import os
import sys
import threading
import webbrowser


def can_browse() -> bool:
    """Whether there is a screen, or a browser of the user's choice."""
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")) or sys.platform in ("darwin", "win32")


def browse(address: str) -> None:
    """Open a browser at the address where there is one; it is not waited for."""
    if can_browse():
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
