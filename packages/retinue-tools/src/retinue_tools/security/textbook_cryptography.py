"""Textbook cryptography: RSA and Diffie-Hellman with small numbers, and XOR with a repeating key."""

from itertools import cycle
from math import gcd, lcm
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security._bytes import Encoding, base64_of, bytes_of, text_or_none

_MOST = 10**18
Number = Annotated[int | None, About("A whole number", 65, minimum=0, maximum=_MOST)]


class TextbookRsa(TypedDict):
    """An RSA key with small primes."""

    n: Annotated[str, About("Modulus, p times q")]
    phi: Annotated[str, About("Euler's phi: (p - 1) (q - 1)")]
    d: Annotated[str, About("Private exponent: the inverse of e modulo phi")]
    d_carmichael: Annotated[str, About("Inverse of e modulo lcm(p - 1, q - 1)")]
    ciphertext: Annotated[str | None, About("Ciphertext: message^e mod n")]
    message: Annotated[str | None, About("Message: ciphertext^d mod n, or the given message")]


@tool(
    tags="rsa textbook primes p q modulus phi private exponent encrypt decrypt course small numbers inverse",
    use_when=(
        "RSA with p = 61, q = 53 and e = 17: what are n, phi and d?",
        "Encrypt 65 with textbook RSA, p=61 q=53 e=17",
        "Decrypt the RSA ciphertext 2790 with primes 61 and 53, e 17",
    ),
    examples=(
        Example(
            {"p": 61, "q": 53, "e": 17, "message": 65},
            {"n": "3233", "phi": "3120", "d": "2753", "d_carmichael": "413", "ciphertext": "2790"},
            source="the example of Wikipedia's article on RSA",
        ),
        Example({"p": 61, "q": 53, "e": 17, "ciphertext": 2790}, {"message": "65"}, source="the same"),
        Refusal({"p": 61, "q": 53, "e": 10}, "no common"),
        Refusal({"p": 60, "q": 53, "e": 17}, "prime"),
    ),
    reply={
        "args.message": "n is {n}, phi {phi} and d {d}; the encrypted message is {ciphertext}.",
        "args.ciphertext": "n is {n}, phi {phi} and d {d}; the message is {message}.",
        "": "n is {n}, phi {phi} and d {d}.",
    },
)
def rsa_solve_textbook(
    p: Annotated[int, About("First prime", 61, minimum=2, maximum=10**15)],
    q: Annotated[int, About("Second prime", 53, minimum=2, maximum=10**15)],
    e: Annotated[int, About("Public exponent", 17, minimum=2, maximum=_MOST)],
    message: Number = None,
    ciphertext: Number = None,
) -> TextbookRsa:
    """Solve textbook RSA with small primes: modulus, phi, private exponent, and a number encrypted or decrypted.

    Use it to learn and to check exercises; for real keys use key_generate_pair.
    """
    if p == q or not (_is_prime(p) and _is_prime(q)):
        raise ToolError("p and q must be two different prime numbers.")
    phi = (p - 1) * (q - 1)
    if gcd(e, phi) != 1:
        raise ToolError(f"e must have no common divisor with phi, which is {phi}.")
    n, d = p * q, pow(e, -1, phi)
    return {
        "n": str(n),
        "phi": str(phi),
        "d": str(d),
        "d_carmichael": str(pow(e, -1, lcm(p - 1, q - 1))),
        "ciphertext": _power(message, e, n),
        "message": str(message) if message is not None else _power(ciphertext, d, n),
    }


def _power(base: int | None, exponent: int, modulus: int) -> str | None:
    if base is None:
        return None
    if base >= modulus:
        raise ToolError(f"The message must be smaller than n, which is {modulus}.")
    return str(pow(base, exponent, modulus))


