"""PKCS#12 files (RFC 7292), and certificate revocation lists (RFC 5280, section 5)."""

from pathlib import Path
from typing import Annotated, Any

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.security import _certificates as _of
from retinue_tools.security import _keys
from retinue_tools.security._bytes import bytes_of
from retinue_tools.security._samples import CA, CA_KEY, CRL, LEAF, LEAF_KEY, PKCS12
from retinue_tools.security.certificates import CertificateText
from retinue_tools.security.keys import KeyPassword, KeyText


class Packed(TypedDict):
    """A PKCS#12 file."""

    file: OutputFile
    certificates: Annotated[int, About("Number of certificates")]


@tool(
    tags="pkcs12 p12 pfx certificate key bundle convert windows iis java keystore",
    use_when=(
        "Pack this certificate and key as a PFX file",
        "Convert PEM to PKCS#12 for Windows",
        "Make a .p12 keystore with the chain",
    ),
    examples=(
        Example(
            {"certificates": LEAF + CA, "private_key": LEAF_KEY, "password": "secret"},
            {"file": "certificate.p12", "certificates": 2},
            source="by hand: two certificates; read again by the other tool",
            then=(
                ExampleCall(
                    "cert_unpack_pkcs12", {"file": "{made}", "password": "secret"}, {"certificates": [LEAF, CA]}
                ),
            ),
        ),
        Example(
            {"certificates": CA, "private_key": CA_KEY, "password": "secret", "name": "root"},
            {"certificates": 1},
            source="by hand",
        ),
        Refusal({"certificates": LEAF, "private_key": CA_KEY, "password": "secret"}, "does not belong"),
    ),
    reply="The PKCS#12 file with {certificates|certificate}: {file}",
    tier="pro",
    idempotent=False,
)
def cert_pack_pkcs12(
    certificates: Annotated[
        CertificateText, About("Certificates in PEM: first that of the key, then those of its issuers")
    ],
    private_key: KeyText,
    password: Annotated[str, About("Password to protect the file with", "secret", min_length=1, max_length=500)],
    key_password: KeyPassword = None,
    name: Annotated[str, About("Display name of the entry", min_length=1, max_length=100)] = "certificate",
) -> Packed:
    """Pack a certificate, its chain and its private key in a PKCS#12 file (.p12, .pfx) for Windows, Java and browsers.

    Give the certificate first, then those of its issuers, all in one PEM text.
    """
    loaded, key = _of.certificates_of(certificates), _keys.private_key(private_key, key_password)
    if _keys.public_der(key) != _keys.public_der(loaded[0].public_key()):
        raise ToolError("private_key does not belong to the first certificate.")
    lock = serialization.BestAvailableEncryption(password.encode())
    try:
        content = pkcs12.serialize_key_and_certificates(name.encode(), key, loaded[0], loaded[1:] or None, lock)
    except (ValueError, TypeError) as error:
        raise ToolError("A key of this type cannot be packed. Use RSA, EC or Ed25519.") from error
    return {"file": save("certificate.p12", content), "certificates": len(loaded)}


_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


class Unpacked(TypedDict):
    """Content of a PKCS#12 file."""

    certificates: Annotated[list[str], About("Certificates in PEM, the one of the key first")]
    private_key: Annotated[str | None, About("Private key in PEM; null if there is none or it was not requested")]
    subjects: Annotated[list[str], About("Subjects of the certificates")]
    name: Annotated[str | None, About("Name of the entry")]


