"""Inspection and validation of X.509 certificates (RFC 5280)."""

import hashlib
from ipaddress import ip_address
from typing import Annotated, Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, Refusal, tool
from retinue_tools.security import _certificates as _of
from retinue_tools.security import _keys
from retinue_tools.security._bytes import base64_of
from retinue_tools.security._samples import CA, LEAF, REQUEST

CertificateText = Annotated[
    str, About("Certificate in PEM, or in Base64 of its DER", LEAF, min_length=100, max_length=200_000)
]
Host = Annotated[str, About("Host name or IP address", "www.example.com", min_length=1, max_length=253)]
RequestText = Annotated[
    str, About("Certificate request in PEM, or in Base64 of its DER", REQUEST, min_length=100, max_length=50_000)
]


class CertificateReport(TypedDict):
    """Content of a certificate."""

    subject: Annotated[str, About("Subject (RFC 4514)")]
    issuer: Annotated[str, About("Who issued it")]
    serial_hex: Annotated[str, About("Serial number in hexadecimal")]
    not_before: Annotated[str, About("Beginning of validity, in UTC")]
    not_after: Annotated[str, About("End of validity, in UTC")]
    days_left: Annotated[int, About("Whole days until the end of validity; negative after it")]
    names: Annotated[list[str], About("Host names and addresses that it covers")]
    key_type: Annotated[str, About("Key type")]
    key_bits: Annotated[int, About("Key size in bits")]
    signature_algorithm: Annotated[str, About("Signature algorithm")]
    is_ca: Annotated[bool, About("Whether it may issue certificates")]
    self_issued: Annotated[bool, About("Whether it is self-signed: subject and issuer are equal")]
    key_usage: Annotated[list[str], About("Key usages")]
    extended_usage: Annotated[list[str], About("Extended key usages")]
    sha256_fingerprint: Annotated[str, About("SHA-256 of the certificate in hexadecimal")]
    sha1_fingerprint: Annotated[str, About("SHA-1 of the certificate in hexadecimal")]
    spki_pin: Annotated[str, About("SHA-256 of its public key in Base64, for pinning")]
    warnings: Annotated[list[str], About("Problems of the certificate")]


@tool(
    tags="x509 certificate inspect pem tls ssl subject san expiry fingerprint issuer",
    use_when=(
        "What does this PEM certificate say?",
        "When does the certificate expire and for which hosts is it?",
        "What is the SHA-256 fingerprint of this certificate?",
    ),
    examples=(
        Example(
            {"certificate": LEAF},
            {
                "subject": "C=GB,O=Example,CN=www.example.com",
                "issuer": "O=Example,CN=Example Root CA",
                "serial_hex": "1235",
                "not_before": "2024-01-01T00:00:00Z",
                "not_after": "2099-12-31T00:00:00Z",
                "names": ["DNS:www.example.com", "DNS:*.api.example.com", "IP:192.0.2.7"],
                "is_ca": False,
                "key_usage": ["digital_signature"],
                "extended_usage": ["serverAuth"],
                "sha256_fingerprint": "a1b48a445a1f4c9c186c0d0426bb29ab3b39e04eec69e05c0e9884a4ee47de8c",
            },
            source="openssl x509 -text -fingerprint",
        ),
        Example(
            {"certificate": CA},
            {"subject": "O=Example,CN=Example Root CA", "is_ca": True, "self_issued": True, "key_type": "EC"},
            source="openssl x509 -text",
        ),
        Refusal(
            {"certificate": "-----BEGIN CERTIFICATE-----\n" + "A" * 100 + "\n-----END CERTIFICATE-----"},
            "is not a certificate",
        ),
    ),
    reply={
        "names": (
            "The certificate is for {names}, was issued by {issuer}, and is valid "
            "until {not_after}, {days_left|day} from now."
        ),
        "": (
            "The certificate of {subject} was issued by {issuer} and is valid until "
            "{not_after}, {days_left|day} from now."
        ),
    },
)
def cert_inspect_pem(certificate: CertificateText) -> CertificateReport:
    """Read a certificate: subject, issuer, names, validity, key, usages and fingerprints, with warnings.

    Use it for a PEM or DER text that you have; net_inspect_certificate fetches the certificate of a server.
    """
    loaded = _of.certificates_of(certificate)[0]
    key = loaded.public_key()
    kind, _, bits = _keys.kind_of(key)
    der = loaded.public_bytes(serialization.Encoding.DER)
    basic = _of.extension_of(loaded.extensions, x509.BasicConstraints)
    extended = _of.extension_of(loaded.extensions, x509.ExtendedKeyUsage) or ()
    return {
        "subject": loaded.subject.rfc4514_string(),
        "issuer": loaded.issuer.rfc4514_string(),
        "serial_hex": f"{loaded.serial_number:x}",
        "not_before": _of.format_time(loaded.not_valid_before_utc),
        "not_after": _of.format_time(loaded.not_valid_after_utc),
        "days_left": (loaded.not_valid_after_utc - _of.moment_of(None)).days,
        "names": _of.alternative_names(loaded.extensions),
        "key_type": kind,
        "key_bits": bits,
        "signature_algorithm": _algorithm(loaded),
        "is_ca": bool(basic and basic.ca),
        "self_issued": loaded.subject == loaded.issuer,
        "key_usage": _usages(_of.extension_of(loaded.extensions, x509.KeyUsage)),
        "extended_usage": [usage._name for usage in extended],
        "sha256_fingerprint": hashlib.sha256(der).hexdigest(),
        "sha1_fingerprint": hashlib.sha1(der, usedforsecurity=False).hexdigest(),
        "spki_pin": base64_of(hashlib.sha256(_keys.public_der(key)).digest()),
        "warnings": _warnings(loaded, kind, bits),
    }


