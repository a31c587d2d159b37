"""JSON Web Tokens: signed (RFC 7515, RFC 7519)."""

import base64
import json
import time
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OctKey, import_key
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security import _keys
from retinue_tools.security._bytes import Encoding, bytes_of

_RFC7515 = (
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmN"
    "vbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)
_RFC7515_KEY = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
_RFC8037_KEY = (
    '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",'
    '"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'
)
_ALGORITHMS = ["HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
_ALGORITHMS += ["ES256", "ES384", "ES512", "EdDSA", "Ed25519"]

Algorithm = Literal[
    "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"
]
Token = Annotated[str, About("Token: three parts separated by dots", _RFC7515, min_length=5, max_length=100_000)]
TokenKey = Annotated[
    str,
    About(
        "Shared secret for HS…, otherwise a key in PEM or JWK; for verification also a JWK set",
        "a shared secret of at least 32 bytes",
        min_length=1,
        max_length=50_000,
    ),
]
Claims = Annotated[dict[str, Any], About("Claims, such as sub, name and roles", {"sub": "1234567890", "admin": True})]


class Decoded(TypedDict):
    """Content of a token, unverified."""

    header: Annotated[dict[str, Any], About("Header")]
    claims: Annotated[dict[str, Any] | None, About("Claims; null if the payload is not a JSON object")]
    times: Annotated[dict[str, str], About("iat, nbf, exp and auth_time in ISO 8601, UTC")]
    expired: Annotated[bool | None, About("Whether exp has passed; null without exp")]
    expires_in_s: Annotated[int | None, About("Seconds until exp; negative if it has passed")]
    warnings: Annotated[list[str], About("Unsafe properties")]


@tool(
    tags="jwt decode token json web token header claims payload expiry bearer",
    use_when=(
        "What is in this JWT?",
        "When does my bearer token expire?",
        "Decode the eyJ… token",
    ),
    examples=(
        Example(
            {"token": _RFC7515},
            {
                "header": {"typ": "JWT", "alg": "HS256"},
                "claims": {"iss": "joe", "exp": 1300819380, "http://example.com/is_root": True},
                "times": {"exp": "2011-03-22T18:43:00Z"},
                "expired": True,
            },
            source="RFC 7515, appendix A.1; RFC 7519, section 3.1",
        ),
        Example(
            {"token": "Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UifQ."},
            {
                "claims": {"iss": "joe"},
                "expired": None,
                "warnings": ["It is not signed (alg none): anybody can make it.", "It has no exp: it never expires."],
            },
            source="RFC 7519, section 6.1 (shortened)",
        ),
        Refusal({"token": "abc.def"}, "three parts"),
    ),
    reply={
        "expired, times.exp": "The token expired on {times.exp}. Its claims: {claims}",
        "times.exp": "The token expires on {times.exp}. Its claims: {claims}",
        "claims": "The token never expires. Its claims: {claims}",
        "": "The payload of the token is not a JSON object.",
    },
    idempotent=False,
)
def jwt_decode_token(token: Token) -> Decoded:
    """Decode a JSON Web Token without checking its signature: header, claims, times, and what is unsafe in it.

    Use it to inspect a token. Do not trust its content before jwt_verify_token has verified it.
    """
    parts = _bare(token).split(".")
    if len(parts) == 5:
        raise ToolError("This token is encrypted (JWE). Use jwe_decrypt_text with its key.")
    if len(parts) != 3:
        raise ToolError("A token has three parts separated by dots. Give the complete token.")
    header, claims = _object(parts[0], "header"), _json(parts[1])
    payload = claims if isinstance(claims, dict) else None
    expiry = _seconds((payload or {}).get("exp"))
    left = None if expiry is None else int(expiry - time.time())
    return {
        "header": header,
        "claims": payload,
        "times": _times(payload or {}),
        "expired": None if left is None else left <= 0,
        "expires_in_s": left,
        "warnings": _warnings(header, payload or {}),
    }


def _bare(token: str) -> str:
    return "".join(token.split()).removeprefix("Bearer")


def _object(part: str, what: str) -> dict[str, Any]:
    value = _json(part)
    if not isinstance(value, dict):
        raise ToolError(f"The {what} of the token is not a JSON object. Give the complete token.")
    return value


def _json(part: str) -> Any:
    try:
        content = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        return json.loads(content, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def _seconds(value: Any) -> float | None:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if numeric and abs(value) < 2**38 else None


def _times(claims: dict[str, Any]) -> dict[str, str]:
    seconds = {name: _seconds(claims.get(name)) for name in ("iat", "nbf", "exp", "auth_time")}
    return {
        name: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(value))
        for name, value in seconds.items()
        if value is not None
    }


def _warnings(header: dict[str, Any], claims: dict[str, Any]) -> list[str]:
    algorithm = str(header.get("alg", "none")).lower()
    checks = {
        "It is not signed (alg none): anybody can make it.": algorithm == "none",
        "It has no exp: it never expires.": "exp" not in claims,
        "Its header brings a key or an address of one (jwk, jku, x5u): never trust that key.": bool(
            header.keys() & {"jwk", "jku", "x5u"}
        ),
    }
    return [text for text, found in checks.items() if found]


class Created(TypedDict):
    """A signed token."""

    token: Annotated[str, About("Token")]
    claims: Annotated[dict[str, Any], About("All claims")]


@tool(
    tags="jwt create sign token json web token hs256 rs256 es256 eddsa bearer",
    use_when=(
        "Create a JWT with sub 123 signed by HS256",
        "Sign these claims with my RSA key, valid for an hour",
        "Make a test token for the API",
    ),
    examples=(
        Example(
            {
                "claims": {"sub": "1234567890", "name": "John Doe", "iat": 1516239022},
                "key": "your-256-bit-secret",
                "algorithm": "HS256",
            },
            {
                "token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
                "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0Ijo"
                "xNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
            },
            source="the well-known example token of jwt.io",
        ),
        Example(
            {"claims": {"sub": "a"}, "key": _RFC8037_KEY, "algorithm": "EdDSA", "key_id": "k1"},
            {"claims": {"sub": "a"}},
            source="the claims given",
        ),
        Refusal({"claims": {}, "key": "secret", "algorithm": "RS256"}, "not a key in PEM"),
    ),
    reply="The token: {token}",
    tier="pro",
    idempotent=False,
)
def jwt_create_token(
    claims: Claims,
    key: TokenKey,
    algorithm: Annotated[Algorithm, About("Signature algorithm")] = "HS256",
    expires_in_s: Annotated[
        int | None, About("Sets iat to now and exp to this many seconds later", 3600, minimum=1, maximum=3_200_000_000)
    ] = None,
    key_id: Annotated[str | None, About("kid in the header", "key-1", max_length=200)] = None,
    key_encoding: Annotated[Encoding, About("Encoding of the bytes in a shared secret")] = "utf8",
) -> Created:
    """Create a JSON Web Token with claims, signed with a shared secret (HS…) or a private key (RS, PS, ES, EdDSA).

    Use it for tests and services. Returns the token with all its claims.
    """
    all_claims = dict(claims)
    if expires_in_s:
        all_claims |= {"iat": int(time.time()), "exp": int(time.time()) + expires_in_s}
    header = {"alg": algorithm, "typ": "JWT"} | ({"kid": key_id} if key_id else {})
    payload = json.dumps(all_claims, separators=(",", ":"), ensure_ascii=False)
    try:
        token = jws.serialize_compact(header, payload.encode(), _key(key, algorithm, key_encoding), [algorithm])
    except (JoseError, ValueError, TypeError) as error:
        raise ToolError(f"The key is not suitable for {algorithm}: {error}.") from error
    return {"token": token, "claims": all_claims}


class VerifiedToken(TypedDict):
    """Result of verifying a token."""

    valid: Annotated[bool, About("Whether signature, times, issuer and audience are all valid")]
    signature_valid: Annotated[bool, About("Whether the key signed it")]
    problems: Annotated[list[str], About("Reasons why it is not valid")]
    claims: Annotated[dict[str, Any] | None, About("Claims; null if the signature is invalid")]
    header: Annotated[dict[str, Any], About("Header")]


@tool(
    tags="jwt verify token signature claims exp aud iss json web token jwks",
    use_when=(
        "Is this JWT valid with my secret?",
        "Verify a token against the JWKS of the issuer",
        "Why is my token rejected: expired or wrong audience?",
    ),
    examples=(
        Example(
            {
                "token": _RFC7515,
                "key": _RFC7515_KEY,
                "key_encoding": "base64",
                "algorithms": ["HS256"],
                "at": 1300819000,
                "issuer": "joe",
            },
            {"valid": True, "signature_valid": True, "problems": []},
            source="RFC 7515, appendix A.1",
        ),
        Example(
            {"token": _RFC7515, "key": _RFC7515_KEY, "key_encoding": "base64", "audience": "api", "at": 1300819381},
            {"valid": False, "signature_valid": True, "problems": ["It has expired.", "Its audience is not api."]},
            source="RFC 7519, sections 4.1.3 and 4.1.4",
        ),
        Example(
            {
                "token": "eyJhbGciOiJFZERTQSJ9."
                "RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AI"
                "bQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
                "key": _RFC8037_KEY,
                "algorithms": ["EdDSA"],
            },
            {"valid": False, "signature_valid": True, "problems": ["Its payload is no JSON object."]},
            source="RFC 8037, appendix A.4: a signed text",
        ),
        Refusal({"token": "abc.def", "key": "secret"}, "three parts"),
    ),
    reply={
        "valid": "The token is valid. Its claims: {claims}",
        "valid, not claims": "The token is valid.",
        "problems": "The token is not valid: {problems}",
        "": "The token is not valid.",
    },
    idempotent=False,
)
def jwt_verify_token(
    token: Token,
    key: TokenKey,
    algorithms: Annotated[
        list[Annotated[str, About("Algorithm", "RS256", pattern="^(HS|RS|PS|ES)(256|384|512)$|^EdDSA$", max_length=5)]]
        | None,
        About("Allowed algorithms; default: those suitable for the kind of key", ["RS256"], max_items=13),
    ] = None,
    issuer: Annotated[str | None, About("Required iss", "https://login.example.com", max_length=1000)] = None,
    audience: Annotated[str | None, About("Required aud", "api", max_length=1000)] = None,
    leeway_s: Annotated[int, About("Tolerated clock difference in seconds", minimum=0, maximum=3600)] = 0,
    at: Annotated[
        int | None, About("Unix time of the verification; default: now", 1300819000, minimum=0, maximum=2**37)
    ] = None,
    key_encoding: Annotated[Encoding, About("Encoding of the bytes in a shared secret")] = "utf8",
) -> VerifiedToken:
    """Verify a JSON Web Token: signature, expiry, issuer and audience, and report all problems.

    Use it with a shared secret, a public key in PEM or JWK, or a JWK set. Tokens without a signature are never valid.
    """
    parts = _bare(token).split(".")
    if len(parts) != 3:
        raise ToolError("A token has three parts separated by dots. Give the complete token.")
    header = _object(parts[0], "header")
    algorithm = str(header.get("alg", "none"))
    allowed = algorithms or _fitting(key)
    problems = (
        [] if algorithm in allowed else [f"It is signed by {algorithm[:40]}, which is not allowed with this key."]
    )
    signed = not problems and any(
        _holds(".".join(parts), one, algorithm) for one in _candidates(key, header, algorithm, key_encoding)
    )
    if not problems and not signed:
        problems.append("The signature does not hold: the key is wrong, or the token was altered.")
    claims = _json(parts[1])
    payload = claims if isinstance(claims, dict) else None
    if signed:
        problems += _unmet(payload, issuer, audience, time.time() if at is None else at, leeway_s)
    return {
        "valid": not problems,
        "signature_valid": signed,
        "problems": problems,
        "claims": payload if signed else None,
        "header": header,
    }


def _unmet(
    claims: dict[str, Any] | None, issuer: str | None, audience: str | None, now: float, leeway: int
) -> list[str]:
    if claims is None:
        return ["Its payload is no JSON object."]
    expiry, start = _seconds(claims.get("exp")), _seconds(claims.get("nbf"))
    audience_claim = claims.get("aud")
    audiences = audience_claim if isinstance(audience_claim, list) else [audience_claim]
    checks = {
        "It has expired.": expiry is not None and now >= expiry + leeway,
        "Its exp is no time.": "exp" in claims and expiry is None,
        "It does not hold yet.": start is not None and now < start - leeway,
        f"Its issuer is not {issuer}.": issuer is not None and claims.get("iss") != issuer,
        f"Its audience is not {audience}.": audience is not None and audience not in audiences,
    }
    return [text for text, found in checks.items() if found]


def _fitting(key: str) -> list[str]:
    """Return the algorithms for a kind of key: a public key must never be used as a shared secret (RFC 8725, section
    3.1).
    """
    plain = key.strip()
    asymmetric = "-----BEGIN" in plain or (plain.startswith("{") and '"oct"' not in plain)
    return [name for name in _ALGORITHMS if name.startswith("HS") != asymmetric]


def _candidates(key: str, header: dict[str, Any], algorithm: str, encoding: str) -> Iterator[Any]:
    """Yield the key, or those of a JWK set that may have signed the token.

    These are the keys with the kid in the header, or all if there are none, without those of other algorithms.
    """
    if '"keys"' not in key:
        yield _key(key, algorithm, encoding)
        return
    try:
        keys = [one for one in json.loads(key)["keys"] if isinstance(one, dict)]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ToolError('This is not a JWK set. Give it as {"keys": […]}.') from error
    if not keys:
        raise ToolError("The JWK set is empty.")
    matching = [one for one in keys if "kid" in header and one.get("kid") == header["kid"]]
    for one in matching or keys:
        if _suits(one, algorithm):
            yield _key(json.dumps(one), algorithm, encoding)


def _suits(key: dict[str, Any], algorithm: str) -> bool:
    kind = {"HS": "oct", "ES": "EC", "Ed": "OKP"}.get(algorithm[:2], "RSA")
    return key.get("kty") == kind and key.get("alg", algorithm) == algorithm


def _key(text: str, algorithm: str, encoding: str) -> Any:
    try:
        if algorithm.startswith("HS"):
            if text.strip().startswith("{"):
                return import_key(json.loads(text), "oct")
            return OctKey.import_key(bytes_of(text, encoding, "key"))
        return import_key(json.loads(_keys.render(_keys.key_of(text), "jwk")))
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise ToolError(f"The key is not suitable for {algorithm}.") from error


def _holds(token: str, key: Any, algorithm: str) -> bool:
    try:
        jws.deserialize_compact(token, key, [algorithm])
    except (JoseError, ValueError, TypeError):
        return False
    return True
