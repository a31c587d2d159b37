"""Encryption, signatures and key agreement with key pairs."""

from typing import Annotated, Any, Literal

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.security import _keys
from retinue_tools.security._bytes import Encoding, base64_of, bytes_of, text_or_none
from retinue_tools.security._samples import LEAF_PUBLIC, RSA_KEY, RSA_PUBLIC
from retinue_tools.security.keys import KeyPassword, KeyText

_RSA_SEALED = (
    "T43sgbz73SA8HnlXqXOxDe+AZdV9Hn3lOsSwrbG/ib9GlfMuLAjR/CC+9TLDjlVwN3bqBUkDM4HXgnMV90zeA8P8MLP4SC7CuxEi"
    "YV5pHmyOoEymF0ElHHVvy8DVtwK6+gEX+0A59T1C2wxW8SaSOPutBrqetgfmLiTrj/QGTHhyOLpBAx68teqapdjtKYBOa8uW5EBq"
    "RHNrs51hkOXhwnipzyVd1001wDo1WEHJJV+yesflkOJPgIcrxaiupQ/vpYCAnUOte6Pb69WunYi2NuyrbIbUJ21qhwib4jU7Oofn"
    "JLzkiT481x4FZtRz2RK26/eWz5vLw2aCbxiqX7i7QQ=="
)
_EC_SIGNATURE = "MEYCIQC9eHOHOEBlx8xzMm7mN4VSuFRSs7+ZdbCja1WDFEFkDgIhAMNz9NrxRCAWqZPrIuXHRfhXtVDNQnowdhJRJvut4u1q"
_RSA_SIGNATURE = (
    "lQF4HeY8xSXqWVFXV8dSFJwQUWDX04DF3jbFpGNWP7CKrZbC1KM4+DurrnzZPlD7fB1tfe+dWgXfvlTV2rGisgTPYkXm+XkEN8/J"
    "yo5s2Xn6VXsoPDZAXzpctJgZ7x859a4KS9ecF4EzbfjQiFt4JM3PqSR1FkH4fYNuQ4cZuvnqXTGVYzEgesWyU74IayF8rJ9hXjtm"
    "2iO5yKxds4zxMJubNZx9nxWMVj9mmfvuf6DyHHjLQrMOjxE4JMKv4oWWyleD2bN/b6F7D/4/hFXMiA8niCVCL274FI5Dduoxuv7s"
    "FcnZqFSLqu5ZfiKzx3xygXIQXp109TXB2aiqv3BiXw=="
)
_RFC8037 = (
    '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",'
    '"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'
)
_ALICE = '{"kty":"OKP","crv":"X25519","x":"hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo"}'
_BOB = (
    '{"kty":"OKP","crv":"X25519","d":"XasIfmJKikt54X-Lg4AO5m87sSkmGLb9HC-LJ_-I4Os",'
    '"x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}'
)

HashName = Annotated[Literal["sha256", "sha384", "sha512"], About("Hash function; Ed25519 has its own")]
Padding = Annotated[Literal["pss", "pkcs1v15"], About("Padding of RSA signatures; other keys have none")]
Form = Annotated[Literal["der", "raw"], About("Format of ECDSA signatures: DER, or r and s concatenated as in JOSE")]


class Encrypted(TypedDict):
    """A text encrypted for a key."""

    ciphertext_base64: Annotated[str, About("Ciphertext in Base64")]


