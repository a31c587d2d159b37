"""File encryption with a passphrase in the age format, version 1, which `age` and `rage` read (C2SP age.md)."""

import base64
import binascii
import hashlib
import hmac
import re
import secrets
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.security._bytes import text_or_none

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_MOST_BYTES = 60_000_000
_WORK, _MOST_WORK = 18, 20
"""Base-2 logarithms of the scrypt rounds: the default of age, with 256 MiB, and the maximum for decryption, with 1 GiB.

"""
_CHUNK, _TAG, _SALT, _KEY = 64 << 10, 16, 16, 16
_LABEL = b"age-encryption.org/v1/scrypt"
_BEGIN, _END = b"-----BEGIN AGE ENCRYPTED FILE-----", b"-----END AGE ENCRYPTED FILE-----"
_HEAD = re.compile(
    rb"age-encryption\.org/v1\n-> scrypt ([A-Za-z0-9+/]{22}) ([1-9][0-9]?)\n"
    rb"([A-Za-z0-9+/]{43})\n--- ([A-Za-z0-9+/]{43})\n"
)
_WORD_LENGTH = 8

_BY_AGE = (
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBmOGlNYWsxL1dzTGgxWlQyckdIdDN3IDE4Ci9NVkk4b05FUVU0N3dmVDFkVWRuYXR5cHhS"
    "dmJmdUliSUxHSU9nZjNMMXcKLS0tIFJYeERUeGNQREI2VElCcVZIa1ZZK01zd2RuZjJsMytrY3RVeHkzTU9qL3MKf9X6ee3wXETCgmQnk0zIYgIF"
    "HPfB8r3+J3Oyve3gZIHW0QTQKJZt0ZkK33BhigylBrVPq4mgyPdtb/DAd2Y="
)
"""Created with the program age 1.1.1."""
_NOTES = {_FILE: base64.b64encode(b"Meet at the old mill at nine.\n").decode()}

Passphrase = Annotated[
    str, About("Passphrase, ideally of several words", "correct horse battery", min_length=1, max_length=1000)
]


class Encrypted(TypedDict):
    """An encrypted file."""

    file: OutputFile
    bytes: Annotated[int, About("Size of the encrypted file")]


class Decrypted(TypedDict):
    """A decrypted file."""

    file: OutputFile
    bytes: Annotated[int, About("Size of the file")]
    text: Annotated[str | None, About("Text of the file, if it is text of at most 10,000 characters")]


@tool(
    tags="encrypt file passphrase password protect age secure lock confidential",
    use_when=(
        "Encrypt notes.txt with a passphrase",
        "Protect this file with a password before I mail it",
        "Lock the backup with a pass phrase in age format",
    ),
    tier="pro",
    idempotent=False,
    pace="normal",
    memory_mb=1024,
    examples=(
        Example(
            {"file": _FILE, "passphrase": "correct horse battery"},
            {"file": "encrypted.age", "bytes": 212},
            source="by hand: a header of 150 bytes, a nonce of 16, the 30 bytes of the file and a tag of 16",
            files=_NOTES,
            then=(
                ExampleCall(
                    "file_decrypt_with_passphrase",
                    {"file": "{made}", "passphrase": "correct horse battery"},
                    {"text": "Meet at the old mill at nine.\n"},
                ),
            ),
        ),
        Example(
            {"file": _FILE, "passphrase": "correct horse battery", "as_text": True, "name": "notes.txt"},
            {"file": "notes.txt.age"},
            source="by hand",
            files=_NOTES,
            then=(
                ExampleCall(
                    "file_decrypt_with_passphrase",
                    {"file": "{made}", "passphrase": "correct horse battery"},
                    {"text": "Meet at the old mill at nine.\n"},
                ),
            ),
        ),
        Refusal({"file": _FILE, "passphrase": "short"}, "at least 8", files=_NOTES),
    ),
    reply="The encrypted file: {file}",
)
def file_encrypt_with_passphrase(
    file: File,
    passphrase: Passphrase,
    name: Annotated[str, About("Name of the file, to which .age is appended", max_length=150)] = "encrypted",
    as_text: Annotated[bool, About("Whether to create text that can be pasted into a mail")] = False,
) -> Encrypted:
    """Encrypt a file with a passphrase in the age format, which the programs age and rage decrypt (`age -d`).

    Use it before a file is mailed or stored elsewhere; it cannot be decrypted without the passphrase. Returns the
    encrypted file.
    """
    if len(passphrase) < _WORD_LENGTH:
        raise ToolError(f"The passphrase must have at least {_WORD_LENGTH} characters. Use several words.")
    content = _read(file)
    key, salt = secrets.token_bytes(_KEY), secrets.token_bytes(_SALT)
    wrapped = ChaCha20Poly1305(_stretch(passphrase, salt, _WORK)).encrypt(bytes(12), key, None)
    head = b"age-encryption.org/v1\n-> scrypt %s %d\n%s\n---" % (_plain64(salt), _WORK, _plain64(wrapped))
    nonce = secrets.token_bytes(_SALT)
    sealed = b"".join(_seal(_derive(key, nonce, b"payload"), content))
    whole = head + b" " + _plain64(_mac(key, head)) + b"\n" + nonce + sealed
    if as_text:
        lines = textwrap.wrap(base64.b64encode(whole).decode(), 64)
        whole = b"\n".join([_BEGIN, *(line.encode() for line in lines), _END, b""])
    return {"file": save(f"{name.removesuffix('.age')}.age", whole), "bytes": len(whole)}


