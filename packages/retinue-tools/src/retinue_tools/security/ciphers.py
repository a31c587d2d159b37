"""Classical ciphers, for puzzles and teaching: they protect nothing."""

import math
import string
from collections.abc import Iterator
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

LETTERS = string.ascii_uppercase
_PERCENTS = (
    "8.167 1.492 2.782 4.253 12.702 2.228 2.015 6.094 6.966 0.153 0.772 4.025 2.406 "
    "6.749 7.507 1.929 0.095 5.987 6.327 9.056 2.758 0.978 2.360 0.150 1.974 0.074"
)
_SHARES = dict(zip(LETTERS, map(float, _PERCENTS.split()), strict=True))
"""Frequencies of English letters in percent: Beker and Piper, Cipher Systems."""

Short = Annotated[str, About("Text", "ATTACKATDAWN", min_length=1, max_length=20_000)]
Direction = Annotated[Literal["encrypt", "decrypt"], About("Encrypt or decrypt")]


class CipherText(TypedDict):
    """Result of a cipher."""

    result: Annotated[str, About("Resulting text; Playfair and columns return only capital letters")]


@tool(
    tags="caesar vigenere rot13 rot47 atbash affine rail fence playfair beaufort columnar cipher encrypt decrypt",
    use_when=(
        "Encrypt ATTACKATDAWN with Vigenère and the key LEMON",
        "Decode this ROT13 text",
        "Playfair cipher with the key playfair example",
        "Decode ROT13 or a Caesar shift of 3",
        "Write in secret code",
    ),
    examples=(
        Example(
            {"text": "Attack at dawn", "cipher": "vigenere", "key": "LEMON"},
            {"result": "Lxfopv ef rnhr"},
            source="Wikipedia, Vigenère cipher",
        ),
        Example(
            {"text": "THE QUICK BROWN FOX", "cipher": "caesar", "key": "23"},
            {"result": "QEB NRFZH YOLTK CLU"},
            source="Wikipedia, Caesar cipher",
        ),
        Example(
            {"text": "hide the gold in the tree stump", "cipher": "playfair", "key": "playfair example"},
            {"result": "BMODZBXDNABEKUDMUIXMMOUVIF"},
            source="Wikipedia, Playfair cipher",
        ),
        Example(
            {"text": "WECRLTEERDSOEEFEAOCAIVDEN", "cipher": "rail_fence", "key": "3", "direction": "decrypt"},
            {"result": "WEAREDISCOVEREDFLEEATONCE"},
            source="Wikipedia, Rail fence cipher (older version)",
        ),
        Example({"text": "AFFINE CIPHER", "cipher": "affine", "key": "5,8"}, {"result": "IHHWVC SWFRCP"}, "Wikipedia"),
        Example(
            {"text": "EVLNACDTESEAROFODEECWIREE", "cipher": "columnar", "key": "ZEBRAS", "direction": "decrypt"},
            {"result": "WEAREDISCOVEREDFLEEATONCE"},
            source="Wikipedia, Transposition cipher: the irregular case",
        ),
        Example({"text": "Hello", "cipher": "atbash"}, {"result": "Svool"}, source="by hand"),
        Refusal({"text": "a", "cipher": "vigenere"}, "key of letters"),
        Refusal({"text": "a", "cipher": "affine", "key": "13,1"}, "no common factor"),
    ),
    reply={
        "args.direction": "The {args.direction}ed text: {result}",
        "": "The encrypted text: {result}",
    },
)
def cipher_apply_classical(
    text: Short,
    cipher: Annotated[
        Literal[
            "caesar", "rot13", "rot47", "atbash", "vigenere", "beaufort", "affine", "rail_fence", "columnar", "playfair"
        ],
        About("Cipher"),
    ],
    key: Annotated[
        str,
        About(
            "Shift, number of rails, keyword, or a,b of affine; none for rot13, rot47, atbash", "LEMON", max_length=200
        ),
    ] = "",
    direction: Direction = "encrypt",
) -> CipherText:
    """Encrypt or decrypt with a classical cipher: Caesar, Vigenère, Playfair, rail fence and others.

    Use it for puzzles and lessons. Letters outside A to Z are unchanged.
    """
    back = direction == "decrypt"
    match cipher:
        case "caesar" | "rot13":
            shift = 13 if cipher == "rot13" else _number(key)
            return {"result": _map(text, 1, -shift if back else shift)}
        case "rot47":
            return {"result": "".join(chr(33 + (ord(sign) + 14) % 94) if "!" <= sign <= "~" else sign for sign in text)}
        case "atbash":
            return {"result": _map(text, -1, 25)}
        case "affine":
            return {"result": _affine(text, key, back)}
        case "vigenere" | "beaufort":
            return {"result": _key(text, _letters(key), cipher, back)}
        case "rail_fence":
            rails = _number(key)
            return {"result": _move(text, _fence(len(text), rails), back)}
        case "columnar":
            return {"result": _move(_plain(text), _columns(len(_plain(text)), _letters(key)), back)}
        case _:
            return {"result": _playfair(_plain(text), _letters(key), back)}