@tool(
    tags="rsa oaep encrypt public key asymmetric",
    use_when=(
        "Encrypt this password with an RSA public key",
        "RSA-OAEP encrypt a short text",
        "Send a secret that only the owner of this key can read",
    ),
    examples=(
        Example(
            {"text": "attack at dawn", "key": RSA_PUBLIC}, {}, source="random padding; rsa_decrypt_text opens OpenSSL's"
        ),
        Example({"text": "a", "key": RSA_PUBLIC, "hash_function": "sha1"}, {}, source="the same"),
        Refusal({"text": "a" * 191, "key": RSA_PUBLIC}, "190 bytes"),
        Refusal({"text": "a", "key": LEAF_PUBLIC}, "not an RSA key"),
    ),
    reply="The encrypted text in Base64: {ciphertext_base64}",
    tier="pro",
    idempotent=False,
)
def rsa_encrypt_text(
    text: Annotated[str, About("Short text", "attack at dawn", max_length=2000)],
    key: KeyText,
    hash_function: Annotated[Literal["sha256", "sha1", "sha512"], About("Hash function of OAEP and MGF1")] = "sha256",
    encoding: Encoding = "utf8",
) -> Encrypted:
    """Encrypt a short text with an RSA public key by OAEP (RFC 8017), so that only its private key can decrypt it.

    Use it for keys and passwords. Encrypt longer texts with aead_encrypt_text, and that key with RSA.
    """
    public = _keys.public_of(_rsa(_keys.key_of(key)))
    content = bytes_of(text, encoding)
    room = public.key_size // 8 - 2 * _digest(hash_function).digest_size - 2
    if len(content) > room:
        raise ToolError(f"This key supports at most {room} bytes, and the text has {len(content)}. Shorten it.")
    return {"ciphertext_base64": base64_of(public.encrypt(content, _oaep(hash_function)))}


class Decrypted(TypedDict):
    """A text that was encrypted for a key."""

    text: Annotated[str | None, About("Text; null if the bytes are not UTF-8")]
    hex: Annotated[str, About("Bytes in hexadecimal")]


@tool(
    tags="rsa oaep decrypt private key asymmetric",
    use_when=(
        "Decrypt this RSA-OAEP ciphertext with my private key",
        "Open a message that was encrypted with my public key",
        "Read an RSA-encrypted session key",
    ),
    examples=(
        Example(
            {"ciphertext_base64": _RSA_SEALED, "key": RSA_KEY},
            {"text": "attack at dawn"},
            source="openssl pkeyutl -encrypt -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256",
        ),
        Example(
            {"ciphertext_base64": _RSA_SEALED, "key": RSA_KEY, "hash_function": "sha256"},
            {"hex": "61747461636b206174206461776e"},
            source="the same, in ASCII",
        ),
        Refusal({"ciphertext_base64": _RSA_SEALED, "key": RSA_KEY, "hash_function": "sha1"}, "does not match this key"),
    ),
    reply={
        "text": "The decrypted text: {text}",
        "": "The decrypted bytes are not text; in hexadecimal: {hex}",
    },
    tier="pro",
)
def rsa_decrypt_text(
    ciphertext_base64: Annotated[str, About("Ciphertext in Base64", _RSA_SEALED, min_length=4, max_length=3000)],
    key: KeyText,
    password: KeyPassword = None,
    hash_function: Annotated[Literal["sha256", "sha1", "sha512"], About("Hash function of OAEP and MGF1")] = "sha256",
) -> Decrypted:
    """Decrypt RSA-OAEP ciphertext (RFC 8017) with the private key.

    Use it for what rsa_encrypt_text or OpenSSL encrypted for the key.
    """
    private = _rsa(_keys.private_key(key, password))
    try:
        content: bytes = private.decrypt(bytes_of(ciphertext_base64, "base64", "ciphertext"), _oaep(hash_function))
    except ValueError as error:
        raise ToolError("The ciphertext does not match this key and hash function.") from error
    return {"text": text_or_none(content), "hex": content.hex()}


def _rsa(key: Any) -> Any:
    if _keys.kind_of(key)[0] != "RSA":
        raise ToolError("This is not an RSA key.")
    return key


def _digest(name: str) -> Any:
    functions: dict[str, Any] = {
        "sha1": hashes.SHA1,
        "sha256": hashes.SHA256,
        "sha384": hashes.SHA384,
        "sha512": hashes.SHA512,
    }
    return functions[name]()


def _oaep(name: str) -> Any:
    return padding.OAEP(mgf=padding.MGF1(_digest(name)), algorithm=_digest(name), label=None)


class Signature(TypedDict):
    """A signature."""

    signature_base64: Annotated[str, About("Signature in Base64")]
    signature_hex: Annotated[str, About("Signature in hexadecimal")]
    algorithm: Annotated[str, About("Algorithm")]