def _algorithm(loaded: Any) -> str:
    return str(loaded.signature_algorithm_oid._name)


USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
)


def _usages(usage: Any) -> list[str]:
    return [name for name in USAGES if usage is not None and getattr(usage, name)]


def _warnings(loaded: Any, kind: str, bits: int) -> list[str]:
    now, days = _of.moment_of(None), (loaded.not_valid_after_utc - loaded.not_valid_before_utc).days
    algorithm = _algorithm(loaded).lower()
    checks = {
        "It has expired.": loaded.not_valid_after_utc < now,
        "It does not hold yet.": loaded.not_valid_before_utc > now,
        "It names no host: browsers look at subjectAltName only.": not _of.alternative_names(loaded.extensions),
        "RSA keys below 2048 bits can be broken.": kind == "RSA" and bits < 2048,
        "It was signed with a broken hash function.": "sha1" in algorithm or "md5" in algorithm,
        "It holds longer than the 398 days that browsers take from public issuers.": days > 398,
    }
    return [text for text, found in checks.items() if found]


class HostCheck(TypedDict):
    """Result of checking a host."""

    covered: Annotated[bool, About("Whether a name in the certificate matches the host")]
    by: Annotated[str | None, About("Matching name")]
    valid_now: Annotated[bool, About("Whether it is valid at the requested time")]
    names: Annotated[list[str], About("All names in the certificate")]


@tool(
    tags="certificate host name wildcard san match covers tls ssl hostname verification",
    use_when=(
        "Does this certificate cover v1.api.example.com?",
        "Why does the browser say the certificate is for another site?",
        "Does *.example.com match a.b.example.com?",
    ),
    examples=(
        Example(
            {"certificate": LEAF, "host": "v1.API.example.com", "at": "2026-01-01"},
            {"covered": True, "by": "DNS:*.api.example.com", "valid_now": True},
            source="RFC 9525, section 6.3: a wildcard stands for one label, case does not matter",
        ),
        Example(
            {"certificate": LEAF, "host": "a.v1.api.example.com", "at": "2100-01-01"},
            {"covered": False, "by": None, "valid_now": False},
            source="RFC 9525, section 6.3",
        ),
        Example({"certificate": LEAF, "host": "192.0.2.7"}, {"covered": True, "by": "IP:192.0.2.7"}, source="RFC 9525"),
        Refusal({"certificate": LEAF, "host": "a", "at": "tomorrow"}, "is not a time"),
    ),
    reply={
        "covered, valid_now": "Yes, the certificate covers {args.host} by {by} and is valid at that time.",
        "covered": "The certificate covers {args.host} by {by}, but it is not valid at that time.",
        "names": "No, the certificate does not cover {args.host}, only {names}.",
        "": "No, the certificate does not cover {args.host}.",
    },
)
def cert_check_host(certificate: CertificateText, host: Host, at: DateTime | None = None) -> HostCheck:
    """Check whether a certificate covers a host name or IP address (RFC 9525), including wildcards.

    Use it to explain name mismatches. Also returns whether the certificate is valid now, or at another time in UTC.
    """
    loaded = _of.certificates_of(certificate)[0]
    names = _of.alternative_names(loaded.extensions)
    fitting = next((name for name in names if _fits(name, host.strip().rstrip(".").lower())), None)
    moment = _of.moment_of(at)
    return {
        "covered": fitting is not None,
        "by": fitting,
        "valid_now": loaded.not_valid_before_utc <= moment <= loaded.not_valid_after_utc,
        "names": names,
    }