@tool(
    tags="pkcs12 p12 pfx unpack extract certificate key pem convert",
    use_when=(
        "Extract certificate and key from this .pfx file",
        "Convert a P12 to PEM",
        "What is inside the keystore?",
    ),
    examples=(
        Example(
            {"file": _FILE, "password": "secret"},
            {
                "certificates": [LEAF, CA],
                "private_key": LEAF_KEY,
                "subjects": ["C=GB,O=Example,CN=www.example.com", "O=Example,CN=Example Root CA"],
            },
            source="openssl pkcs12 -export, which made the file",
            files={_FILE: PKCS12},
        ),
        Example(
            {"file": _FILE, "password": "secret", "with_key": False},
            {"private_key": None},
            source="the same",
            files={_FILE: PKCS12},
        ),
        Refusal({"file": _FILE, "password": "wrong"}, "password", files={_FILE: PKCS12}),
    ),
    reply={
        "private_key": "The file contains the private key and the certificates of {subjects.0}: {certificates}",
        "": "The file contains the certificates of {subjects.0}: {certificates}",
    },
    tier="pro",
)
def cert_unpack_pkcs12(
    file: File,
    password: Annotated[str, About("Password of the file; empty for none", "secret", max_length=500)],
    with_key: Annotated[bool, About("Whether to return the private key")] = True,
) -> Unpacked:
    """Unpack a PKCS#12 file (.p12, .pfx) into PEM certificates and the private key.

    Use it to move certificates from Windows or Java to servers that read PEM.
    """
    if "\0" in password:
        raise ToolError("password must not contain the character NUL.")
    try:
        bundle = pkcs12.load_pkcs12(Path(file).read_bytes(), password.encode() if password else None)
    except (ValueError, TypeError) as error:
        raise ToolError("The password does not open the file, or the file is not PKCS#12.") from error
    entries = [*([bundle.cert] if bundle.cert else []), *bundle.additional_certs]
    friendly_name = bundle.cert.friendly_name if bundle.cert else None
    return {
        "certificates": [entry.certificate.public_bytes(_of.PEM).decode() for entry in entries],
        "private_key": _keys.render(bundle.key, "pem") if bundle.key and with_key else None,
        "subjects": [entry.certificate.subject.rfc4514_string() for entry in entries],
        "name": friendly_name.decode(errors="replace") if friendly_name else None,
    }


class Revoked(TypedDict):
    """A revoked certificate."""

    serial_hex: Annotated[str, About("Serial number in hexadecimal")]
    revoked_at: Annotated[str, About("Time of revocation, in UTC")]
    reason: Annotated[str, About("Reason, such as keyCompromise; empty if not stated")]


class RevocationList(TypedDict):
    """Content of a revocation list."""

    issuer: Annotated[str, About("Who issued it")]
    last_update: Annotated[str, About("Time of issue, in UTC")]
    next_update: Annotated[str | None, About("Time of the next update, in UTC")]
    entries: Annotated[int, About("Number of revoked certificates")]
    revoked: Annotated[list[Revoked], About("Revoked certificates, the first 1,000")]
    certificate_revoked: Annotated[bool | None, About("Whether the requested serial number is on the list")]
    signature_valid: Annotated[bool | None, About("Whether the given issuer signed it; null if none was given")]


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
        Refusal({"crl": LEAF}, "not a revocation list"),
    ),
    reply={
        "certificate_revoked": "Yes, the certificate is revoked; the list was issued by {issuer}.",
        "args.serial_hex": "No, the certificate is not on the list of {issuer}, issued on {last_update}.",
        "revoked": "{issuer} revokes {entries|certificate}: {revoked}",
        "": "The list of {issuer} contains no revoked certificates.",
    },
)
def crl_inspect_list(
    crl: Annotated[str, About("Revocation list in PEM, or in Base64 of its DER", CRL, max_length=5_000_000)],
    serial_hex: Annotated[
        str | None, About("Serial number to look up", "1235", pattern="^[0-9a-fA-F: ]+$", max_length=80)
    ] = None,
    issuer_certificate: CertificateText | None = None,
) -> RevocationList:
    """Read a certificate revocation list, look a serial number up in it, and verify its signature.

    Use it to find out whether, when and why a certificate was revoked.
    """
    loaded = _revocations(crl)
    serial = int(serial_hex.replace(":", "").replace(" ", "") or "0", 16) if serial_hex else None
    found = None if serial is None else loaded.get_revoked_certificate_by_serial_number(serial) is not None
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
        raise ToolError("This is not a revocation list. Give it in PEM, with its first and last line.") from error


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
