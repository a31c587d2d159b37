"""Authenticated encryption with a shared key or password."""

import secrets
import time
from typing import Annotated, Any, Literal

from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.security._bytes import Encoding, base64_of, bytes_of, text_or_none

_FERNET_KEY = "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="
_SPECIFIED = "gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA=="
_SUNSCREEN = (
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
)
_SEALED = (
    "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b29"
    "05d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b"
    "61161ae10b594f09e26a7e902ecbd0600691"
)
_CHACHA_KEY = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
_CHACHA = {
    "cipher": "chacha20_poly1305",
    "key_hex": _CHACHA_KEY,
    "nonce_hex": "070000004041424344454647",
    "associated_hex": "50515253c0c1c2c3c4c5c6c7",
}

Cipher = Annotated[Literal["aes_gcm", "chacha20_poly1305"], About("Cipher; aes_gcm accepts keys of 16, 24 or 32 bytes")]
Key = Annotated[
    str, About("Secret key in hexadecimal", _CHACHA_KEY, pattern="^([0-9a-fA-F]{2})+$", min_length=32, max_length=64)
]
Nonce = Annotated[
    str,
    About("Nonce of 12 bytes in hexadecimal", "070000004041424344454647", pattern="^[0-9a-fA-F]{24}$", max_length=24),
]
Associated = Annotated[
    str, About("Bytes in hexadecimal that are authenticated but not encrypted", "50515253", max_length=20_000)
]


class Sealed(TypedDict):
    """An encrypted text."""

    ciphertext_hex: Annotated[str, About("Ciphertext and its tag of 16 bytes, in hexadecimal")]
    ciphertext_base64: Annotated[str, About("Ciphertext and its tag of 16 bytes, in Base64")]
    nonce_hex: Annotated[str, About("Nonce: needed for decryption, not secret")]


@tool(
    tags="encrypt aes gcm chacha20 poly1305 aead symmetric key authenticated",
    use_when=(
        "Encrypt this text with AES-256-GCM and my key",
        "Encrypt with ChaCha20-Poly1305",
        "What is the AES-GCM ciphertext and tag for this nonce?",
    ),
    examples=(
        Example(
            {
                "text": "00000000000000000000000000000000",
                "encoding": "hex",
                "key_hex": "00" * 16,
                "nonce_hex": "00" * 12,
            },
            {"ciphertext_hex": "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"},
            source="McGrew and Viega, The Galois/Counter Mode, test case 2",
        ),
        Example({"text": _SUNSCREEN, **_CHACHA}, {"ciphertext_hex": _SEALED}, source="RFC 8439, section 2.8.2"),
        Refusal({"text": "a", "key_hex": "00" * 20}, "16, 24 or 32 bytes"),
    ),
    reply={
        "ciphertext_base64": (
            "The encrypted text is {ciphertext_base64} in Base64; for decryption you need the nonce {nonce_hex}."
        ),
        "": "The nonce for decryption is {nonce_hex}. The encrypted text in Base64: {ciphertext_base64}",
    },
    tier="pro",
    idempotent=False,
)
def aead_encrypt_text(
    text: Text,
    key_hex: Key,
    cipher: Cipher = "aes_gcm",
    nonce_hex: Nonce | None = None,
    associated_hex: Associated = "",
    encoding: Encoding = "utf8",
) -> Sealed:
    """Encrypt and authenticate a text with a secret key: AES-GCM (NIST SP 800-38D) or ChaCha20-Poly1305 (RFC 8439).

    Without a nonce, a random one is generated: a nonce must never be reused with the same key. Returns ciphertext with
    tag.
    """
    nonce = bytes.fromhex(nonce_hex) if nonce_hex else secrets.token_bytes(12)
    associated = bytes_of(associated_hex, "hex", "associated_hex")
    sealed: bytes = _aead(cipher, key_hex).encrypt(nonce, bytes_of(text, encoding), associated)
    return {"ciphertext_hex": sealed.hex(), "ciphertext_base64": base64_of(sealed), "nonce_hex": nonce.hex()}


class Opened(TypedDict):
    """A decrypted text."""

    text: Annotated[str | None, About("Text; null if the bytes are not UTF-8")]
    hex: Annotated[str, About("Bytes in hexadecimal")]


@tool(
    tags="decrypt aes gcm chacha20 poly1305 aead symmetric key authenticated",
    use_when=(
        "Decrypt this AES-GCM ciphertext with my key and nonce",
        "Open a ChaCha20-Poly1305 message",
        "Was this ciphertext tampered with?",
    ),
    examples=(
        Example({"ciphertext": _SEALED, **_CHACHA}, {"text": _SUNSCREEN}, source="RFC 8439, section 2.8.2"),
        Example(
            {
                "ciphertext": "A4jazmC2o5LzKMK5cbL+eKtuR9Qs7BO99TpnshJXvd8=",
                "ciphertext_encoding": "base64",
                "key_hex": "00" * 16,
                "nonce_hex": "00" * 12,
            },
            {"hex": "00" * 16},
            source="McGrew and Viega, The Galois/Counter Mode, test case 2",
        ),
        Refusal({"ciphertext": "00" + _SEALED[2:], **_CHACHA}, "does not match key"),
    ),
    reply={
        "text": "The decrypted text: {text}",
        "": "The decrypted bytes are not text; in hexadecimal: {hex}",
    },
    tier="pro",
)
def aead_decrypt_text(
    ciphertext: Annotated[str, About("Ciphertext followed by its tag of 16 bytes", _SEALED, max_length=1_000_000)],
    key_hex: Key,
    nonce_hex: Nonce,
    cipher: Cipher = "aes_gcm",
    associated_hex: Associated = "",
    ciphertext_encoding: Annotated[Literal["hex", "base64"], About("Encoding of the ciphertext")] = "hex",
) -> Opened:
    """Decrypt and verify ciphertext of aead_encrypt_text or any AES-GCM or ChaCha20-Poly1305.

    Use it with the same key, nonce and associated bytes. Altered ciphertext is rejected.
    """
    sealed = bytes_of(ciphertext, ciphertext_encoding, "ciphertext")
    associated = bytes_of(associated_hex, "hex", "associated_hex")
    try:
        content: bytes = _aead(cipher, key_hex).decrypt(bytes.fromhex(nonce_hex), sealed, associated)
    except (InvalidTag, ValueError) as error:
        raise ToolError("The ciphertext does not match key, nonce and associated bytes, or was altered.") from error
    return {"text": text_or_none(content), "hex": content.hex()}


