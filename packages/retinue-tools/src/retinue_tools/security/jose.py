"""Encrypted tokens (JWE, RFC 7516), key sets (JWK, RFC 7517), and proof keys of OAuth (PKCE, RFC 7636)."""

import base64
import hashlib
import json
import secrets
from typing import Annotated, Any, Literal

from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey, import_key
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.security import _keys
from retinue_tools.security._bytes import bytes_of, text_or_none, urlsafe_of
from retinue_tools.security._samples import LEAF_KEY, LEAF_PUBLIC, RSA_PUBLIC

_SYMMETRIC = ("dir", "A128KW", "A256KW", "A256GCMKW")
_RFC7516_MESSAGE = (
    "eyJhbGciOiJBMTI4S1ciLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.6KB707dM9YTIgHtLvtgWQ8mKwboJW3of9locizkDTHzBC2IlrT1oOQ."
    "AxY8DCtDaGlsbGljb3RoZQ.KDlTtXchhZTGufMYmOYGS4HffxPSUrfmqCHXaI9wOGY.U0m_YmjN04DJvceFICbCVQ"
)
_RFC7516_KEY = '{"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg"}'
_RFC7638 = (
    '{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKR'
    "XjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0"
    "zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU"
    '8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}'
)

JweKey = Annotated[
    str, About("Key in JWK or PEM; a shared secret in Base64 or as JWK", _RFC7516_KEY, max_length=20_000)
]


class Jwe(TypedDict):
    """An encrypted token."""

    token: Annotated[str, About("Token: five parts separated by dots")]


@tool(
    tags="jwe encrypt json web encryption token rsa-oaep ecdh-es aes key wrap",
    use_when=(
        "Encrypt this payload as a JWE for a public key",
        "Make a JWE with dir and A256GCM",
        "Encrypt a token with RSA-OAEP-256",
    ),
    examples=(
        Example(
            {"text": "hello", "key": RSA_PUBLIC, "algorithm": "RSA-OAEP-256"},
            {},
            source="random content encryption key",
        ),
        Example(
            {"text": "hello", "key": LEAF_PUBLIC, "algorithm": "ECDH-ES+A256KW"}, {}, source="random ephemeral key"
        ),
        Example(
            {"text": "hello", "key": _RFC7516_KEY, "algorithm": "dir", "content_encryption": "A128GCM"},
            {},
            source="random initialisation vector",
        ),
        Refusal(
            {"text": "a", "key": _RFC7516_KEY, "algorithm": "dir", "content_encryption": "A256GCM"}, "not suitable for"
        ),
    ),
    reply="The encrypted token: {token}",
    tier="pro",
    idempotent=False,
)
def jwe_encrypt_text(
    text: Text,
    key: JweKey,
    algorithm: Annotated[
        Literal["RSA-OAEP-256", "RSA-OAEP", "ECDH-ES", "ECDH-ES+A256KW", "dir", "A128KW", "A256KW", "A256GCMKW"],
        About("Key management algorithm: RSA and ECDH use a public key, the others a shared secret"),
    ] = "RSA-OAEP-256",
    content_encryption: Annotated[
        Literal["A256GCM", "A128GCM", "A128CBC-HS256", "A256CBC-HS512"], About("Content encryption algorithm")
    ] = "A256GCM",
) -> Jwe:
    """Encrypt a text as a JSON Web Encryption in compact form (RFC 7516), for a public key or with a shared secret.

    Use it if an API requires encrypted tokens. jwe_decrypt_text decrypts it.
    """
    header = {"alg": algorithm, "enc": content_encryption}
    try:
        token = jwe.encrypt_compact(
            header, bytes_of(text, "utf8"), _key(key, algorithm), [algorithm, content_encryption]
        )
    except (JoseError, ValueError, TypeError) as error:
        raise ToolError(f"The key is not suitable for {algorithm} and {content_encryption}.") from error
    return {"token": token}


class JweText(TypedDict):
    """A decrypted token."""

    text: Annotated[str | None, About("Payload as text; null if it is not UTF-8")]
    hex: Annotated[str, About("Payload in hexadecimal")]
    header: Annotated[dict[str, Any], About("Protected header")]


@tool(
    tags="jwe decrypt json web encryption token private key",
    use_when=(
        "Decrypt this JWE with my private key",
        "What is in the five-part token?",
        "Open an encrypted ID token",
    ),
    examples=(
        Example(
            {"token": _RFC7516_MESSAGE, "key": _RFC7516_KEY},
            {"text": "Live long and prosper.", "header": {"alg": "A128KW", "enc": "A128CBC-HS256"}},
            source="RFC 7516, appendix A.3",
        ),
        Refusal({"token": _RFC7516_MESSAGE, "key": LEAF_KEY}, "does not match the token"),
        Refusal({"token": "a.b.c", "key": _RFC7516_KEY}, "five parts"),
    ),
    reply={
        "text": "The decrypted text: {text}",
        "": "The decrypted bytes are not text; in hexadecimal: {hex}",
    },
    tier="pro",
)
def jwe_decrypt_text(
    token: Annotated[str, About("Token: five parts separated by dots", _RFC7516_MESSAGE, max_length=1_000_000)],
    key: JweKey,
) -> JweText:
    """Decrypt a JSON Web Encryption in compact form (RFC 7516) with a private key or shared secret.

    Use it to read encrypted tokens. Returns the payload and the header.
    """
    parts = "".join(token.split()).split(".")
    if len(parts) != 5:
        raise ToolError(
            "An encrypted token has five parts separated by dots. A signed one has three: use jwt_decode_token."
        )
    try:
        header = json.loads(base64.urlsafe_b64decode(parts[0] + "=" * (-len(parts[0]) % 4)))
        algorithm = str(header["alg"])
        opened = jwe.decrypt_compact(".".join(parts), _key(key, algorithm), [algorithm, str(header["enc"])])
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise ToolError("The key does not match the token, or the token was altered.") from error
    content: bytes = opened.plaintext or b""
    return {"text": text_or_none(content), "hex": content.hex(), "header": header}


