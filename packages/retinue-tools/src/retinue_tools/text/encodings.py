"""Character encodings: detection, conversion, and repair of mojibake."""

import codecs
import re
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, OutputFile, Refusal, ToolError, save, tool

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_GUESSES = (
    "cp1252", "cp1250", "cp1251", "cp1253", "koi8-r", "cp866", "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr",
    "mac_roman",
)  # fmt: skip
_COMMON = (
    "etaoinsrhldcumfpgwybvkàáâãäåæçèéêëìíîïñòóôöøùúûüßœąćęłńśźżčďěňřšťůžőű€\u2013—\u2018\u2019“”„«»°§"
    "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфαεοιτνσρκλπμυχωάέήίόύώ"
)
"""Characters that are common in the languages of Europe."""
_MOST_BYTES = 20 * 2**20

Encoding = Literal[
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", "iso-8859-1", "iso-8859-2",
    "iso-8859-5", "iso-8859-7", "iso-8859-9", "iso-8859-15", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254",
    "cp437", "cp850", "cp866", "koi8-r", "koi8-u", "mac_roman", "shift_jis", "euc_jp", "iso2022_jp", "gb18030",
    "big5", "euc_kr",
]  # fmt: skip


class Recoded(TypedDict):
    """A converted file."""

    file: OutputFile
    characters: Annotated[int, About("Number of code points in the text")]
    bytes: Annotated[int, About("Size of the new file")]
    replaced: Annotated[int, About("Characters that the new encoding does not support, written as ?")]


class Guess(TypedDict):
    """A possible encoding of a file."""

    encoding: Annotated[str, About("Name of the encoding")]
    score: Annotated[float, About("Score from 0 to 1: how common the resulting characters are; 1 is certain")]


class FileEncoding(TypedDict):
    """Encoding of a file."""

    encoding: Annotated[str, About("Most likely encoding")]
    certain: Annotated[bool, About("Whether it is certain, because of a byte order mark or valid UTF-8")]
    guesses: Annotated[list[Guess], About("The three most likely encodings")]
    line_endings: Annotated[str, About("LF, CRLF, CR, mixed or none")]
    preview: Annotated[str, About("First 300 characters in that encoding")]


@tool(
    tags="encoding convert charset utf-8 latin-1 windows-1252 utf-16 reencode file iconv line endings",
    use_when=(
        "Convert this Windows-1252 file to UTF-8",
        "Save the export as UTF-16 for Excel",
        "Re-encode a Shift JIS text file and use Unix line endings",
    ),
    examples=(
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za", "source": "cp1252", "target": "utf-8"},
            {"characters": 6, "bytes": 9, "replaced": 0},
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "Y2Fm6SCA"},
            source="by hand: caf\u00e9 \u20ac; é takes two bytes in UTF-8, € three (RFC 3629): 3 + 2 + 1 + 3",
        ),
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za", "source": "utf-8", "target": "ascii", "line_endings": "lf"},
            {"characters": 4, "bytes": 4, "replaced": 1},
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "YQ0Kw6kK"},
            source="by hand: a, é and two line ends, of which one was CR LF",
        ),
        Refusal(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za", "source": "utf-8", "target": "ascii"},
            "not valid utf-8",
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "Y2Fm6SCA"},
        ),
    ),
    reply={
        "replaced": "{replaced|character} could not be written in {args.target} and became question marks: {file}",
        "": "The file in {args.target}: {file}",
    },
)
def text_convert_encoding(
    file: File,
    source: Annotated[Encoding, About("Current encoding of the file")],
    target: Annotated[Encoding, About("Target encoding")],
    line_endings: Annotated[Literal["keep", "lf", "crlf"], About("Target line endings")] = "keep",
) -> Recoded:
    """Convert a text file from one character encoding to another, and optionally its line endings.

    Returns a new file, and the number of characters that the new encoding does not support.
    """
    text = _decode(_bytes(file), source)
    if line_endings != "keep":
        text = re.sub("\r\n|\r|\n", "\n" if line_endings == "lf" else "\r\n", text)
    content = text.encode(target, "replace")
    lost = sum(not _fits(one, target) for one in text) if content != text.encode(target, "ignore") else 0
    return {
        "file": save(f"text-{target}.txt", content),
        "characters": len(text),
        "bytes": len(content),
        "replaced": lost,
    }


