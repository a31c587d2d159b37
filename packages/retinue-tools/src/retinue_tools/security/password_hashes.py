"""Password hashes as stored by applications."""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from typing import Annotated, Literal

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security.passwords import Password

_MOST_MEMORY_KIB, _MOST_WORK_KIB = 1 << 18, 1 << 21
_DJANGO = re.compile(r"pbkdf2_(sha1|sha256|sha512)\$(\d{1,7})\$([^$]{1,100})\$([A-Za-z0-9+/=]{20,120})")
_SCRYPT = re.compile(r"scrypt:(\d{1,7}):(\d{1,2}):(\d{1,2})\$([^$]{1,100})\$([0-9a-f]{128})")
_LDAP = re.compile(r"\{(S?SHA)\}([A-Za-z0-9+/=]{28,100})")


class Hashed(TypedDict):
    """A hashed password."""

    hash: Annotated[str, About("Text to store: scheme, costs, salt and hash")]


@tool(
    tags="password hash argon2 argon2id pbkdf2 scrypt store django bcrypt salt",
    use_when=(
        "Hash this password with Argon2 for my database",
        "Make a Django password hash",
        "Store a user's password safely",
    ),
    examples=(
        Example(
            {"password": "secret", "scheme": "argon2id"}, {}, source="the salt is random; verified by the next call"
        ),
        Example({"password": "secret", "scheme": "pbkdf2_sha256"}, {}, source="the same"),
        Refusal({"password": ""}, "password"),
    ),
    reply="The hash: {hash}",
    tier="pro",
    idempotent=False,
)
def password_hash_text(
    password: Password,
    scheme: Annotated[
        Literal["argon2id", "scrypt", "pbkdf2_sha256"],
        About("argon2id is best (RFC 9106); scrypt is in Werkzeug's format, pbkdf2_sha256 in Django's"),
    ] = "argon2id",
) -> Hashed:
    """Hash a password with a random salt, in the format that applications store.

    Use it to fill a table of users. password_verify_hash checks a password against it.
    """
    content, salt = password.encode(errors="replace"), secrets.token_urlsafe(12)
    match scheme:
        case "argon2id":
            encoded: str = PasswordHasher().hash(content)
        case "scrypt":
            digest = hashlib.scrypt(content, salt=salt.encode(), n=32768, r=8, p=1, maxmem=1 << 26)
            encoded = f"scrypt:32768:8:1${salt}${digest.hex()}"
        case _:
            digest = hashlib.pbkdf2_hmac("sha256", content, salt.encode(), 600_000)
            encoded = f"pbkdf2_sha256$600000${salt}${base64.b64encode(digest).decode()}"
    return {"hash": encoded}


class Verified(TypedDict):
    """Result of verifying a password."""

    valid: Annotated[bool, About("Whether the password matches")]
    scheme: Annotated[str, About("Scheme of the hash")]
    outdated: Annotated[bool, About("Whether the scheme or its costs are below current recommendations")]


