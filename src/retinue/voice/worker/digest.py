"""The server's side of digest authentication for SIP (RFC 7616, RFC 8760), with SHA-256 and MD5."""

import hashlib
import hmac
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from enum import Enum

REALM = "retinue"

_ALGORITHMS: dict[str, Callable[[bytes], str]] = {
    "SHA-256": lambda data: hashlib.sha256(data).hexdigest(),
    "MD5": lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest(),
}
"""The algorithms that are offered, the better one first. Many telephones know MD5 alone."""

_VALID_S = 300
"""Seconds for which a nonce can be used."""

_REMEMBERED = 4096
"""Most nonces whose counters are remembered."""

_FIELD = re.compile(r'(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))')


class Proof(Enum):
    """What the credentials of a request are worth."""

    MISSING = "missing"
    VALID = "valid"
    STALE = "stale"
    """They are right, but for a nonce that has expired or was used before."""
    WRONG = "wrong"


class DigestChecker:
    """Issues nonces and checks credentials. A nonce proves itself, so challenges need no memory."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._secret = clock, os.urandom(32)
        self._counts: OrderedDict[str, int] = OrderedDict()
        """The highest counter of each nonce: a captured request cannot be sent again."""

    def challenges(self, host: str, *, stale: bool) -> list[str]:
        """Return the headers of a 401 response to a request from `host`."""
        nonce = self._nonce(f"{self._clock():.0f}-{os.urandom(8).hex()}", host)
        end = ", stale=true" if stale else ""
        return [
            f'WWW-Authenticate: Digest realm="{REALM}", nonce="{nonce}", algorithm={name}, qop="auth"{end}'
            for name in _ALGORITHMS
        ]

    def check(self, credentials: Sequence[str], method: str, host: str, passwords: Mapping[str, str]) -> Proof:
        """Check the Authorization headers of a request from `host`, given the passwords of the users."""
        fields = next((found for line in credentials if (found := _fields(line)).get("realm") == REALM), None)
        if fields is None:
            return Proof.MISSING
        nonce, count = fields.get("nonce", ""), fields.get("nc", "")
        start = nonce.rpartition("-")[0]
        issued = start.partition("-")[0]
        algorithm = fields.get("algorithm", "MD5").upper()
        known = algorithm in _ALGORITHMS and fields.get("qop") == "auth" and re.fullmatch("[0-9a-fA-F]{8}", count)
        if not known or not issued.isdecimal() or len(issued) > 15:
            return Proof.WRONG
        if not hmac.compare_digest(nonce.encode(), self._nonce(start, host).encode()):
            return Proof.STALE
        expected = _response(algorithm, fields, method, passwords.get(fields.get("username", ""), ""))
        matches = hmac.compare_digest(fields.get("response", "").lower().encode(), expected.encode())
        if not matches or fields.get("username") not in passwords:
            return Proof.WRONG
        return Proof.VALID if self._is_fresh(nonce, int(issued), int(count, 16)) else Proof.STALE

    def _is_fresh(self, nonce: str, issued: int, count: int) -> bool:
        if self._clock() - issued > _VALID_S or count <= self._counts.get(nonce, 0):
            return False
        self._counts[nonce] = count
        self._counts.move_to_end(nonce)
        if len(self._counts) > _REMEMBERED:
            self._counts.popitem(last=False)
        return True

    def _nonce(self, start: str, host: str) -> str:
        """Return a nonce that begins with its time and a random number, and ends with the proof that it is ours."""
        proof = hmac.digest(self._secret, f"{start} {host}".encode(), "sha256").hex()
        return f"{start}-{proof[:32]}"


def _response(algorithm: str, fields: Mapping[str, str], method: str, password: str) -> str:
    def digest(text: str) -> str:
        return _ALGORITHMS[algorithm](text.encode())

    secret = digest(f"{fields.get('username', '')}:{REALM}:{password}")
    asked = digest(f"{method}:{fields.get('uri', '')}")
    return digest(f"{secret}:{fields['nonce']}:{fields['nc']}:{fields.get('cnonce', '')}:auth:{asked}")


def _fields(header: str) -> dict[str, str]:
    scheme, _, rest = header.partition(" ")
    if scheme.lower() != "digest":
        return {}
    return {name.lower(): quoted or plain for name, quoted, plain in _FIELD.findall(rest)}