def _number(key: str) -> int:
    if not key.strip().removeprefix("-").isdecimal() or len(key) > 9:
        raise ToolError("This cipher needs a whole number as its key, such as 3.")
    return int(key)


def _letters(key: str) -> list[int]:
    letters = [LETTERS.index(sign) for sign in key.upper() if sign in LETTERS]
    if not letters:
        raise ToolError("This cipher needs a key of letters, such as LEMON.")
    return letters


def _plain(text: str) -> str:
    return "".join(sign for sign in text.upper() if sign in LETTERS)


def _turn(sign: str, place: int) -> str:
    letter = LETTERS[place % 26]
    return letter if sign.isupper() else letter.lower()


def _map(text: str, factor: int, shift: int) -> str:
    return "".join(
        _turn(sign, factor * LETTERS.index(sign.upper()) + shift) if sign.isascii() and sign.isalpha() else sign
        for sign in text
    )


def _affine(text: str, key: str, back: bool) -> str:
    first, _, second = key.partition(",")
    factor, shift = _number(first), _number(second)
    if math.gcd(factor, 26) != 1:
        raise ToolError("The first number of an affine key must have no common factor with 26.")
    if back:
        inverse = pow(factor, -1, 26)
        return _map(text, inverse, -inverse * shift)
    return _map(text, factor, shift)


def _key(text: str, key: list[int], cipher: str, back: bool) -> str:
    result, used = [], 0
    for sign in text:
        if not (sign.isascii() and sign.isalpha()):
            result.append(sign)
            continue
        step, place = key[used % len(key)], LETTERS.index(sign.upper())
        moved = step - place if cipher == "beaufort" else place - step if back else place + step
        result.append(_turn(sign, moved))
        used += 1
    return "".join(result)


def _fence(size: int, rails: int) -> list[int]:
    if not 2 <= rails <= 1000:
        raise ToolError("The key of a rail fence is the number of rails, from 2 to 1000.")
    cycle = 2 * rails - 2
    return sorted(range(size), key=lambda place: (min(place % cycle, cycle - place % cycle), place))


def _columns(size: int, key: list[int]) -> list[int]:
    order = sorted(range(len(key)), key=lambda column: (key[column], column))
    return [place for column in order for place in range(column, size, len(key))]


def _move(text: str, order: list[int], back: bool) -> str:
    if not back:
        return "".join(text[place] for place in order)
    result = [""] * len(text)
    for sign, place in zip(text, order, strict=True):
        result[place] = sign
    return "".join(result)


def _playfair(text: str, key: list[int], back: bool) -> str:
    """The square omits J, which is written as I."""
    square = list(dict.fromkeys(LETTERS[place].replace("J", "I") for place in [*key, *range(26)]))
    step = -1 if back else 1
    result = []
    for left, right in _pairs(text.replace("J", "I")):
        (row, column), (other_row, other_column) = (divmod(square.index(sign), 5) for sign in (left, right))
        if row == other_row:
            places = (row, column + step), (row, other_column + step)
        elif column == other_column:
            places = (row + step, column), (other_row + step, column)
        else:
            places = (row, other_column), (other_row, column)
        result += [square[line % 5 * 5 + place % 5] for line, place in places]
    return "".join(result)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        left, right = text[place], text[place + 1 : place + 2]
        filler = "Q" if left == "X" else "X"
        if right and right != left:
            yield left, right
            place += 2
        else:
            yield left, filler
            place += 1


class Candidate(TypedDict):
    """A possible decryption of a ciphertext."""

    key: Annotated[str, About("Key: the shift, the byte in hexadecimal, or the word")]
    text: Annotated[str, About("Resulting text")]
    score: Annotated[float, About("Distance from English per letter (chi-squared); lower is better")]