def _key(text: str, algorithm: str) -> Any:
    plain = text.strip()
    if plain.startswith("{") and '"oct"' in plain:
        return import_key(json.loads(plain), "oct")
    if algorithm in _SYMMETRIC and not plain.startswith(("{", "-")):
        return OctKey.import_key(bytes_of(plain, "base64", "key"))
    return import_key(json.loads(_keys.render(_keys.key_of(plain), "jwk")))


class KeySet(TypedDict):
    """A JWK set of public keys."""

    jwks: Annotated[str, About("Set as JSON text, to serve at jwks_uri")]
    key_ids: Annotated[list[str], About("kid of each key; default: its thumbprint (RFC 7638)")]


@tool(
    tags="jwks jwk set public keys thumbprint kid create oauth oidc",
    use_when=(
        "Make a JWKS of my public keys",
        "What is the RFC 7638 thumbprint of this JWK?",
        "Publish my PEM key as JWK set",
    ),
    examples=(
        Example(
            {"keys": [_RFC7638], "keep_key_ids": False},
            {"key_ids": ["NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"]},
            source="RFC 7638, section 3.1",
        ),
        Example({"keys": [_RFC7638]}, {"key_ids": ["2011-04-29"]}, source="the kid of the key"),
        Refusal({"keys": ['{"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg"}']}, "shared secret"),
    ),
    reply="The set of public keys: {jwks}",
)
def jwks_create_set(
    keys: Annotated[
        list[Annotated[str, About("Key in PEM, OpenSSH or JWK", LEAF_PUBLIC, min_length=20, max_length=20_000)]],
        About("Keys; only the public part of private keys is used", [LEAF_PUBLIC], min_items=1, max_items=50),
    ],
    use: Annotated[Literal["sig", "enc"], About("Use of the keys")] = "sig",
    keep_key_ids: Annotated[bool, About("Whether to keep the kid of a JWK; otherwise the thumbprint is used")] = True,
) -> KeySet:
    """Create (make) a JWK set of public keys (RFC 7517), with thumbprints as key ids (RFC 7638).

    Use it to publish the keys that verify your tokens. Private parts are omitted.
    """
    jwks = []
    for text in keys:
        jwk = json.loads(_keys.render(_keys.public_of(_keys.key_of(text)), "jwk"))
        key_id = json.loads(text).get("kid") if keep_key_ids and text.strip().startswith("{") else None
        jwks.append(jwk | {"kid": str(key_id or _thumbprint(jwk)), "use": use})
    return {"jwks": json.dumps({"keys": jwks}, indent=2), "key_ids": [jwk["kid"] for jwk in jwks]}


def _thumbprint(jwk: dict[str, Any]) -> str:
    members = {"RSA": ("e", "kty", "n"), "EC": ("crv", "kty", "x", "y")}.get(jwk["kty"], ("crv", "kty", "x"))
    plain = json.dumps({name: jwk[name] for name in members}, separators=(",", ":"))
    return urlsafe_of(hashlib.sha256(plain.encode()).digest())


class Pkce(TypedDict):
    """A proof key of OAuth."""

    code_verifier: Annotated[str, About("Secret for the token request")]
    code_challenge: Annotated[str, About("Challenge for the authorisation request")]
    code_challenge_method: Annotated[str, About("S256")]


@tool(
    tags="oauth pkce code verifier challenge s256 authorization",
    use_when=(
        "Create a PKCE verifier and challenge",
        "What is the S256 challenge of this code verifier?",
        "I need a code_challenge for an OAuth login",
    ),
    examples=(
        Example(
            {"code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"},
            {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"},
            source="RFC 7636, appendix B",
        ),
        Example({}, {"code_challenge_method": "S256"}, source="RFC 7636; the verifier is random"),
        Refusal({"code_verifier": "too short"}, "code_verifier"),
    ),
    reply="The challenge is {code_challenge}, and the verifier {code_verifier}.",
    idempotent=False,
)
def oauth_create_pkce(
    code_verifier: Annotated[
        str | None,
        About(
            "Verifier for the challenge; default: random",
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            pattern="^[A-Za-z0-9._~-]+$",
            min_length=43,
            max_length=128,
        ),
    ] = None,
) -> Pkce:
    """Create a PKCE code verifier and its S256 challenge for OAuth (RFC 7636), or the challenge of a verifier.

    Use it for authorisation code flows of apps and single-page sites.
    """
    verifier = code_verifier or secrets.token_urlsafe(48)
    challenge = urlsafe_of(hashlib.sha256(verifier.encode()).digest())
    return {"code_verifier": verifier, "code_challenge": challenge, "code_challenge_method": "S256"}
