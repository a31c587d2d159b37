"""Creation of X.509 certificates and requests."""

import secrets
from datetime import timedelta
from typing import Annotated, Any, Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security import _certificates as _of
from retinue_tools.security import _keys
from retinue_tools.security._samples import CA, CA_KEY, LEAF, LEAF_KEY, REQUEST, RSA_KEY
from retinue_tools.security.certificates import USAGES, CertificateText, RequestText
from retinue_tools.security.keys import KeyPassword, KeyText

Common = Annotated[str, About("Common name", "www.example.com", min_length=1, max_length=64)]
Organization = Annotated[str | None, About("Organisation", "Example", max_length=64)]
Country = Annotated[str | None, About("Two-letter country", "GB", pattern="^[A-Z]{2}$", max_length=2)]
Names = Annotated[
    list[Annotated[str, About("Host name, IP address or mail address", "www.example.com", max_length=253)]],
    About("Names covered by the certificate", ["www.example.com", "192.0.2.7"], max_items=100),
]
Days = Annotated[int, About("Validity in days, from now on", minimum=1, maximum=36_500)]
KeyKind = Annotated[Literal["p256", "p384", "rsa_2048", "rsa_4096", "ed25519"], About("Kind of a new key")]


class WithKey(TypedDict):
    """A certificate with its key."""

    certificate: Annotated[str, About("Certificate in PEM")]
    private_key: Annotated[str, About("Private key in PEM: keep it secret")]
    not_after: Annotated[str, About("End of validity, in UTC")]


@tool(
    tags="self-signed certificate create tls ssl ca root openssl x509 generate localhost",
    use_when=(
        "Make a self-signed certificate for localhost",
        "Create a root CA for my lab",
        "Generate a test TLS certificate with key for 192.0.2.7",
    ),
    examples=(
        Example(
            {"common_name": "localhost", "names": ["localhost", "127.0.0.1"]}, {}, source="key and serial are random"
        ),
        Example(
            {"common_name": "Lab Root", "names": [], "authority": True, "private_key": CA_KEY, "days": 3650},
            {},
            source="the serial is random; the key given is that of the other examples",
        ),
        Refusal({"common_name": "a", "names": ["not a host!"]}, "neither a host name"),
    ),
    reply=(
        "The self-signed certificate for {args.common_name} is valid until {not_after}; the "
        "private key is in the result of the call, keep it secret: {certificate}"
    ),
    tier="pro",
    pace="normal",
    idempotent=False,
)
def cert_create_self_signed(
    common_name: Common,
    names: Names,
    organization: Organization = None,
    country: Country = None,
    days: Days = 365,
    authority: Annotated[
        bool, About("Whether to create a root that may issue certificates, for cert_sign_request")
    ] = False,
    key_kind: KeyKind = "p256",
    private_key: KeyText | None = None,
) -> WithKey:
    """Create a self-signed certificate, for tests or as the root of a private authority, with a new key or your own.

    Use it for localhost and labs: browsers trust it only once it is installed as a root.
    """
    key = _keys.private_key(private_key) if private_key else _new_key(key_kind)
    name = _of.name_of(common_name, organization, country)
    builder = _builder(name, name, key.public_key(), days, authority=authority)
    if names:
        builder = builder.add_extension(_of.general_names(names), critical=False)
    certificate = _sign(builder, key)
    return {
        "certificate": certificate.public_bytes(_of.PEM).decode(),
        "private_key": _keys.render(key, "pem"),
        "not_after": _of.format_time(certificate.not_valid_after_utc),
    }


def _new_key(kind: str) -> Any:
    if kind.startswith("rsa"):
        return rsa.generate_private_key(65537, int(kind[4:]))
    if kind == "ed25519":
        return ed25519.Ed25519PrivateKey.generate()
    return ec.generate_private_key(ec.SECP256R1() if kind == "p256" else ec.SECP384R1())


