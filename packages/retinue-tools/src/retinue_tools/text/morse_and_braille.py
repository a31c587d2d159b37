"""Letters as Morse code, Braille, and words of a spelling alphabet."""

import re
import unicodedata
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._word_lists import word_pairs
from retinue_tools.text.transliteration import without_accents

_MORSE = word_pairs(
    "A=.- B=-... C=-.-. D=-.. E=. F=..-. G=--. H=.... I=.. J=.--- K=-.- L=.-.. M=-- N=-. O=--- P=.--. Q=--.-"
    " R=.-. S=... T=- U=..- V=...- W=.-- X=-..- Y=-.-- Z=--.. 0=----- 1=.---- 2=..--- 3=...-- 4=....- 5=....."
    " 6=-.... 7=--... 8=---.. 9=----. .=.-.-.- ,=--..-- ?=..--.. '=.----. /=-..-. (=-.--. )=-.--.- :=---..."
    " +=.-.-. -=-....- @=.--.-.",
    "=",
) | {"=": "-...-", '"': ".-..-.", "!": "-.-.--", "É": "..-.."}
"""ITU-R M.1677-1, and the commonly used exclamation mark."""
_FROM_MORSE = {code: letter for letter, code in _MORSE.items()}
_ALPHABETS = {
    "nato": (
        "Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa Quebec Romeo"
        " Sierra Tango Uniform Victor Whiskey X-ray Yankee Zulu"
    ),
    "german": (
        "Aachen Berlin Chemnitz Düsseldorf Essen Frankfurt Goslar Hamburg Ingelheim Jena Köln Leipzig München Nürnberg"
        " Offenbach Potsdam Quickborn Rostock Salzwedel Tübingen Unna Völklingen Wuppertal Xanten Ypsilon Zwickau"
    ),
    "us_police": (
        "Adam Boy Charles David Edward Frank George Henry Ida John King Lincoln Mary Nora Ocean Paul Queen Robert Sam"
        " Tom Union Victor William X-ray Young Zebra"
    ),
}
_DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "niner"]
_GERMAN_DIGITS = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
_BRAILLE = dict(
    zip(
        "abcdefghijklmnopqrstuvxyzw,;:.!?'-",
        "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠭⠽⠵⠺⠂⠆⠒⠲⠖⠦⠄⠤",
        strict=True,
    )
)
_FROM_BRAILLE = {cell: letter for letter, cell in _BRAILLE.items()}
_NUMBER, _CAPITAL, _LETTER, _BLANK = "⠼", "⠠", "⠰", "⠀"
_DIGIT_LETTERS = dict(zip("1234567890", "abcdefghij", strict=True))

Direction = Literal["encode", "decode"]
Short = Annotated[str, About("The text", "SOS at 9", min_length=1, max_length=20_000)]


class Coded(TypedDict):
    """A text encoded or decoded."""

    result: Annotated[str, About("The text")]
    unknown: Annotated[
        list[str], About("Characters that the code does not support, each once; omitted from the result")
    ]


class SpelledLetter(TypedDict):
    """A character with its code word."""

    character: Annotated[str, About("The character")]
    word: Annotated[str, About("Code word")]


class SpelledText(TypedDict):
    """A spelled text."""

    spoken: Annotated[str, About("Code words on one line")]
    letters: Annotated[list[SpelledLetter], About("Code words by character")]