@tool(
    tags="encoding detect charset guess file utf-8 windows-1252 bom line endings mojibake",
    use_when=(
        "Which encoding has this text file?",
        "Why does my CSV show é instead of é?",
        "Does the file use CRLF line endings or a byte order mark?",
    ),
    examples=(
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za"},
            {"encoding": "utf-8", "certain": True, "line_endings": "CRLF", "preview": "café\r\n"},
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "Y2Fmw6kNCg=="},
            source="by hand: c3 a9 is é in UTF-8",
        ),
        Example(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za"},
            {"encoding": "cp1251", "certain": False, "preview": "Привет, как дела?"},
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "z/Do4uXyLCDq4Oog5OXr4D8="},
            source="a Russian greeting in Windows-1251",
        ),
        Refusal(
            {"file": "file_01k9z4m2n8q6r5t3v7w1x0y2za"},
            "is not text in a known encoding",
            files={"file_01k9z4m2n8q6r5t3v7w1x0y2za": "AAECAAMEAAUG"},
        ),
    ),
    reply={
        "certain": "The encoding is {encoding}, for certain (line ends: {line_endings}).",
        "": "The encoding is most likely {encoding} (line ends: {line_endings}).",
    },
)
def text_detect_encoding(file: File) -> FileEncoding:
    """Detect the character encoding and the line endings of a text file.

    Byte order marks and UTF-8 are certain; older encodings are guessed by how common the resulting characters are.
    Returns the encoding, other guesses and a preview.
    """
    content = _bytes(file)
    certain = next((name for mark, name in _MARKS if content.startswith(mark)), "")
    if not certain and _is_valid(content, "utf-8") and b"\0" not in content:
        certain = "ascii" if content.isascii() else "utf-8"
    guesses: list[Guess] = [{"encoding": certain, "score": 1.0}] if certain else _guesses(content[:200_000])
    text = content[:4000].decode(guesses[0]["encoding"], "replace")
    return {
        "encoding": guesses[0]["encoding"],
        "certain": bool(certain),
        "guesses": guesses[:3],
        "line_endings": _line_endings(content.decode(guesses[0]["encoding"], "replace")),
        "preview": text[:300],
    }


def _guesses(content: bytes) -> list[Guess]:
    encodings = [*_GUESSES, "utf-16-le", "utf-16-be"] if b"\0" in content else list(_GUESSES)
    scores = {name: _usual(content.decode(name)) for name in encodings if _is_valid(content, name)}
    best = sorted(scores.items(), key=lambda item: -item[1])
    if not best or best[0][1] < 0.3:
        raise ToolError("The file is not text in a known encoding; it may be an image, archive or other binary file.")
    return [{"encoding": name, "score": round(score, 4)} for name, score in best]


def _usual(text: str) -> float:
    """Return how common the characters beyond ASCII are; words with inner case changes do not count."""
    foreign = [one for one in text if not one.isascii()]
    if any(ord(one) < 32 and one not in "\t\n\r\f" for one in text):
        return 0.0
    wide = sum(
        "\u3040" <= one <= "\u30ff" or "\u4e00" <= one <= "\u9fff" or "\uac00" <= one <= "\ud7a3" for one in foreign
    )
    usual = sum(one.lower() in _COMMON for one in foreign)
    odd = len(
        re.findall(
            r"[a-z\u0430-яα-ωà-ÿ][A-Z\u0410-ЯΑ-ΩÀ-Þ]|[a-zA-Z][\u0430-яА-Яα-ωΑ-Ω]|[\u0430-яА-Яα-ωΑ-Ω][a-zA-Z]", text
        )
    )
    vowels = len(re.findall("[аеиоуыэюяєіїαεηιοωυ]", text)) if re.search("[\u0430-яα-ω]", text) else len(foreign) / 3
    balance = min(1.0, 3 * vowels / max(len(foreign), 1))
    return max(0.0, (0.9 * wide + usual * balance - 2 * odd) / max(len(foreign), 1))


