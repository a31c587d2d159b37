"""Key derivation from passwords and from other keys."""

import hashlib
import secrets
from typing import Annotated, Any, Literal

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security._bytes import Encoding, base64_of, bytes_of

_MOST_ROUNDS, _MOST_MEMORY = 3_000_000, 256 << 20

Function = Annotated[
    Literal["argon2id", "scrypt", "pbkdf2_sha256", "pbkdf2_sha512", "pbkdf2_sha1", "hkdf_sha256", "hkdf_sha512"],
    About("argon2id, scrypt and pbkdf2 stretch passwords; hkdf expands a secret that is already random"),
]


class Costs(TypedDict, total=False):
    """Cost parameters of the derivation."""

    rounds: Annotated[
        int,
        About(
            "Rounds of pbkdf2 (usually 600000), N of scrypt (131072), passes of argon2id (3)",
            600_000,
            minimum=1,
            maximum=_MOST_ROUNDS,
        ),
    ]
    memory_kib: Annotated[
        int, About("Memory of argon2id in KiB (65536)", 65_536, minimum=8, maximum=_MOST_MEMORY >> 10)
    ]
    block_size: Annotated[int, About("r of scrypt (8)", 8, minimum=1, maximum=32)]
    parallelism: Annotated[int, About("Lanes of argon2id, p of scrypt (1)", 1, minimum=1, maximum=16)]


class Derived(TypedDict):
    """A derived key."""

    hex: Annotated[str, About("Key in hexadecimal")]
    base64: Annotated[str, About("Key in Base64")]
    salt_hex: Annotated[str, About("Salt in hexadecimal: needed to derive the key again")]
    parameters: Annotated[dict[str, int], About("Cost parameters: needed to derive the key again")]


