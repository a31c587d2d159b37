"""PKCS#12 files unpacked (RFC 7292)."""

from pathlib import Path
from typing import Annotated

from cryptography.hazmat.primitives.serialization import pkcs12
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.security import _certificates as _of
from retinue_tools.security import _keys
from retinue_tools.security._samples import CA, LEAF, LEAF_KEY, PKCS12

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


class Unpacked(TypedDict):
    """What a PKCS#12 file holds."""

    certificates: Annotated[list[str], About("Certificates in PEM, that of the key first")]
    private_key: Annotated[
        str | None, About("The private key in PEM; null where there is none or it was not asked for")
    ]
    subjects: Annotated[list[str], About("Whom the certificates are for")]
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
    tier="pro",
)
def cert_unpack_pkcs12(
    file: File,
    password: Annotated[str, About("Password of the file; empty for none", "secret", max_length=500)],
    with_key: Annotated[bool, About("Give the private key too")] = True,
) -> Unpacked:
    """Unpack a PKCS#12 file (.p12, .pfx) into PEM certificates and the private key.

    Use it to move certificates from Windows or Java to servers that read PEM.
    """
    if "\0" in password:
        raise ToolError("password must not hold the character NUL.")
    try:
        held = pkcs12.load_pkcs12(Path(file).read_bytes(), password.encode() if password else None)
    except (ValueError, TypeError) as error:
        raise ToolError("The password does not open the file, or it is no PKCS#12 file.") from error
    entries = [*([held.cert] if held.cert else []), *held.additional_certs]
    named = held.cert.friendly_name if held.cert else None
    return {
        "certificates": [entry.certificate.public_bytes(_of.PEM).decode() for entry in entries],
        "private_key": _keys.render(held.key, "pem") if held.key and with_key else None,
        "subjects": [entry.certificate.subject.rfc4514_string() for entry in entries],
        "name": named.decode(errors="replace") if named else None,
    }