class Candidates(TypedDict):
    """Candidates, best first."""

    candidates: Annotated[list[Candidate], About("Candidates, at most five")]


@tool(
    tags="break caesar vigenere xor cipher crack frequency analysis ctf decode unknown key",
    use_when=(
        "Crack this Caesar cipher without the key",
        "Which single byte was this hex text XORed with?",
        "Break a Vigenère cipher",
    ),
    examples=(
        Example(
            {"ciphertext": "QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD"},
            {"candidates": [{"key": "23", "text": "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG"}]},
            source="Wikipedia, Caesar cipher",
        ),
        Example(
            {
                "ciphertext": "1b37373331363f78151b7f2b783431333d78397828372d363c78373e783a393b3736",
                "cipher": "xor_byte",
            },
            {"candidates": [{"key": "58", "text": "Cooking MC's like a pound of bacon"}]},
            source="the Cryptopals challenges, set 1, challenge 3",
        ),
        Refusal({"ciphertext": "xyz", "cipher": "xor_byte"}, "hexadecimal"),
        Refusal({"ciphertext": "123"}, "letters"),
    ),
    reply={
        "candidates.0.text, candidates.0.key": (
            "The text most likely reads \u201c{candidates.0.text}\u201d; the key is {candidates.0.key}."
        ),
        "candidates": "The most likely texts: {candidates}",
        "": "I could not break the cipher.",
    },
    pace="normal",
)
def cipher_break_text(
    ciphertext: Annotated[str, About("Ciphertext; for xor_byte in hexadecimal", "QEB NRFZH", max_length=20_000)],
    cipher: Annotated[Literal["caesar", "xor_byte", "vigenere"], About("Cipher used for encryption")] = "caesar",
    most: Annotated[int, About("Number of candidates", minimum=1, maximum=5)] = 1,
) -> Candidates:
    """Break a Caesar, single-byte XOR or Vigenère cipher by the frequency of letters in English.

    Use it for puzzles. For short texts, request several candidates.
    """
    readings = _xor(ciphertext) if cipher == "xor_byte" else _shift(ciphertext, cipher)
    best = sorted(readings, key=lambda reading: reading["score"])[:most]
    return {"candidates": best}


def _shift(text: str, cipher: str) -> list[Candidate]:
    plain = _plain(text)
    if not plain:
        raise ToolError("The text contains no letters.")
    if cipher == "caesar":
        return [_candidate(str(shift), _map(text, 1, -shift)) for shift in range(26)]
    keys = (_likely(plain, size) for size in range(1, min(20, len(plain) // 2 or 1) + 1))
    # Longer keys fit by chance, so each additional letter must improve the result.
    return [
        candidate | {"score": round(candidate["score"] * (1 + 0.05 * len(key)), 4)}
        for key in keys
        for candidate in [_candidate("".join(LETTERS[step] for step in key), _key(text, key, "vigenere", back=True))]
    ]


def _likely(plain: str, size: int) -> list[int]:
    columns = (plain[start::size] for start in range(size))
    return [min(range(26), key=lambda shift: _distance(_map(column, 1, -shift))) for column in columns]


def _xor(text: str) -> list[Candidate]:
    try:
        content = bytes.fromhex(text)
    except ValueError as error:
        raise ToolError("The ciphertext is not hexadecimal.") from error
    readings = []
    for key in range(256):
        decoded = bytes(byte ^ key for byte in content).decode("latin-1")
        odd = sum(not (" " <= sign <= "~" or sign in "\n\r\t") for sign in decoded)
        signs = sum(not (sign.isalpha() or sign == " ") for sign in decoded)
        candidate = _candidate(f"{key:02x}", decoded)
        readings.append(candidate | {"score": round(candidate["score"] + 10 * odd + signs, 4)})
    return readings


def _candidate(key: str, text: str) -> Candidate:
    return {"key": key, "text": text, "score": round(_distance(_plain(text)), 4)}


def _distance(plain: str) -> float:
    """Return Pearson's chi-squared relative to English, per letter."""
    if not plain:
        return 1000.0
    expected = {letter: len(plain) * share / 100 for letter, share in _SHARES.items()}
    return sum((plain.count(letter) - count) ** 2 / count for letter, count in expected.items()) / len(plain)
