"""TLS certificates of servers."""

import ssl
from datetime import UTC, datetime
from typing import Annotated

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Listener, Refusal, ToolError, ToolUnavailable, tool
from retinue.sdk.http import verifying_context
from retinue.sdk.network import connect
from retinue_tools.web.servers import Host, Port


class Described(TypedDict):
    """What stands in a certificate."""

    subject: Annotated[str, About("Whom it was issued to")]
    issuer: Annotated[str, About("Who issued it")]
    names: Annotated[list[str], About("Names that it is valid for, at most 200")]
    not_before: Annotated[str, About("Beginning of its validity, UTC")]
    not_after: Annotated[str, About("End of its validity, UTC")]
    days_left: Annotated[int, About("Whole days until then; below zero when it has expired")]
    key: Annotated[str, About("Kind and size of its key")]
    signature: Annotated[str, About("Hash of its signature")]
    serial: Annotated[str, About("Serial number, hexadecimal")]
    sha256: Annotated[str, About("Fingerprint")]
    self_signed: Annotated[bool, About("Whether it was issued by itself")]


class Certificate(Described):
    """The certificate of a server."""

    trusted: Annotated[bool, About("Whether it is valid for the host and a known authority vouches for it")]
    problem: Annotated[str, About("Why it is not trusted")]
    tls_version: Annotated[str, About("Version of TLS that was agreed on")]
    cipher: Annotated[str, About("Cipher suite")]


@tool(
    tags="tls ssl certificate expiry https inspect issuer san valid server",
    use_when=(
        "When does the certificate of example.com expire?",
        "Who issued the TLS certificate of this site?",
        "Is the HTTPS certificate valid for www.example.com?",
    ),
    examples=(
        Example(
            {"host": "127.0.0.1", "port": "{tls.port}", "server_name": "shop.example.test"},
            {
                "trusted": False,
                "self_signed": True,
                "subject": "CN=shop.example.test",
                "issuer": "CN=shop.example.test",
                "names": ["shop.example.test"],
                "days_left": 30,
                "key": "EC secp256r1",
                "signature": "sha256",
                "tls_version": "TLSv1.3",
            },
            source="the certificate that the stand-in makes, valid for thirty days more",
            servers={"tls": Listener("tls", {"name": "shop.example.test", "days": "30"})},
        ),
        Example(
            {"host": "127.0.0.1", "port": "{tls.port}"},
            {"trusted": False, "problem": "self-signed certificate", "self_signed": True, "days_left": -3},
            source="X.509: a certificate that is its own issuer; it ended three days ago, less half an hour",
            servers={"tls": Listener("tls", {"name": "old.example.test", "days": "-3"})},
        ),
        Refusal({"host": "10.0.0.1"}, "not a public address"),
    ),
    open_world=True,
    pace="normal",
    idempotent=False,
)
def net_inspect_certificate(
    host: Host,
    port: Port = 443,
    server_name: Annotated[
        str | None, About("Name to ask for, where it is not the host", "www.example.com", min_length=1, max_length=253)
    ] = None,
) -> Certificate:
    """Show the TLS certificate of a server: names, issuer, end of validity, and whether it is trusted.

    Use it to watch for expiry or to find out why browsers warn. Untrusted certificates are shown too, with the reason.
    """
    name = server_name or host
    problem = _problem(host, port, name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with connect(host, port, 5.0) as raw, context.wrap_socket(raw, server_hostname=name) as connection:
            content = connection.getpeercert(binary_form=True) or b""
            version, cipher = connection.version() or "", (connection.cipher() or ("",))[0]
    except ssl.SSLError as error:
        raise ToolError(f"{host}:{port} speaks no TLS that this server understands ({error.reason}).") from error
    except OSError as error:
        raise ToolUnavailable(f"{host}:{port} cannot be reached: {str(error)[:200]}.") from error
    except ValueError as error:
        raise ToolError(f"{name} is no name of a server: {error}.") from error
    try:
        described = _describe(x509.load_der_x509_certificate(content))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ToolError(f"The certificate of {host} cannot be read: {str(error)[:200]}.") from error
    return {"trusted": not problem, "problem": problem, "tls_version": version, "cipher": cipher, **described}


def _problem(host: str, port: int, name: str) -> str:
    try:
        with connect(host, port, 5.0) as raw, verifying_context().wrap_socket(raw, server_hostname=name):
            return ""
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    except (OSError, ValueError) as error:
        return str(error)[:200]


def _describe(certificate: x509.Certificate) -> Described:
    key = certificate.public_key()
    until = certificate.not_valid_after_utc
    return {
        "subject": certificate.subject.rfc4514_string()[:500],
        "issuer": certificate.issuer.rfc4514_string()[:500],
        "names": _names(certificate)[:200],
        "not_before": certificate.not_valid_before_utc.isoformat().replace("+00:00", "Z"),
        "not_after": until.isoformat().replace("+00:00", "Z"),
        "days_left": (until - datetime.now(UTC)).days,
        "key": f"RSA {key.key_size}"
        if isinstance(key, rsa.RSAPublicKey)
        else f"EC {key.curve.name}"
        if isinstance(key, ec.EllipticCurvePublicKey)
        else type(key).__name__.strip("_").removesuffix("PublicKey"),
        "signature": certificate.signature_hash_algorithm.name if certificate.signature_hash_algorithm else "",
        "serial": f"{certificate.serial_number:x}",
        "sha256": certificate.fingerprint(hashes.SHA256()).hex(),
        "self_signed": certificate.subject == certificate.issuer,
    }


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (x509.ExtensionNotFound, ValueError):
        return []
    return [str(name.value) for name in extension.value]
