"""Tools for security: answers of hashlib, hmac, `cryptography` and PyJWT, and of vectors in RFCs."""

import base64
import json
from datetime import UTC, datetime, timedelta

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.x509.oid import NameOID

from retinue.sdk import Example

_SECRET = "a secret of thirty-two bytes ...."
_CLAIMS = {"sub": "42", "exp": 1_000_000_000}
_TOKEN = jwt.encode(_CLAIMS, _SECRET, "HS256")
_KEY = ec.generate_private_key(ec.SECP256R1())
_RSA = rsa.generate_private_key(65537, 2048)
_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test")])
_DAY = datetime(2026, 1, 1, tzinfo=UTC)


def _pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> str:
    plain = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain).decode()


def _base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _jwe(text: str, key: bytes) -> str:
    """Encrypt with A256GCM and a shared key, as RFC 7516 says."""
    header = _base64url(json.dumps({"alg": "dir", "enc": "A256GCM"}).encode())
    nonce = bytes(range(12))
    sealed = AESGCM(key).encrypt(nonce, text.encode(), header.encode())
    return f"{header}..{_base64url(nonce)}.{_base64url(sealed[:-16])}.{_base64url(sealed[-16:])}"


def _revocations() -> str:
    builder = x509.CertificateRevocationListBuilder().issuer_name(_NAME).last_update(_DAY)
    for serial in (255, 4096):
        revoked = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(_DAY).build()
        builder = builder.add_revoked_certificate(revoked)
    signed = builder.next_update(_DAY + timedelta(365)).sign(_KEY, hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM).decode()


def _request() -> str:
    names = x509.SubjectAlternativeName([x509.DNSName("a.example"), x509.DNSName("b.example")])
    request = x509.CertificateSigningRequestBuilder().subject_name(_NAME).add_extension(names, critical=False)
    return request.sign(_KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def _authority() -> str:
    builder = x509.CertificateBuilder().subject_name(_NAME).issuer_name(_NAME).public_key(_KEY.public_key())
    builder = builder.serial_number(1).not_valid_before(_DAY).not_valid_after(_DAY + timedelta(36500))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return builder.sign(_KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


_OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)

CALLS = [
    *(
        ("pii_scan_text", Example({"text": text}, {"counts": counts}, source="ISO 7064, Luhn and RFC 6531"))
        for text, counts in (
            ("Card 4111 1111 1111 1111 12/27", {"card": 1}),
            ("AT61 1904 3002 3457 3201 BIC ABCDATWW", {"iban": 1}),
            ("write to kim@m\u00fcnchen.de", {"email": 1}),
        )
    ),
    (
        "cert_sign_request",
        Example(
            {"request": _request(), "ca_certificate": _authority(), "ca_key": _pem(_KEY)},
            {"names": ["DNS:a.example", "DNS:b.example"]},
            source="cryptography: the names of the request",
        ),
    ),
    (
        "cert_pack_pkcs12",
        Example(
            {"certificates": _authority(), "private_key": _pem(_KEY), "password": "secret-p12"},
            {"certificates": 1},
            source="one certificate",
        ),
    ),
    (
        "crl_inspect_list",
        Example(
            {"crl": _revocations(), "serial_hex": "ff"},
            {"issuer": "CN=Test", "entries": 2, "certificate_revoked": True, "next_update": "2027-01-01T00:00:00Z"},
            source="cryptography",
        ),
    ),
    (
        "crl_inspect_list",
        Example({"crl": _revocations(), "serial_hex": "10"}, {"certificate_revoked": False}, source="cryptography"),
    ),
    (
        "ioc_extract_text",
        Example(
            {"text": "hxxps://evil[.]example/x?a=1 and 198[.]51[.]100[.]7, mail a[@]bad.example, 999.1.1.1"},
            {"urls": ["https://evil.example/x?a=1"], "ipv4": ["198.51.100.7"], "emails": ["a@bad.example"]},
            source="read off the text",
        ),
    ),
    (
        "jwe_decrypt_text",
        Example(
            {"token": _jwe("grüß dich", bytes(32)), "key": base64.b64encode(bytes(32)).decode()},
            {"text": "grüß dich", "hex": "grüß dich".encode().hex(), "header": {"alg": "dir", "enc": "A256GCM"}},
            source="AES-GCM of cryptography",
        ),
    ),
    (
        "jwt_create_token",
        Example({"claims": _CLAIMS, "key": _SECRET}, {"token": _TOKEN, "claims": _CLAIMS}, source="PyJWT"),
    ),
    *(
        ("jwt_verify_token", Example({"token": _TOKEN, "key": key, "at": at}, wanted, source="PyJWT"))
        for key, at, wanted in (
            (_SECRET, 999_999_999, {"valid": True, "signature_valid": True, "problems": []}),
            (_SECRET, 1_000_000_001, {"valid": False, "signature_valid": True}),
            (_SECRET + "x", 999_999_999, {"valid": False, "signature_valid": False}),
        )
    ),
    *(
        (
            "otp_verify_code",
            Example(
                {
                    "secret": base64.b32encode(b"12345678901234567890123456789012").decode(),
                    "code": code,
                    "at": 1234567890,
                    "digits": 8,
                    "algorithm": "sha256",
                },
                wanted,
                source="RFC 6238, appendix B",
            ),
        )
        for code, wanted in (("91819424", {"valid": True, "drift": 0}), ("91819425", {"valid": False, "drift": None}))
    ),
    *(
        (
            "regex_check_backtracking",
            Example({"pattern": pattern}, {"vulnerable": vulnerable}, source="OWASP, ReDoS"),
        )
        for pattern, vulnerable in (("(x+x+)+y", True), ("^[a-z]+[0-9]$", False), ("^([a-zA-Z]+)*$", True))
    ),
    (
        "rsa_decrypt_text",
        Example(
            {
                "ciphertext_base64": base64.b64encode(_RSA.public_key().encrypt(b"\xff\x00", _OAEP)).decode(),
                "key": _pem(_RSA),
            },
            {"text": None, "hex": "ff00"},
            source="cryptography",
        ),
    ),
]
