"""Servers seen from outside: open ports, latency and TLS certificates."""

import socket
import ssl
import statistics
import time
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockServer, Refusal, ToolError, ToolUnavailable, tool
from retinue.sdk.http import create_ssl_context
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
    """State of a port."""

    port: Annotated[int, About("TCP port")]
    open: Annotated[bool, About("Whether a connection succeeded")]
    service: Annotated[str, About("Usual service; empty if there is none")]
    banner: Annotated[str, About("Banner: first line that the server sends")]
    connect_ms: Annotated[float | None, About("Duration of the connection set-up")]
    reason: Annotated[str, About("Reason why it is not open")]


class Ports(TypedDict):
    """Ports of a host."""

    host: Annotated[str, About("The host")]
    ports: Annotated[list[PortState], About("One entry for each port, in order")]
    open: Annotated[list[int], About("Open ports")]


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
            servers={"text": MockServer("text", {})},
        ),
        Example(
            {"host": "127.0.0.1", "ports": [2, 2], "timeout_s": 0.5},
            {"open": [], "ports": [{"port": 2, "open": False}]},
            source="nobody listens there; a port that is named twice is tried once",
            servers={"text": MockServer("text", {})},
        ),
        Refusal({"host": "192.168.1.1", "ports": [22]}, "not a public address"),
    ),
    reply={
        "ports.1, open": "Open on {args.host}: {open}",
        "open": "Yes, port {open} of {args.host} is open.",
        "ports.1": "None of these ports of {args.host} is open.",
        "": "No, the port of {args.host} is not open.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def net_check_ports(
    host: Host,
    ports: Annotated[list[Port], About("TCP ports to check", [22, 443], min_items=1, max_items=10)],
    timeout_s: Annotated[float, About("Timeout for each port", minimum=0.1, maximum=5)] = 1.5,
) -> Ports:
    """Check (try) which TCP ports of a public host are open, and read the banners of its servers.

    Use it to see whether a service can be reached from outside. Up to ten ports per call; private addresses are
    rejected.
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
        received = connection.recv(500).decode("utf-8", "replace")
    except OSError:
        return ""
    return "".join(sign if sign.isprintable() else " " for sign in received.partition("\n")[0]).strip()[:200]


class Latency(TypedDict):
    """Latency of connections."""

    host: Annotated[str, About("The host")]
    port: Annotated[int, About("TCP port")]
    times_ms: Annotated[list[float], About("Duration of each connection set-up, in order")]
    failed: Annotated[int, About("Number of failed attempts")]
    min_ms: Annotated[float | None, About("Shortest duration")]
    median_ms: Annotated[float | None, About("Median duration")]
    max_ms: Annotated[float | None, About("Longest duration")]
    jitter_ms: Annotated[float | None, About("Jitter: mean difference of consecutive values")]


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
            servers={"text": MockServer("text", {})},
        ),
        Example(
            {"host": "127.0.0.1", "port": "{text.port}", "attempts": 1},
            {"failed": 0, "jitter_ms": None},
            source="one time has no neighbour",
            servers={"text": MockServer("text", {})},
        ),
        Refusal({"host": "172.16.0.1"}, "not a public address"),
    ),
    reply={
        "not failed": "A connection to {host} takes {median_ms} ms.",
        "median_ms": "A connection to {host} takes {median_ms} ms; {failed|attempt} failed.",
        "": "All attempts to reach {host} failed.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def net_measure_latency(
    host: Host,
    port: Port = 443,
    attempts: Annotated[int, About("Number of consecutive connections", minimum=1, maximum=10)] = 4,
) -> Latency:
    """Measure how long TCP connections to a host take: about one round trip each, and the look-up of the name.

    Use it instead of a ping. No data is sent over the connections.
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
        raise ToolUnavailable(f"{host} does not accept connections on port {port}: {failure[:200]}.")
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


class Described(TypedDict):
    """Content of a certificate."""

    subject: Annotated[str, About("Subject")]
    issuer: Annotated[str, About("Issuer")]
    names: Annotated[list[str], About("Names that it is valid for, at most 200")]
    not_before: Annotated[str, About("Beginning of its validity, UTC")]
    not_after: Annotated[str, About("End of its validity, UTC")]
    days_left: Annotated[int, About("Whole days until the end; negative if it has expired")]
    key: Annotated[str, About("Kind and size of the key")]
    signature: Annotated[str, About("Hash function of the signature")]
    serial: Annotated[str, About("Serial number, hexadecimal")]
    sha256: Annotated[str, About("SHA-256 fingerprint")]
    self_signed: Annotated[bool, About("Whether it is self-signed")]