@tool(
    tags="kdf derive key pbkdf2 scrypt hkdf argon2 argon2id password stretching salt iterations",
    use_when=(
        "Derive a 32-byte key from this password with PBKDF2 and 600,000 rounds",
        "What is scrypt of password with salt NaCl, N=1024, r=8, p=16?",
        "Expand a shared secret with HKDF-SHA256",
    ),
    examples=(
        Example(
            {
                "function": "pbkdf2_sha1",
                "secret": "password",
                "salt": "salt",
                "salt_encoding": "utf8",
                "costs": {"rounds": 4096},
                "length": 20,
            },
            {"hex": "4b007901b765489abead49d926f721d065a429c1", "parameters": {"rounds": 4096}},
            source="RFC 6070, section 2",
        ),
        Example(
            {
                "function": "scrypt",
                "secret": "password",
                "salt": "NaCl",
                "salt_encoding": "utf8",
                "costs": {"rounds": 1024, "parallelism": 16},
                "length": 64,
            },
            {
                "hex": "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            },
            source="RFC 7914, section 12",
        ),
        Example(
            {
                "function": "hkdf_sha256",
                "secret": "0b" * 22,
                "encoding": "hex",
                "salt": "000102030405060708090a0b0c",
                "info": "f0f1f2f3f4f5f6f7f8f9",
                "length": 42,
            },
            {"hex": "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
            source="RFC 5869, appendix A.1",
        ),
        Example(
            {
                "function": "argon2id",
                "secret": "password",
                "salt": "somesalt",
                "salt_encoding": "utf8",
                "costs": {"rounds": 2, "memory_kib": 65536},
            },
            {"hex": "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"},
            source="the tests of the reference implementation of Argon2",
        ),
        Refusal({"function": "scrypt", "secret": "a", "costs": {"rounds": 1000}}, "power of two"),
        Refusal({"function": "argon2id", "secret": "a", "salt": "00"}, "8 bytes"),
    ),
    reply={
        "hex": "The key is {hex}; to derive it again you need the salt {salt_hex}.",
        "salt_hex": "The salt is {salt_hex}. The key: {hex}",
        "": "The key: {hex}",
    },
    pace="normal",
    memory_mb=1024,
    tier="pro",
    idempotent=False,
)
def kdf_derive_key(
    function: Function,
    secret: Annotated[str, About("Password or secret", "correct horse", min_length=1, max_length=10_000)],
    salt: Annotated[
        str | None, About("Salt; default: 16 random bytes", "000102030405060708090a0b0c0d0e0f", max_length=1000)
    ] = None,
    length: Annotated[int, About("Length of the key in bytes", minimum=4, maximum=1024)] = 32,
    costs: Annotated[
        Costs | None, About("Cost parameters; omitted ones use the usual values", {"rounds": 600_000})
    ] = None,
    info: Annotated[str, About("Context of hkdf", "session key", max_length=1000)] = "",
    encoding: Annotated[Literal["utf8", "hex", "base64"], About("Encoding of secret and info")] = "utf8",
    salt_encoding: Annotated[Encoding, About("Encoding of the bytes in the salt")] = "hex",
) -> Derived:
    """Derive a key from a password (Argon2id, scrypt, PBKDF2) or from another key (HKDF).

    Use it to create encryption keys. Returns the key, and the salt and costs needed to derive it again.
    """
    source = bytes_of(secret, encoding, "secret")
    grains = secrets.token_bytes(16) if salt is None else bytes_of(salt, salt_encoding, "salt")
    kind, _, digest = function.partition("_")
    chosen = costs or {}
    rounds, lanes = chosen.get("rounds"), chosen.get("parallelism", 1)
    parameters: dict[str, int] = {}
    if kind == "hkdf":
        key = _hkdf(source, grains, bytes_of(info, encoding, "info"), digest, length)
    elif kind == "pbkdf2":
        parameters = {"rounds": rounds or 600_000}
        key = hashlib.pbkdf2_hmac(digest, source, grains, parameters["rounds"], length)
    elif kind == "scrypt":
        parameters = {"n": rounds or 1 << 17, "r": chosen.get("block_size", 8), "p": lanes}
        key = _scrypt(source, grains, length, parameters)
    else:
        parameters = {"passes": rounds or 3, "memory_kib": chosen.get("memory_kib", 65_536), "lanes": lanes}
        key = _argon2id(source, grains, length, parameters)
    return {"hex": key.hex(), "base64": base64_of(key), "salt_hex": grains.hex(), "parameters": parameters}


def _hkdf(secret: bytes, salt: bytes, info: bytes, digest: str, length: int) -> bytes:
    function: Any = hashes.SHA256() if digest == "sha256" else hashes.SHA512()
    derived: bytes = HKDF(algorithm=function, length=length, salt=salt, info=info).derive(secret)
    return derived


def _scrypt(secret: bytes, salt: bytes, length: int, cost: dict[str, int]) -> bytes:
    n, r, p = cost["n"], cost["r"], cost["p"]
    if n < 2 or n & n - 1:
        raise ToolError("rounds, the N of scrypt, must be a power of two of at least 2, such as 131072.")
    needed = 128 * r * (n + p)
    if needed > _MOST_MEMORY or n * r * p > 1 << 24:
        raise ToolError("These costs of scrypt are too high. Keep 128·r·N below 256 MiB and N·r·p below 2^24.")
    return hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, dklen=length, maxmem=needed + (1 << 20))


def _argon2id(secret: bytes, salt: bytes, length: int, cost: dict[str, int]) -> bytes:
    passes, memory, lanes = cost["passes"], cost["memory_kib"], cost["lanes"]
    if len(salt) < 8 or memory < 8 * lanes:
        raise ToolError("Argon2id needs a salt of at least 8 bytes, and 8 KiB of memory for each lane.")
    if passes * memory > 1 << 21:
        raise ToolError("The derivation would take too long. Keep passes times KiB of memory below 2,097,152.")
    derived: bytes = hash_secret_raw(secret, salt, passes, memory, lanes, length, Type.ID)
    return derived