@tool(
    tags="sign signature rsa ecdsa ed25519 pss private key digital",
    use_when=(
        "Sign this message with my Ed25519 key",
        "Make an RSA-PSS signature of the text",
        "ECDSA P-256 signature in raw form",
    ),
    examples=(
        Example(
            {"text": "", "key": _RFC8037},
            {
                "signature_hex": "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
                "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
                "algorithm": "Ed25519",
            },
            source="RFC 8032, section 7.1, test 1",
        ),
        Example(
            {"text": "attack at dawn", "key": RSA_KEY, "rsa_padding": "pkcs1v15"},
            {"signature_base64": _RSA_SIGNATURE, "algorithm": "RSA pkcs1v15 sha256"},
            source="openssl dgst -sha256 -sign",
        ),
        Refusal({"text": "a", "key": RSA_PUBLIC}, "Give the private one"),
    ),
    reply="The signature ({algorithm}) in Base64: {signature_base64}",
    tier="pro",
    idempotent=False,
)
def signature_sign_text(
    text: Text,
    key: KeyText,
    password: KeyPassword = None,
    hash_function: HashName = "sha256",
    rsa_padding: Padding = "pss",
    form: Form = "der",
    encoding: Encoding = "utf8",
) -> Signature:
    """Sign a text with a private key: RSA (PSS or PKCS#1 v1.5), ECDSA or Ed25519.

    Use it so that others can verify the author with signature_verify_text. Returns the signature.
    """
    private, content = _keys.private_key(key, password), bytes_of(text, encoding)
    kind, curve, _ = _keys.kind_of(private)
    match kind:
        case "RSA":
            salt = padding.PSS.DIGEST_LENGTH
            raw: bytes = private.sign(content, _rsa_padding(rsa_padding, hash_function, salt), _digest(hash_function))
        case "EC":
            raw = _ecdsa_form(private.sign(content, ec.ECDSA(_digest(hash_function))), form, private.curve.key_size)
        case "Ed25519" | "Ed448":
            raw = private.sign(content)
        case _:
            raise ToolError(f"A key of the type {kind} cannot sign. Use RSA, EC or Ed25519.")
    algorithm = {"RSA": f"RSA {rsa_padding} {hash_function}", "EC": f"ECDSA {curve} {hash_function}"}.get(kind, kind)
    return {"signature_base64": base64_of(raw), "signature_hex": raw.hex(), "algorithm": algorithm}


class SignatureCheck(TypedDict):
    """Result of verifying a signature."""

    valid: Annotated[bool, About("Whether the key signed this text")]
    algorithm: Annotated[str, About("Algorithm of the verification")]


@tool(
    tags="verify signature rsa ecdsa ed25519 pss public key digital",
    use_when=(
        "Is this signature valid for the message and the public key?",
        "Verify an Ed25519 signature",
        "Check the ECDSA signature of a release",
    ),
    examples=(
        Example(
            {"text": "attack at dawn", "key": LEAF_PUBLIC, "signature": _EC_SIGNATURE},
            {"valid": True, "algorithm": "ECDSA P-256 sha256"},
            source="openssl dgst -sha256 -sign",
        ),
        Example(
            {"text": "attack at dusk", "key": RSA_PUBLIC, "signature": _RSA_SIGNATURE, "rsa_padding": "pkcs1v15"},
            {"valid": False, "algorithm": "RSA pkcs1v15 sha256"},
            source="OpenSSL signed another text",
        ),
        Refusal({"text": "a", "key": _BOB, "signature": "AAAA"}, "cannot sign"),
    ),
    reply={
        "valid": "Yes, the signature is valid for this text and key.",
        "": "No, the signature is not valid for this text and key.",
    },
)
def signature_verify_text(
    text: Text,
    key: KeyText,
    signature: Annotated[str, About("Signature", _EC_SIGNATURE, min_length=2, max_length=5000)],
    signature_encoding: Annotated[Literal["base64", "hex"], About("Encoding of the signature")] = "base64",
    hash_function: HashName = "sha256",
    rsa_padding: Padding = "pss",
    form: Form = "der",
    encoding: Encoding = "utf8",
) -> SignatureCheck:
    """Verify a signature of a text by the public key: RSA (PSS or PKCS#1 v1.5), ECDSA or Ed25519.

    Use it to check that a text is unaltered and from the owner of the key.
    """
    public, content = _keys.public_of(_keys.key_of(key)), bytes_of(text, encoding)
    raw = bytes_of(signature, signature_encoding, "signature")
    kind, curve, _ = _keys.kind_of(public)
    algorithm = {"RSA": f"RSA {rsa_padding} {hash_function}", "EC": f"ECDSA {curve} {hash_function}"}.get(kind, kind)
    try:
        match kind:
            case "RSA":
                public.verify(
                    raw, content, _rsa_padding(rsa_padding, hash_function, padding.PSS.AUTO), _digest(hash_function)
                )
            case "EC":
                public.verify(_from_form(raw, form), content, ec.ECDSA(_digest(hash_function)))
            case "Ed25519" | "Ed448":
                public.verify(raw, content)
            case _:
                raise ToolError(f"A key of the type {kind} cannot sign. Use RSA, EC or Ed25519.")
    except (InvalidSignature, ValueError):
        return {"valid": False, "algorithm": algorithm}
    return {"valid": True, "algorithm": algorithm}


