"""Letters as numbers: binary, octal, hexadecimal and decimal codes, alphabet positions, and letter sums."""

import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text.transliteration import without_accents

Notation = Literal["binary", "octal", "hexadecimal", "decimal", "a1z26", "u_plus"]
System = Literal["a1z26", "reverse", "scrabble", "pythagorean"]

_BASES = {"binary": 2, "octal": 8, "hexadecimal": 16}
_WIDTHS = {"binary": 8, "octal": 3, "hexadecimal": 2}
_FORMS = {"binary": "08b", "octal": "03o", "hexadecimal": "02x"}
_SCRABBLE = {"aeilnorstu": 1, "dg": 2, "bcmp": 3, "fhvwy": 4, "k": 5, "jx": 8, "qz": 10}
"""Values of English letters since 1938."""


class Coded(TypedDict):
    """A text as numbers, or numbers as a text."""

    result: Annotated[str, About("Codes, or decoded text")]
    codes: Annotated[list[str], About("Codes as a list, the first 5,000")]


class WordSum(TypedDict):
    """Letter values of a word."""

    word: Annotated[str, About("The word")]
    values: Annotated[list[int], About("Value of each letter")]
    sum: Annotated[int, About("Sum of the values")]


class LetterSum(TypedDict):
    """Letter values of a text."""

    sum: Annotated[int, About("Sum of all letters")]
    digital_root: Annotated[int, About("Digital root: repeated sum of digits until one digit is left")]
    words: Annotated[list[WordSum], About("Values by word, the first 1,000")]