_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Witnesses with which the Miller-Rabin test is certain below 3.3e24."""


def _is_prime(number: int) -> bool:
    if number in _WITNESSES:
        return True
    if any(number % one == 0 for one in _WITNESSES):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(number, pow(one, odd, number), twos) for one in _WITNESSES)


def _passes(number: int, value: int, twos: int) -> bool:
    return value == 1 or any(pow(value, 2**power, number) == number - 1 for power in range(twos))


class SharedSecret(TypedDict):
    """A Diffie-Hellman key exchange."""

    shared_secret: str
    first_public: Annotated[str, About("g^a mod p")]
    second_public: Annotated[str, About("g^b mod p")]


@tool(
    tags="diffie hellman key exchange textbook shared secret modulus generator course small numbers public value",
    use_when=(
        "Diffie-Hellman with p = 23, g = 5, a = 6, b = 15: what is the shared secret?",
        "Public values and common key for DH, prime 29, base 2, secrets 5 and 12",
    ),
    examples=(
        Example(
            {"p": 23, "g": 5, "a": 6, "b": 15},
            {"first_public": "8", "second_public": "19", "shared_secret": "2"},
            source="the example of Wikipedia's article on the Diffie-Hellman key exchange",
        ),
        Refusal({"p": 1, "g": 5, "a": 6, "b": 15}, "p must"),
    ),
    reply=("The shared secret is {shared_secret}; the public values are {first_public} and {second_public}."),
)
def dh_solve_textbook(
    p: Annotated[int, About("Prime modulus", 23, minimum=2, maximum=_MOST)],
    g: Annotated[int, About("Base, also called generator", 5, minimum=1, maximum=_MOST)],
    a: Annotated[int, About("Secret number of the first party", 6, minimum=0, maximum=_MOST)],
    b: Annotated[int, About("Secret number of the second party", 15, minimum=0, maximum=_MOST)],
) -> SharedSecret:
    """Solve a textbook Diffie-Hellman key exchange with small numbers: both public values and the shared secret.

    Use it to learn and to check exercises; for real secrets use key_agree_secret.
    """
    return {
        "shared_secret": str(pow(g, a * b, p)),
        "first_public": str(pow(g, a, p)),
        "second_public": str(pow(g, b, p)),
    }


class Combined(TypedDict):
    """Result of combining bytes with a key."""

    hex: Annotated[str, About("Result in hexadecimal")]
    text: Annotated[str | None, About("Result as text; null if it is not text")]
    base64: Annotated[str, About("Result in Base64")]
    differing_bits: Annotated[int, About("Number of ones in the result: the Hamming distance of data and key")]


@tool(
    tags="xor hex strings text key repeating encrypt decrypt cipher exclusive or bytes hamming",
    use_when=(
        "XOR the hex strings 1c0111001f and 686974207d",
        "XOR-encrypt the text 'hello' with the key 'K'",
        "Decrypt the hex bytes 23 2e by XOR with a key",
        "XOR two byte strings",
    ),
    examples=(
        Example(
            {
                "data": "1c0111001f010100061a024b53535009181c",
                "key": "686974207468652062756c6c277320657965",
                "data_as": "hex",
                "key_as": "hex",
            },
            {"hex": "746865206b696420646f6e277420706c6179", "text": "the kid don't play"},
            source="Cryptopals, challenge 2",
        ),
        Example({"data": "hello", "key": "K"}, {"hex": "232e272724"}, source="by hand: 68 xor 4b is 23"),
        Example(
            {"data": "this is a test", "key": "wokka wokka!!!"},
            {"differing_bits": 37},
            source="Cryptopals, challenge 6",
        ),
        Refusal({"data": "hello", "key": ""}, "key"),
        Refusal({"data": "xyz", "key": "K", "data_as": "hex"}, "not hexadecimal"),
    ),
    reply={
        "text": "The text is \u201c{text}\u201d, in hexadecimal {hex}.",
        "hex": "In hexadecimal it is {hex}.",
        "": "In hexadecimal: {hex}",
    },
)
def xor_apply_key(
    data: Annotated[str, About("Text or bytes", "hello", max_length=200_000)],
    key: Annotated[
        str, About("Key, or the other bytes; a short one is repeated", "K", min_length=1, max_length=200_000)
    ],
    data_as: Encoding = "utf8",
    key_as: Annotated[Encoding, About("Encoding of the bytes in the key")] = "utf8",
) -> Combined:
    """XOR a text or bytes with a key that repeats: the same operation encrypts and decrypts. It also XORs two
    hexadecimal strings.

    It protects nothing unless the key is random, as long as the text, and used once. Returns hexadecimal and text.
    """
    plain, secret = (
        bytes_of(value.removeprefix("0x") if kind == "hex" else value, kind, what)
        for value, kind, what in ((data, data_as, "data"), (key, key_as, "key"))
    )
    if not plain or not secret:
        raise ToolError("There are no bytes to combine. Give data and a key.")
    result = bytes(one ^ other for one, other in zip(plain, cycle(secret), strict=False))
    return {
        "hex": result.hex(),
        "text": text_or_none(result),
        "base64": base64_of(result),
        "differing_bits": int.from_bytes(result).bit_count(),
    }
