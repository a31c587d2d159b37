"""Servers as seen from outside: ports and latency."""

import socket
import statistics
import time
from itertools import pairwise
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Listener, Refusal, ToolUnavailable, tool
from retinue.sdk.network import connect

Host = Annotated[str, About("Host name or address", "example.com", min_length=1, max_length=253)]
Port = Annotated[int, About("TCP port", 443, minimum=1, maximum=65_535)]
_SERVICES = {
    21: "ftp",
    22: "ssh",
    25: "smtp",
    53: "dns",
    80: "http",
    110: "pop3",
    143: "imap",
    443: "https",
    465: "smtps",
    587: "submission",
    853: "dns over tls",
    993: "imaps",
    995: "pop3s",
    1433: "sql server",
    1883: "mqtt",
    3306: "mysql",
    3389: "rdp",
    5432: "postgresql",
    6379: "redis",
    8080: "http",
    8443: "https",
    27017: "mongodb",
}
_SPEAK_FIRST = (21, 22, 25, 110, 143, 587)


class PortState(TypedDict):
    """Whether a port is open."""

    port: Annotated[int, About("TCP port")]
    open: Annotated[bool, About("Whether a connection comes about")]
    service: Annotated[str, About("What usually listens there; empty where nothing is usual")]
    banner: Annotated[str, About("First line that the server says by itself")]
    connect_ms: Annotated[float | None, About("How long the connection took")]
    reason: Annotated[str, About("Why it is not open")]


class Ports(TypedDict):
    """Which ports of a host are open."""

    host: Annotated[str, About("The host")]
    ports: Annotated[list[PortState], About("One for each port, in order")]
    open: Annotated[list[int], About("Those that are open")]


@tool(
    tags="port open closed tcp check firewall reachable service banner server",
    use_when=(
        "Is port 443 of example.com open?",
        "Which of the ports 22, 80 and 443 can be reached on my server?",
        "Does the mail server listen on port 587?",
    ),
    examples=(
        Example(
            {"host": "127.0.0.1", "ports": ["{text.port}", 1]},
            {
                "open": ["{text.port}"],
                "ports": [
                    {"port": "{text.port}", "open": True, "service": "", "reason": ""},
                    {"port": 1, "open": False, "connect_ms": None, "reason": "Connection refused"},
                ],
            },
            source="the stand-in listens on the first and nobody on the second",
            servers={"text": Listener("text", {})},
        ),
        Example(
            {"host": "127.0.0.1", "ports": [2, 2], "timeout_s": 0.5},
            {"open": [], "ports": [{"port": 2, "open": False}]},
            source="nobody listens there; a port that is named twice is tried once",
            servers={"text": Listener("text", {})},
        ),
        Refusal({"host": "192.168.1.1", "ports": [22]}, "not a public address"),
    ),
    open_world=True,
    pace="normal",
    idempotent=False,
)
def net_check_ports(
    host: Host,
    ports: Annotated[list[Port], About("TCP ports to try", [22, 443], min_items=1, max_items=10)],
    timeout_s: Annotated[float, About("How long to wait for each", minimum=0.1, maximum=5)] = 1.5,
) -> Ports:
    """Try which TCP ports of a public host are open, and read what servers there say first.

    Use it to see whether a service can be reached from outside. Up to ten ports a call; private addresses are refused.
    """
    states = [_state(host, port, timeout_s) for port in dict.fromkeys(ports)]
    return {"host": host, "ports": states, "open": [state["port"] for state in states if state["open"]]}


def _state(host: str, port: int, timeout_s: float) -> PortState:
    state: PortState = {
        "port": port,
        "open": False,
        "service": _SERVICES.get(port, ""),
        "banner": "",
        "connect_ms": None,
        "reason": "",
    }
    start = time.perf_counter()
    try:
        with connect(host, port, timeout_s) as connection:
            took = round((time.perf_counter() - start) * 1000, 3)
            banner = _banner(connection) if port in _SPEAK_FIRST else ""
            return {**state, "open": True, "connect_ms": took, "banner": banner}
    except OSError as error:
        return {**state, "reason": str(error)[:200]}


def _banner(connection: socket.socket) -> str:
    connection.settimeout(0.5)
    try:
        said = connection.recv(500).decode("utf-8", "replace")
    except OSError:
        return ""
    return "".join(sign if sign.isprintable() else " " for sign in said.partition("\n")[0]).strip()[:200]


class Latency(TypedDict):
    """How long connections take."""

    host: Annotated[str, About("The host")]
    port: Annotated[int, About("TCP port")]
    times_ms: Annotated[list[float], About("How long each connection took, in order")]
    failed: Annotated[int, About("Attempts that came to nothing")]
    min_ms: Annotated[float | None, About("Shortest")]
    median_ms: Annotated[float | None, About("Median")]
    max_ms: Annotated[float | None, About("Longest")]
    jitter_ms: Annotated[float | None, About("Mean difference of neighbours")]


@tool(
    tags="ping latency tcp round trip time response network delay jitter",
    use_when=(
        "How long is the latency to example.com?",
        "Ping my server on port 443 five times.",
        "Is the connection to this host stable?",
    ),
    examples=(
        Example(
            {"host": "127.0.0.1", "port": "{text.port}", "attempts": 3},
            {"failed": 0, "host": "127.0.0.1"},
            source="the stand-in takes every connection",
            servers={"text": Listener("text", {})},
        ),
        Example(
            {"host": "127.0.0.1", "port": "{text.port}", "attempts": 1},
            {"failed": 0, "jitter_ms": None},
            source="one time has no neighbour",
            servers={"text": Listener("text", {})},
        ),
        Refusal({"host": "172.16.0.1"}, "not a public address"),
    ),
    open_world=True,
    pace="normal",
    idempotent=False,
)
def net_measure_latency(
    host: Host,
    port: Port = 443,
    attempts: Annotated[int, About("Connections to make, one after the other", minimum=1, maximum=10)] = 4,
) -> Latency:
    """Measure how long TCP connections to a host take: about one round trip each, and the look-up of the name.

    Use it where a ping would be used. Nothing is sent over the connections.
    """
    times: list[float] = []
    failure = ""
    for _ in range(attempts):
        start = time.perf_counter()
        try:
            connect(host, port, 1.5).close()
            times.append(round((time.perf_counter() - start) * 1000, 3))
        except OSError as error:
            failure = str(error)
    if not times:
        raise ToolUnavailable(f"{host} takes no connection on port {port}: {failure[:200]}.")
    steps = [abs(after - before) for before, after in pairwise(times)]
    return {
        "host": host,
        "port": port,
        "times_ms": times,
        "failed": attempts - len(times),
        "min_ms": min(times),
        "median_ms": round(statistics.median(times), 3),
        "max_ms": max(times),
        "jitter_ms": round(statistics.fmean(steps), 3) if steps else None,
    }