def _builder(subject: Any, issuer: Any, key: Any, days: int, *, authority: bool) -> Any:
    # An hour earlier, because clocks differ.
    start = _of.moment_of(None).replace(microsecond=0) - timedelta(hours=1)
    builder = x509.CertificateBuilder(subject_name=subject, issuer_name=issuer, public_key=key)
    builder = builder.serial_number(secrets.randbits(158) + 1)
    builder = builder.not_valid_before(start).not_valid_after(start + timedelta(days=days, hours=1))
    extensions = [
        (x509.BasicConstraints(ca=authority, path_length=None), True),
        (_usage(authority=authority), True),
        (x509.SubjectKeyIdentifier.from_public_key(key), False),
    ]
    if not authority:
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        extensions.append((x509.ExtendedKeyUsage(usages), False))
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder


def _usage(*, authority: bool) -> Any:
    chosen = {"key_cert_sign", "crl_sign"} if authority else {"digital_signature", "key_encipherment"}
    names = [*USAGES, "encipher_only", "decipher_only"]
    return x509.KeyUsage(**{name: name in chosen for name in names})


def _sign(builder: Any, key: Any) -> Any:
    kind = _keys.kind_of(key)[0]
    if kind not in ("RSA", "EC", "Ed25519", "Ed448"):
        raise ToolError(f"A key of the type {kind} cannot sign certificates. Use RSA, EC or Ed25519.")
    try:
        return builder.sign(key, None if kind.startswith("Ed") else hashes.SHA256())
    except (ValueError, TypeError) as error:
        raise ToolError(f"The key cannot sign this: {error}.") from error


class RequestWithKey(TypedDict):
    """A certificate request and its key."""

    request: Annotated[str, About("Request in PEM, for the authority")]
    private_key: Annotated[str, About("Private key in PEM: keep it secret")]


@tool(
    tags="csr certificate request create pkcs10 tls ssl openssl generate",
    use_when=(
        "Make a CSR for www.example.com",
        "Create a certificate request with two host names and an RSA key",
        "I need a CSR and key for my web server",
    ),
    examples=(
        Example(
            {"common_name": "www.example.com", "names": ["www.example.com"]},
            {},
            source="the key is random; cert_inspect_request reads OpenSSL's",
        ),
        Example(
            {"common_name": "www.example.com", "names": ["192.0.2.7"], "private_key": RSA_KEY, "country": "GB"},
            {"private_key": RSA_KEY},
            source="the key given",
        ),
        Refusal({"common_name": "a", "names": ["a"], "private_key": LEAF}, "not a key in PEM"),
    ),
    reply={
        "not args.private_key": (
            "The certificate request is below; its private key is in the result of the call, keep it secret: {request}"
        ),
        "": "The certificate request for {args.common_name}: {request}",
    },
    tier="pro",
    pace="normal",
    idempotent=False,
)
def cert_create_request(
    common_name: Common,
    names: Names,
    organization: Organization = None,
    country: Country = None,
    key_kind: KeyKind = "p256",
    private_key: KeyText | None = None,
) -> RequestWithKey:
    """Create a certificate request (PKCS#10) with a new key or your own.

    Use it to order a certificate. Send the request to the authority and keep the key.
    """
    key = _keys.private_key(private_key) if private_key else _new_key(key_kind)
    builder = x509.CertificateSigningRequestBuilder(_of.name_of(common_name, organization, country))
    if names:
        builder = builder.add_extension(_of.general_names(names), critical=False)
    signed = _sign(builder, key)
    return {"request": signed.public_bytes(_of.PEM).decode(), "private_key": _keys.render(key, "pem")}


class RequestReport(TypedDict):
    """Content of a certificate request."""

    subject: Annotated[str, About("Subject (RFC 4514)")]
    names: Annotated[list[str], About("Requested host names and addresses")]
    key_type: Annotated[str, About("Key type")]
    key_bits: Annotated[int, About("Key size in bits")]
    signature_valid: Annotated[bool, About("Whether it was signed with its own key")]
    public_key: Annotated[str, About("Public key in PEM")]


