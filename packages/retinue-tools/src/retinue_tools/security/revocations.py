"""Lists of revoked certificates (RFC 5280, section 5)."""

from typing import Annotated, Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security import _certificates as _of
from retinue_tools.security._bytes import bytes_of
from retinue_tools.security._samples import CA, CRL, LEAF
from retinue_tools.security.certificates import CertificateText


class Revoked(TypedDict):
    """A revoked certificate."""

    serial_hex: Annotated[str, About("Its serial number in hexadecimal")]
    revoked_at: Annotated[str, About("When, in UTC")]
    reason: Annotated[str, About("Why, as keyCompromise; empty where it is not said")]


class RevocationList(TypedDict):
    """What a revocation list says."""

    issuer: Annotated[str, About("Who issued it")]
    last_update: Annotated[str, About("When it was made, in UTC")]
    next_update: Annotated[str | None, About("When the next is due, in UTC")]
    entries: Annotated[int, About("How many certificates are revoked")]
    revoked: Annotated[list[Revoked], About("The first 1,000 of them")]
    certificate_revoked: Annotated[bool | None, About("Whether the serial number asked for is on it")]
    signature_valid: Annotated[bool | None, About("Whether the issuer given signed it; null where none was given")]


@tool(
    tags="crl revocation list certificate revoked serial inspect",
    use_when=(
        "Which certificates does this CRL revoke?",
        "Is serial 1235 on the revocation list?",
        "When is the next update of this CRL due?",
    ),
    examples=(
        Example(
            {"crl": CRL, "serial_hex": "12:35", "issuer_certificate": CA},
            {
                "issuer": "O=Example,CN=Example Root CA",
                "next_update": "2099-12-01T00:00:00Z",
                "entries": 1,
                "certificate_revoked": True,
                "signature_valid": True,
            },
            source="openssl crl -text",
        ),
        Example({"crl": CRL, "serial_hex": "01"}, {"certificate_revoked": False, "signature_valid": None}, "by hand"),
        Refusal({"crl": LEAF}, "no revocation list"),
    ),
)
def crl_inspect_list(
    crl: Annotated[str, About("Revocation list in PEM, or in Base64 of its DER", CRL, max_length=5_000_000)],
    serial_hex: Annotated[
        str | None, About("Serial number to look up", "1235", pattern="^[0-9a-fA-F: ]+$", max_length=80)
    ] = None,
    issuer_certificate: CertificateText | None = None,
) -> RevocationList:
    """Read a certificate revocation list, look a serial number up in it, and verify its signature.

    Use it to learn whether a certificate was revoked, when and why.
    """
    loaded = _revocations(crl)
    wanted = int(serial_hex.replace(":", "").replace(" ", "") or "0", 16) if serial_hex else None
    found = None if wanted is None else loaded.get_revoked_certificate_by_serial_number(wanted) is not None
    signed = None
    if issuer_certificate:
        signed = _is_signed(loaded, _of.certificates_of(issuer_certificate)[0].public_key())
    due = loaded.next_update_utc
    return {
        "issuer": loaded.issuer.rfc4514_string(),
        "last_update": _of.format_time(loaded.last_update_utc),
        "next_update": _of.format_time(due) if due else None,
        "entries": len(loaded),
        "revoked": [_entry(loaded[place]) for place in range(min(len(loaded), 1000))],
        "certificate_revoked": found,
        "signature_valid": signed,
    }


def _revocations(text: str) -> Any:
    try:
        if "-----" in text:
            return x509.load_pem_x509_crl(text.strip().encode())
        return x509.load_der_x509_crl(bytes_of(text, "base64", "list"))
    except (ValueError, TypeError) as error:
        raise ToolError("That is no revocation list. Give it in PEM, with its first and last line.") from error


def _is_signed(loaded: Any, key: Any) -> bool:
    try:
        return bool(loaded.is_signature_valid(key))
    except (TypeError, ValueError, UnsupportedAlgorithm):
        return False


def _entry(entry: Any) -> Revoked:
    reason = _of.extension_of(entry.extensions, x509.CRLReason)
    return {
        "serial_hex": f"{entry.serial_number:x}",
        "revoked_at": _of.format_time(entry.revocation_date_utc),
        "reason": reason.reason.value if reason else "",
    }
