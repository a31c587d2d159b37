"""Key pairs: generation, inspection and conversion."""

import hashlib
from typing import Annotated, Any, Literal

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519
from cryptography.hazmat.primitives.hashes import SHA256
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security import _keys
from retinue_tools.security._bytes import base64_of
from retinue_tools.security._samples import LEAF_KEY, LEAF_PUBLIC, RSA_PUBLIC

KeyText = Annotated[str, About("Key in PEM, OpenSSH, JWK or Base64 DER", LEAF_PUBLIC, min_length=20, max_length=20_000)]
KeyPassword = Annotated[str | None, About("Password of an encrypted private key", "secret", max_length=500)]
Form = Annotated[
    Literal["pem", "openssh", "jwk", "der_base64", "pem_traditional"],
    About("pem is PKCS#8 and SubjectPublicKeyInfo, pem_traditional is the older PEM of OpenSSL for private keys"),
]
_RFC8410 = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----"""
_RFC8037 = (
    '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",'
    '"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'
)


class KeyPair(TypedDict):
    """A new key pair."""

    private_key: Annotated[str, About("Private key: keep it secret")]
    public_key: Annotated[str, About("Public key")]
    fingerprint: Annotated[str, About("SHA256:… as shown by OpenSSH, if it supports the type; otherwise empty")]
    type: Annotated[str, About("RSA, EC, Ed25519 or X25519")]
    bits: Annotated[int, About("Key size in bits")]


@tool(
    tags="generate key pair rsa ec ecdsa ed25519 x25519 ssh openssh pem jwk private public keygen",
    use_when=(
        "Generate an SSH key pair with Ed25519",
        "Make a 4096-bit RSA key in PEM",
        "I need a P-256 key as JWK",
    ),
    examples=(
        Example({"kind": "ed25519", "key_format": "openssh"}, {"type": "Ed25519", "bits": 256}, source="RFC 8032"),
        Example({"kind": "p384", "key_format": "jwk"}, {"type": "EC", "bits": 384}, source="FIPS 186-5"),
        Example({"kind": "rsa_2048", "password": "secret"}, {"type": "RSA", "bits": 2048}, source="the size asked for"),
        Refusal({"kind": "x25519", "key_format": "openssh"}, "A key of this type does not support openssh"),
        Refusal({"key_format": "openssh", "password": "secret"}, "only supported for keys in PEM"),
    ),
    reply=(
        "The new {type} key pair of {bits} bits; its private key is in the result of the "
        "call, keep it secret. The public key: {public_key}"
    ),
    tier="pro",
    pace="normal",
    idempotent=False,
)
def key_generate_pair(
    kind: Annotated[
        Literal["ed25519", "p256", "p384", "p521", "secp256k1", "x25519", "rsa_2048", "rsa_3072", "rsa_4096"],
        About("Type and size; ed25519 is for signatures, x25519 for key agreement"),
    ] = "ed25519",
    key_format: Form = "pem",
    password: Annotated[
        str | None,
        About("Password to encrypt the private key with, in PEM", "secret", min_length=1, max_length=72),
    ] = None,
) -> KeyPair:
    """Generate a key pair (RSA, elliptic curve, Ed25519, X25519) in PEM, OpenSSH, JWK or DER.

    Use it for SSH, TLS, JWT and signatures. The private key is shown once and not stored.
    """
    if password is not None and not key_format.startswith("pem"):
        raise ToolError("Passwords are only supported for keys in PEM. Request key_format pem, or omit the password.")
    key = _make(kind)
    name, _, bits = _keys.kind_of(key)
    return {
        "private_key": _keys.render(key, key_format, password),
        "public_key": _keys.render(key.public_key(), key_format),
        "fingerprint": _ssh_fingerprint(key) or "",
        "type": name,
        "bits": bits,
    }


def _make(kind: str) -> Any:
    if kind.startswith("rsa"):
        return rsa.generate_private_key(65537, int(kind[4:]))
    curves: dict[str, Any] = {
        "p256": ec.SECP256R1,
        "p384": ec.SECP384R1,
        "p521": ec.SECP521R1,
        "secp256k1": ec.SECP256K1,
    }
    if kind in curves:
        return ec.generate_private_key(curves[kind]())
    return (ed25519.Ed25519PrivateKey if kind == "ed25519" else x25519.X25519PrivateKey).generate()


class KeyReport(TypedDict):
    """Properties of a key."""

    type: Annotated[str, About("RSA, EC, Ed25519, X25519, Ed448, X448, DSA or DH")]
    private: Annotated[bool, About("Whether it is a private key")]
    bits: Annotated[int, About("Key size in bits")]
    curve: Annotated[str | None, About("Curve, if any")]
    exponent: Annotated[int | None, About("Public exponent of RSA")]
    ssh_fingerprint: Annotated[str | None, About("SHA256:… as shown by ssh-keygen -l")]
    spki_sha256_hex: Annotated[str, About("SHA-256 of its SubjectPublicKeyInfo")]
    spki_pin: Annotated[str, About("The same in Base64, for pinning")]
    public_key_pem: Annotated[str, About("Public key in PEM")]
    weaknesses: Annotated[list[str], About("Reasons against using it")]


@tool(
    tags="key inspect pem ssh rsa ec type size fingerprint sha256 public private jwk pin",
    use_when=(
        "What kind of key is this PEM, and how long?",
        "What is the SHA256 fingerprint of my SSH public key?",
        "Does this private key belong to that public key?",
    ),
    examples=(
        Example(
            {"key": LEAF_KEY},
            {
                "type": "EC",
                "private": True,
                "bits": 256,
                "curve": "P-256",
                "ssh_fingerprint": "SHA256:ARwkXBKBIff92E+sN6IOVgZWCJslQiBXF9UiM6YiRts",
                "spki_sha256_hex": "4258a504f5608a283fa1d0e450846fb5518792fc5d9a517e2c224516bd7def07",
            },
            source="openssl pkey and ssh-keygen -l",
        ),
        Example(
            {"key": RSA_PUBLIC},
            {
                "type": "RSA",
                "private": False,
                "bits": 2048,
                "exponent": 65537,
                "ssh_fingerprint": "SHA256:q9l+DJ75bdut9GhFfCDwxYBAOHoyQ8v0yAH5zJ2i1XY",
            },
            source="ssh-keygen -l",
        ),
        Refusal({"key": "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"}, "not a key in PEM"),
    ),
    reply={
        "private, curve": "This is a private {type} key on the curve {curve}, of {bits} bits.",
        "curve": "This is a public {type} key on the curve {curve}, of {bits} bits.",
        "private": "This is a private {type} key of {bits} bits.",
        "": "This is a public {type} key of {bits} bits.",
    },
)
def key_inspect_material(key: KeyText, password: KeyPassword = None) -> KeyReport:
    """Inspect the type, size, curve and fingerprints of a private or public key, and whether it is too weak.

    Use it to identify a key, and to check whether two belong together: the keys of a pair have the same fingerprints.
    """
    loaded = _keys.key_of(key, password)
    kind, curve, bits = _keys.kind_of(loaded)
    digest = hashlib.sha256(_keys.public_der(loaded)).digest()
    exponent = _keys.public_of(loaded).public_numbers().e if kind == "RSA" else None
    weak = {"RSA below 2048 bits can be broken.": kind == "RSA" and bits < 2048}
    weak["DSA is outdated (FIPS 186-5)."] = kind == "DSA"
    weak["A public exponent below 65537 is not allowed (FIPS 186-5)."] = exponent is not None and exponent < 65537
    return {
        "type": kind,
        "private": _keys.is_private(loaded),
        "bits": bits,
        "curve": curve,
        "exponent": exponent if exponent is None or exponent < 2**53 else None,
        "ssh_fingerprint": _ssh_fingerprint(loaded),
        "spki_sha256_hex": digest.hex(),
        "spki_pin": base64_of(digest),
        "public_key_pem": _keys.render(_keys.public_of(loaded), "pem"),
        "weaknesses": [text for text, found in weak.items() if found],
    }


def _ssh_fingerprint(key: Any) -> str | None:
    try:
        fingerprint = serialization.ssh_key_fingerprint
        digest = fingerprint(_keys.public_of(key), SHA256())
    except (ValueError, TypeError):
        return None
    return f"SHA256:{base64_of(digest).rstrip('=')}"


class Converted(TypedDict):
    """A converted key."""

    key: Annotated[str, About("Key in the requested format")]
    private: Annotated[bool, About("Whether it is a private key")]


@tool(
    tags="key convert pem der jwk openssh format private public ssh",
    use_when=(
        "Convert this PEM key to a JWK",
        "Turn my OpenSSH public key into PEM",
        "Extract the public key of a private key in OpenSSH form",
    ),
    examples=(
        Example(
            {"key": LEAF_PUBLIC, "key_format": "openssh"},
            {
                "key": "ecdsa-sha2-nistp256 "
                "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBDL2izrynpgTlERsDuPnlgEN6Y630b026HK9cfxchg5E29hzmsS9KGSujayGS8ZPlhLXZmPQo7kmfgI426cQ+vQ=",
                "private": False,
            },
            source="ssh-keygen -i -m PKCS8",
        ),
        Example(
            {"key": _RFC8410, "key_format": "pem", "public_only": True},
            {
                "key": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
                "-----END PUBLIC KEY-----\n"
            },
            source="RFC 8410, sections 10.1 and 10.3",
        ),
        Example(
            {"key": _RFC8037, "key_format": "der_base64", "public_only": True},
            {"key": "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", "private": False},
            source="RFC 8037, appendix A.2, behind the header of RFC 8410",
        ),
        Refusal({"key": "not a key, only text of some length", "key_format": "pem"}, "not Base64"),
    ),
    reply={
        "private": "The private key; keep it secret: {key}",
        "": "The public key: {key}",
    },
    tier="pro",
)
def key_convert_format(
    key: KeyText,
    key_format: Form,
    password: KeyPassword = None,
    public_only: Annotated[bool, About("Whether to return the public part of a private key")] = False,
    new_password: Annotated[
        str | None,
        About("Password to encrypt the private key with, in PEM", "secret", min_length=1, max_length=72),
    ] = None,
) -> Converted:
    """Convert a key between PEM, OpenSSH, JWK and DER, change its password, or extract its public half.

    Use it if a program requires another format. The private key is not stored.
    """
    loaded = _keys.key_of(key, password)
    chosen = _keys.public_of(loaded) if public_only else loaded
    lock = new_password if _keys.is_private(chosen) and key_format.startswith(("pem", "openssh")) else None
    return {"key": _keys.render(chosen, key_format, lock), "private": _keys.is_private(chosen)}