@tool(
    tags="decrypt file passphrase password unlock age open",
    use_when=(
        "Decrypt backup.age with my passphrase",
        "Open the file that I encrypted with a password",
        "Unlock this age file",
    ),
    tier="pro",
    pace="normal",
    memory_mb=2048,
    examples=(
        Example(
            {"file": _FILE, "passphrase": "correct horse battery"},
            {"file": "decrypted", "bytes": 30, "text": "Meet at the old mill at nine.\n"},
            source="the file was made by the program age 1.1.1",
            files={_FILE: _BY_AGE},
        ),
        Example(
            {"file": _FILE, "passphrase": "correct horse battery", "name": "notes.txt"},
            {"file": "notes.txt"},
            source="the name that was asked for",
            files={_FILE: _BY_AGE},
        ),
        Refusal({"file": _FILE, "passphrase": "wrong horse"}, "passphrase is wrong", files={_FILE: _BY_AGE}),
        Refusal({"file": _FILE, "passphrase": "correct horse battery"}, "not an age file", files=_NOTES),
    ),
    reply={
        "text": "The decrypted text: {text}",
        "": "The decrypted file: {file}",
    },
)
def file_decrypt_with_passphrase(
    file: File,
    passphrase: Passphrase,
    name: Annotated[str, About("Name of the output file", max_length=150)] = "decrypted",
) -> Decrypted:
    """Decrypt a file that was encrypted with a passphrase in the age format, binary or as text.

    Use it for .age files; files encrypted for keys are not supported. Returns the file, and its text if it is short.
    """
    whole = _unarmor(_read(file))
    found = _HEAD.match(whole)
    if not found:
        raise ToolError(
            "The file is not an age file with a passphrase. Files for keys can be decrypted with `age -d -i`."
        )
    salt, work, wrapped, mac = found.groups()
    if int(work) > _MOST_WORK:
        raise ToolError(f"The file requires 2^{int(work)} rounds of scrypt; the maximum is 2^{_MOST_WORK}.")
    key = _unwrap(_stretch(passphrase, _from64(salt), int(work)), _from64(wrapped))
    head, body = whole[: found.start(4) - 1], whole[found.end() :]
    if not hmac.compare_digest(_mac(key, head), _from64(mac)):
        raise ToolError("The header of the file was changed after encryption. Fetch the file again.")
    content = b"".join(_open(_derive(key, body[:_SALT], b"payload"), body[_SALT:]))
    text = text_or_none(content) if len(content) <= 40_000 else None
    short_text = text if text is not None and len(text) <= 10_000 else None
    return {"file": save(name or "decrypted", content), "bytes": len(content), "text": short_text}


def _read(file: str) -> bytes:
    if Path(file).stat().st_size > _MOST_BYTES:
        raise ToolError("The file has more than 60 MB. Encrypt it in parts.")
    return Path(file).read_bytes()


def _stretch(passphrase: str, salt: bytes, work: int) -> bytes:
    rounds = 1 << work
    return hashlib.scrypt(
        passphrase.encode(errors="replace"),
        salt=_LABEL + salt,
        n=rounds,
        r=8,
        p=1,
        maxmem=rounds * 1024 + (1 << 21),
        dklen=32,
    )


def _unwrap(stretched: bytes, wrapped: bytes) -> bytes:
    try:
        return bytes(ChaCha20Poly1305(stretched).decrypt(bytes(12), wrapped, None))
    except InvalidTag as error:
        raise ToolError("The passphrase is wrong, or the header of the file is damaged.") from error


def _derive(key: bytes, salt: bytes, purpose: bytes) -> bytes:
    return bytes(HKDF(hashes.SHA256(), 32, salt, purpose).derive(key))


def _mac(key: bytes, head: bytes) -> bytes:
    return hmac.digest(_derive(key, b"", b"header"), head, "sha256")


def _seal(key: bytes, content: bytes) -> Iterator[bytes]:
    """Encrypt the chunks of a file, with the number of each and a final flag in the nonce (STREAM)."""
    cipher = ChaCha20Poly1305(key)
    starts = range(0, max(len(content), 1), _CHUNK)
    for number, start in enumerate(starts):
        yield cipher.encrypt(_nonce(number, last=number == len(starts) - 1), content[start : start + _CHUNK], None)


def _open(key: bytes, sealed: bytes) -> Iterator[bytes]:
    cipher = ChaCha20Poly1305(key)
    starts = range(0, max(len(sealed), 1), _CHUNK + _TAG)
    for number, start in enumerate(starts):
        last = number == len(starts) - 1
        try:
            yield cipher.decrypt(_nonce(number, last=last), sealed[start : start + _CHUNK + _TAG], None)
        except InvalidTag as error:
            raise ToolError("The file was changed or truncated after encryption. Fetch it again.") from error


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _plain64(content: bytes) -> bytes:
    return base64.b64encode(content).rstrip(b"=")


def _from64(text: bytes) -> bytes:
    return base64.b64decode(text + b"=" * (-len(text) % 4))


def _unarmor(content: bytes) -> bytes:
    """Return the bytes of an age file that may be armored text."""
    stripped = content.strip()
    if not stripped.startswith(_BEGIN):
        return content
    try:
        return base64.b64decode(b"".join(stripped.removeprefix(_BEGIN).removesuffix(_END).split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ToolError("The text of the age file is damaged: it is not Base64.") from error