@tool(
    tags="csr certificate request inspect read pkcs10 subject san",
    use_when=(
        "What does this CSR ask for?",
        "Which host names are in the certificate request?",
        "Is the signature of my CSR valid?",
    ),
    examples=(
        Example(
            {"request": REQUEST},
            {
                "subject": "C=GB,O=Example,CN=www.example.com",
                "names": ["DNS:www.example.com", "DNS:*.api.example.com", "IP:192.0.2.7"],
                "key_type": "EC",
                "signature_valid": True,
            },
            source="openssl req, which made it",
        ),
        Refusal({"request": LEAF}, "not a certificate request"),
    ),
    reply={
        "names, signature_valid": (
            "{subject} requests a certificate for {names} with a key "
            "of type {key_type} and {key_bits} bits; the signature is "
            "valid."
        ),
        "signature_valid": (
            "{subject} requests a certificate with a key of type {key_type} "
            "and {key_bits} bits; the signature is valid."
        ),
        "": "The signature of this request by {subject} is not valid.",
    },
)
def cert_inspect_request(request: RequestText) -> RequestReport:
    """Read a certificate request (PKCS#10): subject, names, key, and whether its signature is valid.

    Use it before a request is sent or signed.
    """
    loaded = _of.request_of(request)
    kind, _, bits = _keys.kind_of(loaded.public_key())
    return {
        "subject": loaded.subject.rfc4514_string(),
        "names": _of.alternative_names(loaded.extensions),
        "key_type": kind,
        "key_bits": bits,
        "signature_valid": bool(loaded.is_signature_valid),
        "public_key": _keys.render(loaded.public_key(), "pem"),
    }


class Issued(TypedDict):
    """An issued certificate."""

    certificate: Annotated[str, About("Certificate in PEM")]
    not_after: Annotated[str, About("End of validity, in UTC")]
    names: Annotated[list[str], About("Host names and addresses that it covers")]


@tool(
    tags="sign csr issue certificate ca authority private pki",
    use_when=(
        "Sign this CSR with my CA",
        "Issue a 90-day certificate from the request",
        "Make a server certificate with my lab's root",
    ),
    examples=(
        Example(
            {"request": REQUEST, "ca_certificate": CA, "ca_key": CA_KEY},
            {"names": ["DNS:www.example.com", "DNS:*.api.example.com", "IP:192.0.2.7"]},
            source="the names in the request",
        ),
        Example(
            {"request": REQUEST, "ca_certificate": CA, "ca_key": CA_KEY, "names": ["a.example.com"], "days": 90},
            {"names": ["DNS:a.example.com"]},
            source="the names given",
        ),
        Refusal({"request": REQUEST, "ca_certificate": CA, "ca_key": LEAF_KEY}, "does not belong"),
        Refusal({"request": REQUEST, "ca_certificate": LEAF, "ca_key": LEAF_KEY}, "not a certificate authority"),
    ),
    reply={
        "names": "I issued the certificate for {names}, valid until {not_after}: {certificate}",
        "": "I issued the certificate, valid until {not_after}: {certificate}",
    },
    tier="pro",
    idempotent=False,
)
def cert_sign_request(
    request: RequestText,
    ca_certificate: CertificateText,
    ca_key: KeyText,
    ca_key_password: KeyPassword = None,
    days: Days = 365,
    names: Names | None = None,
) -> Issued:
    """Issue a server and client certificate from a request, with the certificate and key of your own authority.

    Use it for private networks. The names are those of the request, unless others are given.
    """
    loaded, issuer = _of.request_of(request), _of.certificates_of(ca_certificate)[0]
    key = _keys.private_key(ca_key, ca_key_password)
    if not loaded.is_signature_valid:
        raise ToolError("The signature of the request is invalid. Request a new one.")
    if _keys.public_der(key) != _keys.public_der(issuer.public_key()):
        raise ToolError("ca_key does not belong to ca_certificate. Give the key of the authority.")
    basic = _of.extension_of(issuer.extensions, x509.BasicConstraints)
    if basic is None or not basic.ca:
        raise ToolError("ca_certificate is not a certificate authority, so it must not issue certificates.")
    builder = _builder(loaded.subject, issuer.subject, loaded.public_key(), days, authority=False)
    requested = _of.extension_of(loaded.extensions, x509.SubjectAlternativeName)
    covered = _of.general_names(names) if names else requested
    if covered is not None:
        builder = builder.add_extension(covered, critical=False)
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key())
    certificate = _sign(builder.add_extension(identifier, critical=False), key)
    return {
        "certificate": certificate.public_bytes(_of.PEM).decode(),
        "not_after": _of.format_time(certificate.not_valid_after_utc),
        "names": _of.alternative_names(certificate.extensions),
    }