@tool(
    tags="binary text ascii octal hexadecimal decimal code points a1z26 letters numbers encode decode bits spell",
    use_when=(
        "Text to binary: Hi there",
        "What does 01001000 01101001 say in ASCII?",
        "Which character has ASCII code 77?",
        "Write HELLO as numbers with A=1 and Z=26",
        "What word do the numbers 8 5 12 12 15 spell?",
        "ASCII codes of the letters of a word",
        "Decode the hex bytes 48 69 to text",
    ),
    examples=(
        Example(
            {"text": "Hi", "notation": "binary", "direction": "encode"},
            {"result": "01001000 01101001"},
            source="RFC 20: H is 4/8 and i is 6/9",
        ),
        Example(
            {"text": "0100100001101001", "notation": "binary", "direction": "decode"}, {"result": "Hi"}, source="RFC 20"
        ),
        Example(
            {"text": "77, 111, 8364", "notation": "decimal", "direction": "decode"}, {"result": "Mo€"}, "Unicode charts"
        ),
        Example(
            {"text": "é!", "notation": "hexadecimal", "direction": "encode"},
            {"result": "c3 a9 21", "codes": ["c3", "a9", "21"]},
            source="RFC 3629",
        ),
        Example(
            {"text": "Hello you", "notation": "a1z26", "direction": "encode"},
            {"result": "8-5-12-12-15 25-15-21"},
            source="by hand: A is 1, Z is 26",
        ),
        Example(
            {"text": "8 5 12 12 15", "notation": "a1z26", "direction": "decode"}, {"result": "HELLO"}, source="by hand"
        ),
        Refusal({"text": "27 3", "notation": "a1z26", "direction": "decode"}, "1 to 26"),
        Refusal({"text": "01002", "notation": "binary", "direction": "decode"}, "These are not binary codes of a text"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_convert_codes(
    text: Annotated[str, About("Text, or codes to decode", "01001000 01101001", min_length=1, max_length=50_000)],
    notation: Annotated[
        Notation,
        About("binary, octal, hexadecimal: of UTF-8 bytes; decimal, u_plus: code points; a1z26: A is 1, Z is 26"),
    ],
    direction: Annotated[Literal["encode", "decode"], About("Encode text to codes, or decode codes to text")],
) -> Coded:
    """Write a text as binary, octal, hexadecimal or decimal codes of its letters, or as A1Z26 numbers, or read (decode)
    such codes.

    For ASCII text these are the ASCII codes. Returns the codes or the text. For Base64 and similar encodings use
    bytes_encode_text.
    """
    codes = _encode(text, notation) if direction == "encode" else _read(text, notation)
    if not codes:
        raise ToolError(f"The text contains nothing to {direction} as {notation}.")
    if direction == "decode":
        result = _decoded_words(text) if notation == "a1z26" else _decode(codes, notation)
    elif notation == "a1z26":
        result = " ".join("-".join(_encode(word, notation)) for word in text.split() if _encode(word, notation))
    else:
        result = " ".join(codes)
    return {"result": result, "codes": codes[:5000]}


@tool(
    tags="letter sum value gematria numerology scrabble score word a=1 digital root points",
    use_when=(
        "What is the letter value sum of CAB with A=1?",
        "Scrabble score of QUIZ",
        "What is my name worth in numerology?",
        "Add up the alphabet positions of the letters of a word",
        "Scrabble score",
    ),
    examples=(
        Example({"text": "CAB"}, {"sum": 6, "words": [{"word": "CAB", "values": [3, 1, 2], "sum": 6}]}, "3 + 1 + 2"),
        Example({"text": "quiz", "system": "scrabble"}, {"sum": 22}, source="rules of Scrabble: 10 + 1 + 1 + 10"),
        Example({"text": "John", "system": "pythagorean"}, {"sum": 20, "digital_root": 2}, source="1 + 6 + 8 + 5"),
        Example({"text": "az", "system": "reverse"}, {"sum": 27}, source="26 + 1"),
        Refusal({"text": "123"}, "letters A to Z"),
    ),
    reply={
        "words.1": "The sum is {sum}: {words}",
        "": "The sum is {sum}, with a digital root of {digital_root}.",
    },
)
def text_sum_letters(
    text: Annotated[str, About("Word, name or phrase", "QUIZ", min_length=1, max_length=20_000)],
    system: Annotated[
        System, About("a1z26: A is 1, Z is 26; reverse: A is 26; scrabble: English tiles; pythagorean: 1 to 9 repeated")
    ] = "a1z26",
) -> LetterSum:
    """Add up the values of the letters of a word: alphabet positions, Scrabble points or numerology.

    Accents and case are ignored. Returns the sum, its digital root, and the value of each letter by word.
    """
    words = [(word, [_VALUES[system](one) for one in _letters(word)]) for word in text.split()]
    total = sum(sum(values) for _, values in words)
    if not total:
        raise ToolError("The text has no letters A to Z. Give a word or name.")
    return {
        "sum": total,
        "digital_root": 1 + (total - 1) % 9,
        "words": [{"word": word, "values": values, "sum": sum(values)} for word, values in words[:1000]],
    }


def _letters(text: str) -> list[str]:
    return [one for one in without_accents(text).lower() if one in string.ascii_lowercase]


def _place(letter: str) -> int:
    return ord(letter) - ord("a") + 1


_VALUES: Mapping[str, Callable[[str], int]] = {
    "a1z26": _place,
    "reverse": lambda letter: 27 - _place(letter),
    "scrabble": lambda letter: next(value for letters, value in _SCRABBLE.items() if letter in letters),
    "pythagorean": lambda letter: 1 + (_place(letter) - 1) % 9,
}


def _encode(text: str, notation: str) -> list[str]:
    """Return the codes of the characters or bytes of a text."""
    if notation == "a1z26":
        return [str(_place(letter)) for letter in _letters(text)]
    if notation == "decimal":
        return [str(ord(one)) for one in text]
    if notation == "u_plus":
        return [f"U+{ord(one):04X}" for one in text]
    return [format(byte, _FORMS[notation]) for byte in text.encode()]


def _read(text: str, notation: str) -> list[str]:
    """Return the codes in a text, regardless of separators and prefixes."""
    if notation in _BASES:
        bare = re.sub(r"(?i)0[xbo](?=[0-9a-f])|\\[xo]?", " ", text)
        found = re.findall(r"[^\s,;:|_-]+", bare)
        return [part for run in found for part in _cut(run, _WIDTHS[notation])]
    return re.findall(r"(?i)(?<=u\+)[0-9a-f]{4,6}" if notation == "u_plus" else r"\d+", text)


def _cut(run: str, width: int) -> list[str]:
    """Split codes written without a separator, each of the full width."""
    if len(run) <= width or len(run) % width:
        return [run]
    return [run[place : place + width] for place in range(0, len(run), width)]


def _decode(codes: Sequence[str], notation: str) -> str:
    """Decode codes to text. Raises `ToolError` for an invalid one."""
    try:
        if notation in _BASES:
            return bytes(int(code, _BASES[notation]) for code in codes).decode()
        text = "".join(chr(int(code, 16 if notation == "u_plus" else 10)) for code in codes)
        text.encode()
    except UnicodeDecodeError as error:
        raise ToolError("The bytes are not UTF-8 text. Choose decimal if the codes are code points.") from error
    except (ValueError, OverflowError) as error:
        raise ToolError(
            f"These are not {notation} codes of a text. Check the digits, or specify another notation."
        ) from error
    return text


def _decoded_words(text: str) -> str:
    """Decode A1Z26 numbers to letters. If hyphens or commas separate letters, spaces separate words; otherwise a slash
    does.
    """
    words = re.split(r"\s+" if re.search(r"\d[-.]\d", text) else r"\s*[/|\n]\s*", text.strip())
    numbers = [[int(number) for number in re.findall(r"\d{1,9}", word)] for word in words]
    if any(not 1 <= number <= 26 for word in numbers for number in word):
        raise ToolError("Letters are the numbers 1 to 26, A to Z. There is another number among these.")
    return " ".join("".join(string.ascii_uppercase[number - 1] for number in word) for word in numbers)