@tool(
    tags="password verify hash argon2 pbkdf2 scrypt django werkzeug ssha ldap check login",
    use_when=(
        "Does the password secret belong to this $argon2id$ hash?",
        "Verify a Django pbkdf2_sha256 hash",
        "Check a password against an {SSHA} entry of LDAP",
    ),
    examples=(
        Example(
            {
                "password": "password",
                "stored_hash": "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
            },
            {"valid": True, "scheme": "argon2id", "outdated": False},
            source="the tests of the reference implementation of Argon2",
        ),
        Example(
            {"password": "abc", "stored_hash": "{SHA}qZk+NkcGgWq6PiVxeFDCbJzQ2J0="},
            {"valid": True, "scheme": "SHA", "outdated": True},
            source="FIPS 180-2, appendix A.1, in Base64",
        ),
        Example(
            {
                "password": "passwd",
                "stored_hash": "pbkdf2_sha256$1$salt$VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLw=",
            },
            {"valid": True, "scheme": "pbkdf2_sha256", "outdated": True},
            source="RFC 7914, section 11: the first 32 bytes",
        ),
        Refusal({"password": "a", "stored_hash": "$2b$12$abc"}, "argon2"),
    ),
    reply={
        "valid, outdated": "Yes, the password belongs to this hash, but the scheme {scheme} is outdated.",
        "valid": "Yes, the password belongs to this hash.",
        "": "No, the password does not belong to this hash.",
    },
    tier="pro",
    pace="normal",
)
def password_verify_hash(
    password: Password,
    stored_hash: Annotated[
        str, About("Stored hash", "$argon2id$v=19$m=65536,t=3,p=4$…", min_length=10, max_length=1000)
    ],
) -> Verified:
    """Verify a password against a stored hash: Argon2, PBKDF2 of Django, scrypt of Werkzeug, {SHA} and {SSHA} of LDAP.

    Use it to test a login. Also returns whether the hash should be replaced by one with higher costs.
    """
    content, stored = password.encode(errors="replace"), stored_hash.strip()
    if stored.startswith("$argon2"):
        return _argon2(content, stored)
    for pattern, verify in _FORMS.items():
        if found := pattern.fullmatch(stored):
            return verify(content, found)
    raise ToolError("This is not a hash of argon2, pbkdf2_sha1/256/512$, scrypt:, {SHA} or {SSHA}.")


def _argon2(content: bytes, stored: str) -> Verified:
    cost = re.search(r"\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$", stored)
    if cost and (int(cost[1]) > _MOST_MEMORY_KIB or int(cost[1]) * int(cost[2]) > _MOST_WORK_KIB or int(cost[3]) > 64):
        raise ToolError("The costs of this hash are too high to verify here.")
    try:
        valid = bool(PasswordHasher().verify(stored, content))
    except (InvalidHashError, UnicodeEncodeError) as error:
        raise ToolError("The argon2 hash is malformed: copy it completely.") from error
    except Argon2Error:
        valid = False
    # RFC 9106 and OWASP recommend at least 19 MiB with two passes.
    weak = cost is None or int(cost[1]) * int(cost[2]) < 2 * 19_456
    scheme = stored.split("$")[1]
    return {"valid": valid, "scheme": scheme, "outdated": weak or scheme != "argon2id"}


def _django(content: bytes, found: re.Match[str]) -> Verified:
    name, rounds, salt, expected = found.groups()
    if not 0 < int(rounds) <= 3_000_000:
        raise ToolError("The rounds of this hash must be between 1 and 3,000,000.")
    digest = base64.b64encode(hashlib.pbkdf2_hmac(name, content, salt.encode(), int(rounds))).decode()
    outdated = name == "sha1" or int(rounds) < {"sha256": 600_000, "sha512": 210_000}[name]
    return {"valid": hmac.compare_digest(digest, expected), "scheme": f"pbkdf2_{name}", "outdated": outdated}


def _werkzeug(content: bytes, found: re.Match[str]) -> Verified:
    n, r, p = (int(found[place]) for place in (1, 2, 3))
    if n < 2 or n & n - 1 or not r or not p or n * r * p > 1 << 22:
        raise ToolError("The costs of this scrypt hash are malformed or too high.")
    digest = hashlib.scrypt(content, salt=found[4].encode(), n=n, r=r, p=p, maxmem=128 * r * (n + p) + (1 << 20))
    return {"valid": hmac.compare_digest(digest.hex(), found[5]), "scheme": "scrypt", "outdated": n * r < 1 << 18}


def _ldap(content: bytes, found: re.Match[str]) -> Verified:
    try:
        stored = base64.b64decode(found[2], validate=True)
    except ValueError as error:
        raise ToolError("The hash value is not Base64.") from error
    digest = hashlib.sha1(content + stored[20:], usedforsecurity=False).digest()
    return {"valid": hmac.compare_digest(digest, stored[:20]), "scheme": found[1], "outdated": True}


_FORMS: dict[re.Pattern[str], Callable[[bytes, re.Match[str]], Verified]] = {
    _DJANGO: _django,
    _SCRYPT: _werkzeug,
    _LDAP: _ldap,
}
