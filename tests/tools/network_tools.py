"""Tools for tests that reach out, by fair means and foul."""

import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from retinue.tools.authoring.declare import ToolError
from retinue.tools.outbound import worker_sockets
from retinue.tools.outbound.http import fetch


def talk(host: str, port: int, line: str = "", timeout_s: float = 5.0) -> dict[str, Any]:
    """Send a line, return what comes back."""
    with worker_sockets.connect(host, port, timeout_s) as connection:
        connection.sendall(f"{line}\r\n".encode())
        with connection.makefile("r", newline="") as stream:
            return {"said": stream.read()}


def talk_at_once(host: str, port: int, lines: list[str]) -> dict[str, Any]:
    """The same from many threads."""
    with ThreadPoolExecutor(6) as threads:
        return {"said": [answer["said"] for answer in threads.map(lambda line: talk(host, port, line), lines)]}


def open_raw(family: int) -> dict[str, Any]:
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
    except OSError as error:
        raise ToolError(f"no socket: {error.strerror}") from error
    return {"opened": True}


def turn_elsewhere(host: str, port: int) -> dict[str, Any]:
    """Point a connection that was handed over at another address."""
    with worker_sockets.connect(host, port) as connection:
        try:
            connection.connect((host, port))
        except PermissionError as error:
            raise ToolError(f"no connect: {error.strerror}") from error
    return {"turned": True}


def get(url: str, **wishes: Any) -> dict[str, Any]:
    answer = fetch(url, **wishes)
    return {
        "status": answer.status,
        "text": answer.text,
        "length": len(answer.body),
        "url": answer.url,
        "redirects": [[redirect.status, redirect.url] for redirect in answer.redirects],
        "cut": answer.cut,
        "transferred": answer.transferred,
    }


def post(url: str, text: str, headers: dict[str, str]) -> dict[str, Any]:
    answer = fetch(url, "POST", body=text.encode(), headers=headers)
    return {"status": answer.status, "text": answer.text}
