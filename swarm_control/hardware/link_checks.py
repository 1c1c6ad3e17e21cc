"""Can robots' wheels be reached? Each link is opened for a moment."""

from swarm_control.hardware.checkup import ERROR, OK, WARNING, Check
from swarm_control.hardware.link import Link


def check_link(name: str, link: Link) -> Check:
    """Open the link of a robot and close it again."""
    try:
        link.open()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        remedy = "is the robot on, and in this network? may you use the device?"
        return Check(ERROR, f"{name}: {link.url} cannot be opened ({reason})", remedy)
    link.close()
    if link.url.startswith("udp:"):
        return Check(WARNING, f"{name}: {link.url} has an address, which says nothing of the robot", "ping it")
    return Check(OK, f"{name}: {link.url} can be opened")