@tool(
    tags="morse code telegraph encode decode dots dashes sos",
    use_when=(
        "What is 'hello' in Morse code?",
        "Decode ... --- ...",
        "Translate these dots and dashes",
        "SOS in Morse code",
    ),
    examples=(
        Example(
            {"text": "Paris 73!", "direction": "encode"},
            {"result": ".--. .- .-. .. ... / --... ...-- -.-.--"},
            "ITU-R M.1677-1",
        ),
        Example(
            {"text": "\u2022\u2022\u2022 \u2013\u2013\u2013 ...   .- ........", "direction": "decode"},
            {"result": "SOS A", "unknown": ["........"]},
            "ITU-R M.1677-1",
        ),
        Refusal({"text": "abc", "direction": "decode"}, "dots and dashes"),
    ),
    reply={
        "unknown": "{result} (without {unknown})",
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_convert_morse(text: Short, direction: Annotated[Direction, About("Encode or decode")]) -> Coded:
    """Translate a text into international Morse code or back.

    Letters are separated by a space, words by a slash (three spaces are accepted too). Returns the text, and the
    unsupported characters.
    """
    if direction == "decode":
        return _from_morse(text)
    words = [without_accents(word).upper() for word in text.split()]
    unknown = dict.fromkeys(one for word in words for one in word if one not in _MORSE)
    codes = [" ".join(_MORSE[one] for one in word if one in _MORSE) for word in words]
    return {"result": " / ".join(code for code in codes if code), "unknown": list(unknown)}


@tool(
    tags="braille dots unicode blind tactile grade 1 encode decode",
    use_when=("Write 'Room 12' in braille", "What do the cells ⠓⠊ mean?", "Make a braille label text"),
    examples=(
        Example(
            {"text": "Room 12a, hi", "direction": "encode"},
            {"result": "⠠⠗⠕⠕⠍⠀⠼⠁⠃⠰⠁⠂⠀⠓⠊"},
            source="Rules of Unified English Braille, 2013: capital, numeric and grade 1 indicators",
        ),
        Example(
            {"text": "⠠⠗⠕⠕⠍⠀⠼⠁⠃⠰⠁⠂⠀⠓⠊", "direction": "decode"}, {"result": "Room 12a, hi"}, source="the same, reversed"
        ),
        Refusal({"text": "abc", "direction": "decode"}, "braille cells"),
    ),
    reply={
        "unknown": "{result} (without {unknown})",
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_convert_braille(text: Short, direction: Annotated[Direction, About("Encode or decode")]) -> Coded:
    """Translate Latin text into uncontracted (grade 1) Unified English Braille as Unicode cells, or back.

    Returns the text and the unsupported characters; accents are dropped.
    """
    if direction == "encode":
        return _to_braille(without_accents(unicodedata.normalize("NFC", text)))
    if not re.search("[\u2801-\u28ff]", text):
        raise ToolError("There are no braille cells (U+2801 to U+28FF) in the text.")
    return _from_braille(text)


@tool(
    tags="nato phonetic alphabet spelling telephone radio alfa bravo spell out",
    use_when=(
        "Spell KX7B in the NATO alphabet",
        "How do I spell my name on the telephone?",
        "Buchstabiere 'Meyer' nach DIN 5009",
    ),
    examples=(
        Example({"text": "Xj-9"}, {"spoken": "X-ray Juliett dash niner"}, source="ICAO Annex 10, volume II, 5.2.1.3"),
        Example(
            {"text": "Öl 5", "alphabet": "german"},
            {"spoken": "Umlaut Offenbach Leipzig / fünf"},
            source="DIN 5009:2022",
        ),
        Refusal({"text": " "}, "nothing to spell"),
    ),
    reply={
        "spoken": "{spoken}",
        "": "The code words: {spoken}",
    },
)
def text_spell_alphabet(
    text: Annotated[str, About("Text to spell", "KX7B", min_length=1, max_length=500)],
    alphabet: Annotated[
        Literal["nato", "german", "us_police"], About("nato is used in aviation, german is DIN 5009 (2022)")
    ] = "nato",
) -> SpelledText:
    """Spell a text letter by letter with the words of a spelling alphabet, for telephone and radio.

    Returns the code words on one line, with a slash between words of the text, and character by character.
    """
    letters: list[SpelledLetter] = [
        {"character": one, "word": _phrase(one, alphabet)} for one in unicodedata.normalize("NFC", text.strip())
    ]
    if not letters:
        raise ToolError("There is nothing to spell.")
    return {"spoken": " ".join(letter["word"] for letter in letters), "letters": letters}


def _from_morse(text: str) -> Coded:
    plain = re.sub("[\u2022\u00b7*]", ".", re.sub("[\u2013\u2014\u2212_]", "-", text)).strip()
    if not re.fullmatch(r"[.\-\s/|]*[.-][.\-\s/|]*", plain):
        raise ToolError("Morse code consists only of dots and dashes, with spaces between letters and / between words.")
    words = [word.split() for word in re.split(r"\s*[/|]\s*|\s{3,}", plain)]
    unknown = dict.fromkeys(code for word in words for code in word if code not in _FROM_MORSE)
    decoded = ["".join(_FROM_MORSE.get(code, "") for code in word) for word in words]
    return {"result": " ".join(decoded).strip(), "unknown": list(unknown)}


def _to_braille(text: str) -> Coded:
    cells, unknown, in_number = [], dict[str, None](), False
    for one in text:
        letter = _DIGIT_LETTERS.get(one, one.lower())
        is_digit = one in _DIGIT_LETTERS
        if is_digit and not in_number:
            cells.append(_NUMBER)
        if in_number and one in "abcdefghij":
            cells.append(_LETTER)
        in_number = is_digit or (in_number and one in ".,")
        if one.isspace():
            cells.append("\n" if one == "\n" else _BLANK)
        elif letter in _BRAILLE:
            cells.append((_CAPITAL if one.isupper() else "") + _BRAILLE[letter])
        else:
            unknown[one] = None
    return {"result": "".join(cells), "unknown": list(unknown)}


def _from_braille(text: str) -> Coded:
    digits = {letter: digit for digit, letter in _DIGIT_LETTERS.items()}
    result, unknown = "", dict[str, None]()
    in_number = capital = False
    for cell in text:
        letter = _FROM_BRAILLE.get(cell, "")
        if cell in {_NUMBER, _LETTER}:
            in_number = cell == _NUMBER
        elif cell == _CAPITAL:
            capital, in_number = True, False
        elif letter:
            in_number = in_number and (letter in digits or letter in ".,")
            value = digits.get(letter, letter) if in_number else letter
            result += value.upper() if capital else value
            capital = False
        elif cell == _BLANK or cell.isspace():
            result, in_number = result + (" " if cell == _BLANK else cell), False
        else:
            unknown[cell] = None
    return {"result": result, "unknown": list(unknown)}


def _phrase(one: str, alphabet: str) -> str:
    words = {word[0]: word for word in _ALPHABETS[alphabet].split()}
    if alphabet == "german":
        special = {"Ä": "Umlaut Aachen", "Ö": "Umlaut Offenbach", "Ü": "Umlaut Unna", "ß": "Eszett"}
        if one in special or one.upper() in special:
            return special.get(one) or special[one.upper()]
    if one.isascii() and one.isdigit():
        return (_GERMAN_DIGITS if alphabet == "german" else _DIGITS)[int(one)]
    signs = {" ": "/", "-": "dash", ".": "dot", "@": "at", "_": "underscore", "/": "slash", ",": "comma", "+": "plus"}
    return signs.get(one) or words.get(without_accents(one).upper()[:1]) or unicodedata.name(one, "sign").lower()
