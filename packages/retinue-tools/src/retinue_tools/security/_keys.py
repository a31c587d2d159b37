"""Parsing and serialisation of keys in the usual formats."""

import json
from typing import Any

from cryptography.exceptions import InternalError, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa, x448, x25519
from joserfc.errors import JoseError
from joserfc.jwk import import_key

from retinue.sdk import ToolError
from retinue_tools.security._bytes import base64_of, bytes_of

_CURVES = {"secp256r1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521", "secp256k1": "secp256k1"}
_BAD = (ValueError, TypeError, UnsupportedAlgorithm, InternalError)


def key_of(text: str, password: str | None = None) -> Any:
    """Parse a private or public key from PEM, OpenSSH, JWK or DER in Base64. Raises `ToolError`."""
    plain = text.strip()
    secret = password.encode() if password else None
    try:
        if plain.startswith("{"):
            return _from_jwk(plain)
        if plain.startswith(("ssh-", "ecdsa-", "sk-")):
            return serialization.load_ssh_public_key(plain.encode())
        if "OPENSSH PRIVATE KEY" in plain:
            return serialization.load_ssh_private_key(plain.encode(), secret)
        if "PRIVATE KEY" in plain:
            return serialization.load_pem_private_key(plain.encode(), secret)
        if "PUBLIC KEY" in plain:
            return serialization.load_pem_public_key(plain.encode())
        if "-----" in plain:
            raise ValueError("PEM of something else")
        return _from_der(bytes_of(plain, "base64", "key"), secret)
    except _BAD as error:
        raise ToolError(_advice(error)) from error


def _advice(error: Exception) -> str:
    message = str(error).lower()
    if isinstance(error, TypeError) and "not encrypted" in message:
        return "The private key is not encrypted. Leave the password out."
    if isinstance(error, TypeError) and "password" in message:
        return "The private key is encrypted. Give its password."
    if "incorrect password" in message:
        return "The password does not open the private key."
    return "This is not a key in PEM, OpenSSH, JWK or Base64 DER. Give the complete key, with its first and last line."


def _from_der(content: bytes, password: bytes | None) -> Any:
    try:
        return serialization.load_der_private_key(content, password)
    except _BAD:
        return serialization.load_der_public_key(content)


def _from_jwk(text: str) -> Any:
    try:
        key = import_key(json.loads(text))
    except (JoseError, KeyError, AttributeError) as error:
        raise ValueError("not a JWK") from error
    if key.key_type == "oct":
        raise ToolError("A key of the type oct is a shared secret, not a private or public key.")
    return key.private_key or key.public_key


def is_private(key: Any) -> bool:
    """True for a private key."""
    return hasattr(key, "private_bytes")


def public_of(key: Any) -> Any:
    """Return the public key."""
    return key.public_key() if is_private(key) else key


def private_key(text: str, password: str | None = None) -> Any:
    """Parse a private key. Raises `ToolError`."""
    key = key_of(text, password)
    if not is_private(key):
        raise ToolError("This is a public key. Give the private one.")
    return key


def kind_of(key: Any) -> tuple[str, str | None, int]:
    """Return type, curve and bits of a key."""
    public = public_of(key)
    if isinstance(public, rsa.RSAPublicKey):
        return "RSA", None, public.key_size
    if isinstance(public, ec.EllipticCurvePublicKey):
        return "EC", _CURVES.get(public.curve.name, public.curve.name), public.key_size
    for name, kind, bits in (
        ("Ed25519", ed25519.Ed25519PublicKey, 256),
        ("X25519", x25519.X25519PublicKey, 256),
        ("Ed448", ed448.Ed448PublicKey, 456),
        ("X448", x448.X448PublicKey, 448),
    ):
        if isinstance(public, kind):
            return name, name, bits
    return type(public).__name__.removesuffix("PublicKey").strip("_"), None, getattr(public, "key_size", 0)


def public_der(key: Any) -> bytes:
    """Return SubjectPublicKeyInfo (RFC 5280, section 4.1)."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    content: bytes = public_of(key).public_bytes(serialization.Encoding.DER, form)
    return content


def render(key: Any, form: str, password: str | None = None) -> str:
    """Serialise a key in a format: pem, pem_traditional, der_base64, openssh or jwk. Only private PEM and OpenSSH are
    encrypted.
    """
    try:
        return _as_jwk(key) if form == "jwk" else _serialize(key, form, password)
    except (*_BAD, JoseError) as error:
        raise ToolError(f"A key of this type does not support {form}. Choose another format.") from error


def _serialize(key: Any, form: str, password: str | None) -> str:
    formats = serialization.PrivateFormat if is_private(key) else serialization.PublicFormat
    encoding = serialization.Encoding.PEM
    if is_private(key):
        layout = {"openssh": "OpenSSH", "pem_traditional": "TraditionalOpenSSL"}.get(form, "PKCS8")
        lock = serialization.BestAvailableEncryption(password.encode()) if password else serialization.NoEncryption()
        arguments: tuple[Any, ...] = (getattr(formats, layout), lock)
    else:
        arguments = (getattr(formats, "OpenSSH" if form == "openssh" else "SubjectPublicKeyInfo"),)
        encoding = serialization.Encoding.OpenSSH if form == "openssh" else encoding
    write = key.private_bytes if is_private(key) else key.public_bytes
    if form == "der_base64":
        return base64_of(write(serialization.Encoding.DER, *arguments))
    text: str = write(encoding, *arguments).decode()
    return text


def _as_jwk(key: Any) -> str:
    form = serialization.PrivateFormat.PKCS8 if is_private(key) else serialization.PublicFormat.SubjectPublicKeyInfo
    lock = (serialization.NoEncryption(),) if is_private(key) else ()
    write = key.private_bytes if is_private(key) else key.public_bytes
    jose = import_key(write(serialization.Encoding.PEM, form, *lock), jose_type(key))
    return json.dumps(jose.as_dict(private=is_private(key)))


def jose_type(key: Any) -> Any:
    """Return the JOSE type of a key (RFC 7518, section 6.1; RFC 8037)."""
    kind = kind_of(key)[0]
    return kind if kind in ("RSA", "EC") else "OKP"
