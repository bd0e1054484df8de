"""The proxy as a process: a socket, uvicorn on it, an end in good order."""

from __future__ import annotations

import ipaddress
import signal
import socket
import sys
from typing import TYPE_CHECKING

import uvicorn

from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from fastapi import FastAPI


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        ZoomgroundError: If the address cannot be had.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise ZoomgroundError(
            f"cannot listen on {host}:{port} ({error.strerror or error}); choose others by --host and --port"
        ) from error


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def server(app: FastAPI, *, grace_s: int) -> uvicorn.Server:
    """A server that tells nothing but warnings; the application has its own log."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=grace_s
    )
    return uvicorn.Server(config)


def run(app: FastAPI, listener: socket.socket, *, grace_s: int, announce: Callable[[], None]) -> None:
    """Serve until SIGTERM or Ctrl-C.

    Args:
        app: The proxy.
        listener: Where it listens.
        grace_s: Time that running requests then have to come to their end, in s.
        announce: Called when clients may come and signals are obeyed.

    Raises:
        KeyboardInterrupt: After Ctrl-C.
        SystemExit: After SIGTERM, with code 0.
    """
    # uvicorn ends in good order, then gives the signal on to whoever had it before: without this, that kills.
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        announce()
        server(app, grace_s=grace_s).run(sockets=[listener])
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave(_: int, __: FrameType | None) -> None:
    sys.exit(0)