class Certificate(Described):
    """Certificate of a server."""

    trusted: Annotated[bool, About("Whether it is valid for the host and issued by a known authority")]
    problem: Annotated[str, About("Reason why it is not trusted")]
    tls_version: Annotated[str, About("Negotiated TLS version")]
    cipher: Annotated[str, About("Cipher suite")]


@tool(
    tags="tls ssl certificate expiry https inspect issuer san valid server",
    use_when=(
        "When does the certificate of example.com expire?",
        "Who issued the TLS certificate of this site?",
        "Is the HTTPS certificate valid for www.example.com?",
    ),
    examples=(
        Example(
            {"host": "127.0.0.1", "port": "{tls.port}", "server_name": "shop.example.test"},
            {
                "trusted": False,
                "self_signed": True,
                "subject": "CN=shop.example.test",
                "issuer": "CN=shop.example.test",
                "names": ["shop.example.test"],
                "days_left": 30,
                "key": "EC secp256r1",
                "signature": "sha256",
                "tls_version": "TLSv1.3",
            },
            source="the certificate that the stand-in makes, valid for thirty days more",
            servers={"tls": MockServer("tls", {"name": "shop.example.test", "days": "30"})},
        ),
        Example(
            {"host": "127.0.0.1", "port": "{tls.port}"},
            {"trusted": False, "problem": "self-signed certificate", "self_signed": True, "days_left": -3},
            source="X.509: a certificate that is its own issuer; it ended three days ago, less half an hour",
            servers={"tls": MockServer("tls", {"name": "old.example.test", "days": "-3"})},
        ),
        Refusal({"host": "10.0.0.1"}, "not a public address"),
    ),
    reply={
        "trusted": (
            "The certificate is trusted and valid until {not_after}, {days_left|day} "
            "from now; it was issued by {issuer}."
        ),
        "problem": "The certificate is not trusted ({problem}); {days_left|day} are left.",
        "self_signed": "The certificate is self-signed, so it is not trusted; {days_left|day} are left.",
        "": "The certificate is not trusted; {days_left|day} are left.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def net_inspect_certificate(
    host: Host,
    port: Port = 443,
    server_name: Annotated[
        str | None,
        About("Server name to request, if it differs from the host", "www.example.com", min_length=1, max_length=253),
    ] = None,
) -> Certificate:
    """Show the TLS certificate of a server: names, issuer, end of validity, and whether it is trusted.

    Use it to watch for expiry or to find out why browsers warn. Untrusted certificates are returned too, with the
    reason.
    """
    name = server_name or host
    problem = _problem(host, port, name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with connect(host, port, 5.0) as raw, context.wrap_socket(raw, server_hostname=name) as connection:
            content = connection.getpeercert(binary_form=True) or b""
            version, cipher = connection.version() or "", (connection.cipher() or ("",))[0]
    except ssl.SSLError as error:
        raise ToolError(f"{host}:{port} does not support a TLS version of this server ({error.reason}).") from error
    except OSError as error:
        raise ToolUnavailable(f"{host}:{port} cannot be reached: {str(error)[:200]}.") from error
    except ValueError as error:
        raise ToolError(f"{name} is not a valid server name: {error}.") from error
    try:
        described = _describe(x509.load_der_x509_certificate(content))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ToolError(f"The certificate of {host} cannot be parsed: {str(error)[:200]}.") from error
    return {"trusted": not problem, "problem": problem, "tls_version": version, "cipher": cipher, **described}


def _problem(host: str, port: int, name: str) -> str:
    try:
        with connect(host, port, 5.0) as raw, create_ssl_context().wrap_socket(raw, server_hostname=name):
            return ""
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    except (OSError, ValueError) as error:
        return str(error)[:200]


def _describe(certificate: x509.Certificate) -> Described:
    key = certificate.public_key()
    until = certificate.not_valid_after_utc
    return {
        "subject": certificate.subject.rfc4514_string()[:500],
        "issuer": certificate.issuer.rfc4514_string()[:500],
        "names": _names(certificate)[:200],
        "not_before": certificate.not_valid_before_utc.isoformat().replace("+00:00", "Z"),
        "not_after": until.isoformat().replace("+00:00", "Z"),
        "days_left": (until - datetime.now(UTC)).days,
        "key": f"RSA {key.key_size}"
        if isinstance(key, rsa.RSAPublicKey)
        else f"EC {key.curve.name}"
        if isinstance(key, ec.EllipticCurvePublicKey)
        else type(key).__name__.strip("_").removesuffix("PublicKey"),
        "signature": certificate.signature_hash_algorithm.name if certificate.signature_hash_algorithm else "",
        "serial": f"{certificate.serial_number:x}",
        "sha256": certificate.fingerprint(hashes.SHA256()).hex(),
        "self_signed": certificate.subject == certificate.issuer,
    }


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (x509.ExtensionNotFound, ValueError):
        return []
    return [str(name.value) for name in extension.value]