def _rsa_padding(name: str, digest: str, salt: Any) -> Any:
    if name == "pkcs1v15":
        return padding.PKCS1v15()
    return padding.PSS(mgf=padding.MGF1(_digest(digest)), salt_length=salt)


def _ecdsa_form(signature: bytes, form: str, bits: int) -> bytes:
    if form == "der":
        return signature
    r, s = decode_dss_signature(signature)
    size = (bits + 7) // 8
    return int(r).to_bytes(size, "big") + int(s).to_bytes(size, "big")


def _from_form(signature: bytes, form: str) -> bytes:
    if form == "der":
        return signature
    half = len(signature) // 2
    der: bytes = encode_dss_signature(int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big"))
    return der


class SharedSecret(TypedDict):
    """A shared secret of two parties."""

    secret_hex: Annotated[str, About("Shared secret in hexadecimal")]
    secret_base64: Annotated[str, About("Shared secret in Base64")]
    type: Annotated[str, About("X25519, X448 or the curve")]


@tool(
    tags="ecdh x25519 diffie hellman key exchange agreement shared secret",
    use_when=(
        "Compute the X25519 shared secret of these two keys",
        "ECDH between my private key and her public key",
        "What secret do Alice and Bob agree on?",
    ),
    examples=(
        Example(
            {"private_key": _BOB, "public_key": _ALICE},
            {"secret_hex": "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742", "type": "X25519"},
            source="RFC 7748, section 6.1",
        ),
        Refusal({"private_key": _BOB, "public_key": LEAF_PUBLIC}, "same type"),
        Refusal({"private_key": RSA_KEY, "public_key": RSA_PUBLIC}, "X25519"),
    ),
    reply="The shared secret is {secret_hex}.",
    tier="pro",
)
def key_agree_secret(private_key: KeyText, public_key: KeyText, password: KeyPassword = None) -> SharedSecret:
    """Compute the secret that a private key and another's public key share: X25519 (RFC 7748) or ECDH.

    Use it to agree on a key; derive an encryption key from the result with kdf_derive_key and hkdf.
    """
    own, other = _keys.private_key(private_key, password), _keys.public_of(_keys.key_of(public_key))
    kind, curve, _ = _keys.kind_of(own)
    if kind not in ("X25519", "X448", "EC"):
        raise ToolError("Use two keys of X25519, X448 or of one elliptic curve.")
    if _keys.kind_of(other) != _keys.kind_of(own):
        raise ToolError("Both keys must be of the same type and curve.")
    try:
        secret: bytes = own.exchange(ec.ECDH(), other) if kind == "EC" else own.exchange(other)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ToolError("The public key is a weak point, so no secret can be derived.") from error
    return {"secret_hex": secret.hex(), "secret_base64": base64_of(secret), "type": curve or kind}