def _line_endings(text: str) -> str:
    found = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}
    kinds = {found[ending] for ending in re.findall("\r\n|\n|\r", text)}
    return "mixed" if len(kinds) > 1 else next(iter(kinds), "none")


def _is_valid(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _decode(content: bytes, encoding: Encoding) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise ToolError(f"The file is not valid {encoding}: byte {error.start}. Detect its encoding first.") from error


def _fits(one: str, encoding: str) -> bool:
    try:
        one.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _bytes(file: str) -> bytes:
    content = Path(file).read_bytes()
    if len(content) > _MOST_BYTES:
        raise ToolError("The file is larger than 20 MiB. Split it first.")
    return content


_RUN = re.compile(
    "(?![\u00c4-\u00dc][\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u00bb](?![^\\W\\d_]|[^\\x00-\\x7f]))[^\\x00-\\x7f]{2,}"
)
"""Adjacent characters beyond ASCII, unless they are a capital with a closing mark, as at the end of a quotation."""
_UNLIKELY = re.compile("[\u0500-\u058f\u0700-\u07ff]")
"""Results of a letter and a closing mark such as ß“: rarely used scripts."""


class Repaired(TypedDict):
    """A repaired text."""

    result: Annotated[str, About("The text")]
    changed: Annotated[bool, About("Whether anything was repaired")]
    steps: Annotated[list[str], About("Encodings with which it was wrongly decoded, in the order of repair")]


@tool(
    tags="mojibake repair fix garbled encoding utf-8 latin-1 windows-1252 broken characters ftfy",
    use_when=(
        "Fix the garbled text 'CafÃ© â€“ naÃ¯ve'",
        "Why does my text show â€™ instead of an apostrophe?",
        "Repair umlauts that look like Ã¼",
    ),
    examples=(
        Example(
            {"text": "CafÃ© â€“ itâ€™s naÃ¯ve"},
            {"result": "Café \u2013 it\u2019s naïve", "changed": True, "steps": ["cp1252"]},
            source="by hand: UTF-8 read as Windows-1252",
        ),
        Example(
            {"text": "Schöne Grüße"}, {"result": "Schöne Grüße", "changed": False, "steps": []}, source="it is sound"
        ),
        Refusal({"text": ""}, "text"),
    ),
    reply={
        "changed": "The repaired text: {result}",
        "": "The text needs no repair: {result}",
    },
)
def text_repair_mojibake(
    text: Annotated[str, About("Garbled text", "CafÃ©", min_length=1, max_length=200_000)],
) -> Repaired:
    """Repair (fix) UTF-8 text that was read as Windows-1252, Latin-1 or similar, once or several times (mojibake).

    Correct parts are unchanged. Returns the text and the wrongly used encodings.
    """
    result, steps = text, []
    for _ in range(3):
        for encoding in ("cp1252", "iso-8859-1", "mac_roman"):
            mended = _mend(result, encoding)
            if mended != result:
                result = mended
                steps.append(encoding)
                break
        else:
            break
    return {"result": result, "changed": result != text, "steps": steps}


def _mend(text: str, encoding: str) -> str:
    """Decode each run of characters that is valid UTF-8 in that encoding."""
    return _RUN.sub(lambda match: _reread(match[0], encoding), text)


def _reread(run: str, encoding: str) -> str:
    raw = b"".join(_byte(one, encoding) for one in run)
    try:
        mended = raw.decode("utf-8")
    except UnicodeDecodeError:
        return run
    return run if _UNLIKELY.search(mended) else mended


def _byte(one: str, encoding: str) -> bytes:
    """Return the byte of a character; the five bytes undefined in Windows-1252 appear as control characters."""
    try:
        return one.encode(encoding)
    except UnicodeEncodeError:
        return bytes([ord(one)]) if "\x80" <= one <= "\x9f" else b"\xff"
