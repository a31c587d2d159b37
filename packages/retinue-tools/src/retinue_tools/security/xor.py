"""The exclusive or of bytes with a key that repeats."""

from itertools import cycle
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security._bytes import Encoding, base64_of, bytes_of, text_or_none


class Combined(TypedDict):
    """Bytes and a key, combined."""

    hex: Annotated[str, About("The result in hexadecimal")]
    text: Annotated[str | None, About("The result as text; null where it is none")]
    base64: Annotated[str, About("The result in Base64")]
    differing_bits: Annotated[int, About("Bits that are 1 in the result: the Hamming distance of data and key")]


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
)
def xor_apply_key(
    data: Annotated[str, About("Text or bytes", "hello", max_length=200_000)],
    key: Annotated[
        str, About("The key, or the other bytes; a short one repeats", "K", min_length=1, max_length=200_000)
    ],
    data_as: Encoding = "utf8",
    key_as: Encoding = "utf8",
) -> Combined:
    """XOR a text or bytes with a key that repeats: encrypts and decrypts alike. XORs two hexadecimal strings, too.

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
