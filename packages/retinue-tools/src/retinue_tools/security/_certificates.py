"""Parsing of certificates from PEM or DER, and formatting of their names."""

import re
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any

from cryptography import x509
from cryptography.exceptions import InternalError, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import NameOID

from retinue.sdk import ToolError
from retinue_tools.security._bytes import bytes_of

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"(?:\*\.)?(?:{_LABEL}\.)*{_LABEL}")
PEM = serialization.Encoding.PEM
_UNREADABLE = (
    ValueError,
    TypeError,
    UnsupportedAlgorithm,
    InternalError,
    x509.DuplicateExtension,
    x509.UnsupportedGeneralNameType,
)
_ESCAPED = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)


def certificates_of(text: str) -> list[Any]:
    """Return all certificates of a PEM text, or the one in Base64 DER. Raises `ToolError` if there is none."""
    blocks = [found[0] for found in _ESCAPED.finditer(text) if "CERTIFICATE" in found[1] and "REQUEST" not in found[1]]
    try:
        if not blocks and "-----" not in text:
            certificates = [x509.load_der_x509_certificate(bytes_of(text, "base64", "certificate"))]
        else:
            certificates = [x509.load_pem_x509_certificate(block.encode()) for block in blocks[:50]]
        for one in certificates:
            _read_all(one)
    except _UNREADABLE as error:
        raise ToolError(
            "This is not a certificate, it is damaged, or its key is of an unknown kind. Give it in PEM, with its "
            "first and last line."
        ) from error
    if not certificates:
        raise ToolError("The text contains no certificate. Give it in PEM, with its first and last line.")
    return certificates


def request_of(text: str) -> Any:
    """Parse a certificate request. Raises `ToolError`."""
    try:
        if "-----" in text:
            request = x509.load_pem_x509_csr(text.strip().encode())
        else:
            request = x509.load_der_x509_csr(bytes_of(text, "base64", "request"))
        _read_all(request)
    except _UNREADABLE as error:
        raise ToolError(
            "This is not a certificate request, it is damaged, or its key is of an unknown kind. Give it in PEM, with "
            "its first and last line."
        ) from error
    return request


def _read_all(loaded: x509.Certificate | x509.CertificateSigningRequest) -> None:
    """Read what the library parses only when it is used. Raises one of `_UNREADABLE` if it is damaged."""
    _ = loaded.extensions, loaded.subject, loaded.public_key(), loaded.signature_hash_algorithm
    if isinstance(loaded, x509.Certificate):
        _ = loaded.issuer, loaded.not_valid_before_utc, loaded.not_valid_after_utc, loaded.serial_number


def alternative_names(extensions: Any) -> list[str]:
    """Return host names, addresses and others of the extension, each as DNS:…, IP:…, email:… or URI:…."""
    kinds: list[tuple[Any, str]] = [(x509.DNSName, "DNS"), (x509.IPAddress, "IP"), (x509.RFC822Name, "email")]
    kinds.append((x509.UniformResourceIdentifier, "URI"))
    try:
        names = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [f"{label}:{name.value}" for name in names for kind, label in kinds if isinstance(name, kind)]


def general_names(texts: list[str]) -> Any:
    """Return the extension with host names, addresses and mail addresses. Raises `ToolError` for invalid ones."""
    names: list[Any] = []
    for text in texts:
        plain = text.strip()
        try:
            if "@" in plain:
                names.append(x509.RFC822Name(plain))
                continue
            names.append(x509.IPAddress(ip_address(plain)))
        except ValueError:
            names.append(_dns_name(plain))
    return x509.SubjectAlternativeName(names)


def _dns_name(text: str) -> Any:
    try:
        name = text.lower() if text.isascii() else text.encode("idna").decode()
    except UnicodeError:
        name = ""
    if len(name) > 253 or not _HOST.fullmatch(name):
        raise ToolError(f"{text[:80]} is neither a host name nor an address.")
    return x509.DNSName(name)


def name_of(common: str, organization: str | None, country: str | None) -> Any:
    """Build a distinguished name."""
    parts = ((NameOID.COUNTRY_NAME, country), (NameOID.ORGANIZATION_NAME, organization), (NameOID.COMMON_NAME, common))
    try:
        return x509.Name([x509.NameAttribute(oid, value) for oid, value in parts if value])
    except ValueError as error:
        raise ToolError("A part of the name is empty or too long: the maximum is 64 characters.") from error


def format_time(moment: datetime) -> str:
    """Format a time in ISO 8601, UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def extension_of(extensions: Any, kind: Any) -> Any:
    """Return the value of an extension, or None."""
    try:
        return extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


def moment_of(text: str | None) -> datetime:
    """Parse a time, by default now. Raises `ToolError` for an invalid one."""
    if text is None:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ToolError(f"{text[:40]} is not a time. Write it as 2026-03-29T12:00.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
