"""Calls ``swarm`` at the SOCKET of :mod:`support.forked_swarm`, and is as it to who started it."""

import json
import os
import signal
import socket
import sys

server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.connect("SOCKET")
request = {"words": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}
TOLD = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
signal.pthread_sigmask(signal.SIG_BLOCK, TOLD)
socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
process = int(server.recv(20))
for number in TOLD:
    signal.signal(number, lambda told, _: os.kill(process, told))
signal.pthread_sigmask(signal.SIG_UNBLOCK, TOLD)
status = int(server.recv(20))
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
