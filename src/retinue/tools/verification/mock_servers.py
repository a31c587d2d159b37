"""Loopback servers other than web servers for the examples of tools: DNS, text, TLS and mail."""

import base64
import ssl
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from retinue.tools.verification.mock_mail_servers import ImapHandler, SmtpHandler

Answers = Mapping[str, str]

_TYPES = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33}
_TYPES |= {"DS": 43, "DNSKEY": 48, "CAA": 257}
_TTL_S = 300


@contextmanager
def listening(kind: str, answers: Answers) -> Iterator[int]:
    """Run a server of that kind, and yield its port."""
    handler = {"dns": _Names, "text": _Texts, "tls": _Handshakes, "smtp": SmtpHandler, "imap": ImapHandler}[kind]
    server = ThreadingTCPServer(("127.0.0.1", 0), type("Handler", (handler,), {"answers": answers}))
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


class _Texts(BaseRequestHandler):
    """Answers one line with a text and closes the connection, like WHOIS (RFC 3912)."""

    answers: Answers

    def handle(self) -> None:
        with self.request.makefile("rb") as lines:
            line = lines.readline(1000).decode().strip()
        self.request.sendall(self.answers.get(line, "No match.\n").replace("\n", "\r\n").encode())


class _Handshakes(BaseRequestHandler):
    """Completes a TLS handshake, and waits for the other end to close."""

    answers: Answers

    def handle(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile(suffix=".pem") as file:
            Path(file.name).write_bytes(_certificate(self.answers["name"], int(self.answers["days"])))
            context.load_cert_chain(file.name)
        with suppress(OSError), context.wrap_socket(self.request, server_side=True) as connection:
            connection.recv(1)


def _certificate(host: str, days: int) -> bytes:
    """Return a key and a self-signed certificate, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=60))
        .not_valid_after(now + timedelta(days=days, minutes=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, *private) + certificate.public_bytes(
        serialization.Encoding.PEM
    )


class _Names(BaseRequestHandler):
    """Answers DNS queries over TCP (RFC 1035, RFC 7766) from lines such as `10 mail.example.com.` for an MX
    record.
    """

    answers: Answers

    def handle(self) -> None:
        with self.request.makefile("rb") as stream:
            while head := stream.read(2):
                answer = self._answer(stream.read(int.from_bytes(head, "big")))
                self.request.sendall(struct.pack("!H", len(answer)) + answer)

    def _answer(self, query: bytes) -> bytes:
        name, end = _read_name(query, 12)
        number = int.from_bytes(query[end : end + 2], "big")
        record_type = next((kind for kind, value in _TYPES.items() if value == number), "")
        records = self._records(name, record_type)
        known = any(question.rpartition(" ")[0].lower() == name for question in self.answers)
        flags = 0x8580 if known else 0x8583
        head = query[:2] + struct.pack("!HHHHH", flags, 1, len(records), 0, 0)
        return head + query[12 : end + 4] + b"".join(records)

    def _records(self, name: str, record_type: str) -> list[bytes]:
        """Return the records of a name, including those of its aliases' targets."""
        lines = {question.lower(): text.splitlines() for question, text in self.answers.items()}
        alias = lines.get(f"{name} cname", [])
        if alias and record_type != "CNAME":
            return [_record(name, "CNAME", alias[0]), *self._records(alias[0].rstrip(".").lower(), record_type)]
        return [_record(name, record_type, line) for line in lines.get(f"{name} {record_type.lower()}", [])]


def _read_name(message: bytes, start: int) -> tuple[str, int]:
    labels = []
    while length := message[start]:
        labels.append(message[start + 1 : start + 1 + length].decode("ascii").lower())
        start += 1 + length
    return ".".join(labels), start + 1


def _record(name: str, kind: str, line: str) -> bytes:
    content = _CONTENTS[kind](line)
    return _name(name) + struct.pack("!HHIH", _TYPES[kind], 1, _TTL_S, len(content)) + content


def _name(text: str) -> bytes:
    labels = [label.encode("ascii") for label in text.rstrip(".").split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _numbers_and_name(form: str) -> Callable[[str], bytes]:
    def content(line: str) -> bytes:
        *numbers, target = line.split()
        return struct.pack(form, *map(int, numbers)) + _name(target)

    return content


def _text(line: str) -> bytes:
    encoded = line.encode()
    parts = [encoded[start : start + 255] for start in range(0, len(encoded), 255)] or [b""]
    return b"".join(bytes([len(part)]) + part for part in parts)


def _authority(line: str) -> bytes:
    server, mailbox, *numbers = line.split()
    return _name(server) + _name(mailbox) + struct.pack("!5I", *map(int, numbers))


def _issuer(line: str) -> bytes:
    flags, tag, value = line.split(maxsplit=2)
    return bytes([int(flags), len(tag)]) + tag.encode() + value.strip('"').encode()


def _digest(line: str) -> bytes:
    tag, algorithm, kind, digest = line.split(maxsplit=3)
    return struct.pack("!HBB", int(tag), int(algorithm), int(kind)) + bytes.fromhex(digest)


def _key(line: str) -> bytes:
    flags, protocol, algorithm, key = line.split(maxsplit=3)
    return struct.pack("!HBB", int(flags), int(protocol), int(algorithm)) + base64.b64decode(key)


def _address(line: str) -> bytes:
    return ip_address(line).packed


_CONTENTS: Mapping[str, Callable[[str], bytes]] = {
    "A": _address,
    "AAAA": _address,
    "NS": _name,
    "CNAME": _name,
    "PTR": _name,
    "MX": _numbers_and_name("!H"),
    "SRV": _numbers_and_name("!3H"),
    "TXT": _text,
    "SOA": _authority,
    "CAA": _issuer,
    "DS": _digest,
    "DNSKEY": _key,
}
