"""The addresses at which this server is reached."""

import re

from starlette.requests import Request

_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:\d{1,5})?|\[[0-9a-fA-F:]{2,45}\](:\d{1,5})?")


def server_address(request: Request, public_url: str | None) -> str:
    """The operator's `public_url` without a slash at its end, or else what the client asked for.

    A `Host` that is none is left out, so nothing in the address needs escaping.
    """
    if public_url:
        return public_url.rstrip("/")
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}" if _HOST.fullmatch(host) else "http://127.0.0.1:8000"


def reachable_host(host: str) -> str:
    """An address that reaches a server listening on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - nothing is bound here


def local_address(host: str, port: int) -> str:
    """Where a server that listens on `host` and `port` is reached from its own machine."""
    shown = reachable_host(host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