def _fits(name: str, host: str) -> bool:
    kind, _, value = name.partition(":")
    if kind == "IP":
        try:
            return ip_address(host) == ip_address(value)
        except ValueError:
            return False
    first, _, rest = host.partition(".")
    value = value.lower()
    return kind == "DNS" and (value == host or (value.startswith("*.") and bool(first) and value[2:] == rest))


class Link(TypedDict):
    """A certificate of the chain."""

    subject: Annotated[str, About("Subject")]
    issuer: Annotated[str, About("Who issued it")]
    not_after: Annotated[str, About("End of validity")]
    problem: Annotated[str, About("Problem; empty if there is none")]


class Chain(TypedDict):
    """Result of verifying a chain."""

    valid: Annotated[bool, About("Whether the chain leads to one of the given roots")]
    chain: Annotated[list[Link], About("Chain from the certificate to the root, as far as it was found")]
    problems: Annotated[list[str], About("Reasons why it is not valid")]


@tool(
    tags="certificate chain verify trust root intermediate ca issuer signature tls",
    use_when=(
        "Is this certificate signed by that CA?",
        "Verify a certificate chain against my own root",
        "Which intermediate is missing in this chain?",
    ),
    examples=(
        Example(
            {"certificate": LEAF, "roots": CA, "at": "2026-01-01"},
            {"valid": True, "problems": []},
            source="openssl verify -CAfile",
        ),
        Example(
            {"certificate": LEAF, "roots": CA, "at": "2023-01-01"},
            {"valid": False},
            source="by hand: it holds from 2024 on",
        ),
        Example(
            {"certificate": CA, "roots": LEAF},
            {"valid": False, "problems": ["No certificate of O=Example,CN=Example Root CA is among those given."]},
            source="by hand: another root",
        ),
        Refusal({"certificate": LEAF, "roots": "x" * 100}, "is not a certificate"),
    ),
    reply={
        "valid": "The certificate leads to a trusted root by this chain: {chain}",
        "problems": "The certificate is not trusted: {problems}",
        "": "The certificate does not lead to one of the given roots.",
    },
    tier="pro",
)
def cert_verify_chain(
    certificate: CertificateText,
    roots: Annotated[str, About("Trusted root certificates in PEM, one after the other", CA, max_length=500_000)],
    intermediates: Annotated[
        str | None, About("Intermediate certificates in PEM, in any order", CA, max_length=200_000)
    ] = None,
    at: DateTime | None = None,
) -> Chain:
    """Verify that a certificate leads to a trusted root: signatures, validity, and the right to issue (RFC 5280).

    Use it for private authorities. It reports missing or invalid certificates. Revocation is not checked.
    """
    moment = _of.moment_of(at)
    loaded = _of.certificates_of(certificate)
    trusted = _of.certificates_of(roots)
    between = [*loaded[1:], *(_of.certificates_of(intermediates) if intermediates else [])]
    path, problems = [loaded[0]], []
    while path[-1] not in trusted:
        issuer = _issuer(path[-1], [*trusted, *between])
        if issuer is None or issuer in path or len(path) > 10:
            problems.append(f"No certificate of {path[-1].issuer.rfc4514_string()} is among those given.")
            break
        path.append(issuer)
    links = [_link(one, moment, place) for place, one in enumerate(path)]
    problems = [*(link["problem"] for link in links if link["problem"]), *problems]
    return {"valid": not problems, "chain": links, "problems": problems}


def _issuer(certificate: Any, candidates: list[Any]) -> Any:
    for candidate in candidates:
        try:
            certificate.verify_directly_issued_by(candidate)
        except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
            continue
        return candidate
    return None


def _link(certificate: Any, moment: Any, place: int) -> Link:
    basic = _of.extension_of(certificate.extensions, x509.BasicConstraints)
    usage = _of.extension_of(certificate.extensions, x509.KeyUsage)
    subject = certificate.subject.rfc4514_string()
    checks = {
        f"{subject} does not hold yet.": moment < certificate.not_valid_before_utc,
        f"{subject} has expired.": moment > certificate.not_valid_after_utc,
        f"{subject} may not issue certificates.": place > 0
        and (basic is None or not basic.ca or (usage is not None and not usage.key_cert_sign)),
        f"{subject} allows fewer certificates below it.": place > 0
        and basic is not None
        and basic.path_length is not None
        and place - 1 > basic.path_length,
    }
    return {
        "subject": subject,
        "issuer": certificate.issuer.rfc4514_string(),
        "not_after": _of.format_time(certificate.not_valid_after_utc),
        "problem": " ".join(text for text, found in checks.items() if found),
    }