def _aead(cipher: str, key_hex: str) -> Any:
    key = bytes.fromhex(key_hex)
    if cipher == "chacha20_poly1305" and len(key) != 32:
        raise ToolError("The key of ChaCha20-Poly1305 has 32 bytes: 64 hexadecimal digits.")
    if len(key) not in (16, 24, 32):
        raise ToolError("The key of AES has 16, 24 or 32 bytes: 32, 48 or 64 hexadecimal digits.")
    return AESGCM(key) if cipher == "aes_gcm" else ChaCha20Poly1305(key)


FernetKey = Annotated[str, About("Key: 32 bytes in URL-safe Base64", _FERNET_KEY, min_length=43, max_length=44)]


class FernetToken(TypedDict):
    """A Fernet token with its key."""

    token: Annotated[str, About("Token")]
    key: Annotated[str, About("Key: newly generated if none was given")]


@tool(
    tags="fernet encrypt token symmetric key python cryptography",
    use_when=(
        "Encrypt this text as a Fernet token",
        "Make a Fernet key and encrypt a password with it",
        "Encrypt a value for Airflow's fernet_key",
    ),
    examples=(
        Example(
            {"text": "hello", "key": _FERNET_KEY},
            {"key": _FERNET_KEY},
            source="the key given; the token holds a random vector, and fernet_decrypt_token reads the specification's",
        ),
        Example({"text": ""}, {}, source="an empty text; key and token are random"),
        Refusal({"text": "a", "key": "A" * 40 + "AA=="}, "32 bytes"),
    ),
    reply={
        "args.key": "The token: {token}",
        "": "The new key is {key}; keep it secret. The token: {token}",
    },
    tier="pro",
    idempotent=False,
)
def fernet_encrypt_text(text: Text, key: FernetKey | None = None) -> FernetToken:
    """Encrypt a text as a Fernet token (AES-128-CBC with HMAC-SHA256), with a new key if none is given.

    Use it for secrets in settings of Python applications. Store the key separately from the token.
    """
    used = key or Fernet.generate_key().decode()
    return {"token": _fernet(used).encrypt(bytes_of(text, "utf8")).decode(), "key": used}


class FernetText(TypedDict):
    """Content of a Fernet token."""

    text: Annotated[str | None, About("Text; null if the bytes are not UTF-8")]
    hex: Annotated[str, About("Bytes in hexadecimal")]
    created_at: Annotated[int, About("Creation time in Unix seconds")]
    age_s: Annotated[int, About("Age in seconds")]


@tool(
    tags="fernet decrypt token symmetric key python cryptography ttl",
    use_when=(
        "Decrypt this Fernet token with my key",
        "How old is this gAAAAA token?",
        "What is in the encrypted Airflow connection?",
    ),
    examples=(
        Example(
            {"token": _SPECIFIED, "key": _FERNET_KEY},
            {"text": "hello", "created_at": 499162800},
            source="the Fernet specification, generate.json: 1985-10-26T01:20:00-07:00",
        ),
        Example(
            {"token": _SPECIFIED, "key": _FERNET_KEY, "max_age_s": 4_000_000_000}, {"text": "hello"}, source="the same"
        ),
        Refusal({"token": _SPECIFIED, "key": _FERNET_KEY, "max_age_s": 60}, "too old"),
        Refusal({"token": _SPECIFIED[:-4] + "AAA=", "key": _FERNET_KEY}, "does not match the key"),
    ),
    reply={
        "text": "The decrypted text: {text}",
        "": "The decrypted bytes are not text; in hexadecimal: {hex}",
    },
    tier="pro",
    idempotent=False,
)
def fernet_decrypt_token(
    token: Annotated[str, About("Token", _SPECIFIED, min_length=80, max_length=1_000_000)],
    key: FernetKey,
    max_age_s: Annotated[
        int | None, About("Maximum age of the token in seconds", 3600, minimum=1, maximum=2**32)
    ] = None,
) -> FernetText:
    """Decrypt and verify a Fernet token, and return when it was made.

    Use it with the key that encrypted it. Altered tokens and tokens above the maximum age are rejected.
    """
    cipher = _fernet(key)
    try:
        content: bytes = cipher.decrypt(token.strip())
        created = int(cipher.extract_timestamp(token.strip()))
    except (InvalidToken, ValueError) as error:
        raise ToolError("The token does not match the key, or was altered.") from error
    age = int(time.time()) - created
    if max_age_s is not None and age > max_age_s:
        raise ToolError(f"The token is too old: {age} seconds.")
    return {"text": text_or_none(content), "hex": content.hex(), "created_at": created, "age_s": age}


def _fernet(key: str) -> Any:
    try:
        return Fernet(key + "=" * (-len(key) % 4))
    except ValueError as error:
        raise ToolError("The key must be 32 bytes in URL-safe Base64: 44 characters.") from error
