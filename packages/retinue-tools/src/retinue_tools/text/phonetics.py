"""Phonetic codes of names."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text.transliteration import without_accents

_SOUNDEX = {
    letter: str(digit) for digit, group in enumerate(["BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"], 1) for letter in group
}

System = Literal["soundex", "cologne", "nysiis"]


class Coded(TypedDict):
    """A name with its code."""

    name: Annotated[str, About("Name as given")]
    code: Annotated[str, About("Phonetic code in the chosen system")]


class SoundCodes(TypedDict):
    """Names with their codes."""

    codes: Annotated[list[Coded], About("Names in order")]
    alike: Annotated[list[list[str]], About("Groups of different names with the same code")]


@tool(
    tags="phonetic soundex cologne nysiis sounds like names genealogy homophone",
    use_when=(
        "What is the Soundex code of Tymczak?",
        "Which of these surnames sound alike: Meyer, Maier, Müller, Mueller?",
        "Group names by pronunciation for a genealogy search",
    ),
    examples=(
        Example(
            {"names": ["Robert", "Rupert", "Rubin", "Ashcraft", "Tymczak", "Pfister", "Honeyman"], "system": "soundex"},
            {
                "codes": [{"code": code} for code in ("R163", "R163", "R150", "A261", "T522", "P236", "H555")],
                "alike": [["Robert", "Rupert"]],
            },
            source="US National Archives, Soundex; Wikipedia, Soundex: its examples",
        ),
        Example(
            {"names": ["Müller-Lüdenscheidt", "Wikipedia", "Breschnew"], "system": "cologne"},
            {"codes": [{"code": "65752682"}, {"code": "3412"}, {"code": "17863"}]},
            source="Wikipedia, Kölner Phonetik: its examples",
        ),
        Example(
            {"names": ["Macdonald", "Knight", "Phillips"], "system": "nysiis"},
            {"codes": [{"code": "MCDANALD"}, {"code": "NAGT"}, {"code": "FALAP"}]},
            source="the rules of NYSIIS (Taft 1970), worked by hand",
        ),
        Refusal({"names": ["123"], "system": "soundex"}, "no Latin letters"),
    ),
    reply={
        "codes.1, alike": "These sound alike: {alike}",
        "codes.1": "None of the names sound alike: {codes}",
        "": "The code is {codes.0.code}.",
    },
)
def text_encode_phonetic(
    names: Annotated[
        list[Annotated[str, About("A name", max_length=100)]],
        About("The names", ["Meyer", "Maier"], min_items=1, max_items=2000),
    ],
    system: Annotated[System, About("soundex and nysiis are for English names, cologne is for German ones")],
) -> SoundCodes:
    """Encode names by how they sound: American Soundex, Cologne phonetics or NYSIIS.

    Use it to find names that are spelled differently but pronounced alike. Returns the codes and the groups that
    share one.
    """
    codes: list[Coded] = [{"name": name, "code": _SYSTEMS[system](_letters(name, system))} for name in names]
    groups: dict[str, dict[str, None]] = {}
    for coded in codes:
        groups.setdefault(coded["code"], {})[coded["name"]] = None
    return {"codes": codes, "alike": [list(group) for group in groups.values() if len(group) > 1]}


def _letters(name: str, system: System) -> str:
    composed = unicodedata.normalize("NFC", name).upper()
    text = composed if system == "cologne" else without_accents(composed).upper()
    letters = re.sub("[^A-ZÄÖÜ]", "", text if system != "cologne" else _german(text))
    if not letters:
        raise ToolError(f"{name!r} has no Latin letters. Transliterate names of other scripts first.")
    return letters


def _german(text: str) -> str:
    return "".join(one if one in "ÄÖÜ" else without_accents(one).upper() for one in text)


def soundex(letters: str) -> str:
    """Soundex of the US National Archives, a letter and three digits: H and W do not separate letters with the same
    code, vowels do.
    """
    code, last = letters[0], _SOUNDEX.get(letters[0], "")
    for letter in letters[1:]:
        digit = _SOUNDEX.get(letter, "")
        if digit and digit != last:
            code += digit
        if letter not in "HW":
            last = digit
    return code[:4].ljust(4, "0")


def cologne(letters: str) -> str:
    """Hans Joachim Postel's phonetics of German (1969)."""
    digits = "".join(_cologne_digit(letters, at) for at in range(len(letters)))
    single = re.sub(r"(\d)\1+", r"\1", digits)
    return single[:1] + single[1:].replace("0", "")


def _cologne_digit(letters: str, at: int) -> str:
    letter, before, after = letters[at], letters[at - 1 : at] if at else "", letters[at + 1 : at + 2]
    if letter == "P":
        return "3" if after == "H" else "1"
    if letter in "DT":
        return "8" if after and after in "CSZ" else "2"
    if letter == "X":
        return "8" if before and before in "CKQ" else "48"
    if letter == "C":
        return _cologne_c(before, after)
    groups = {"AEIJOUYÄÖÜ": "0", "B": "1", "FVW": "3", "GKQ": "4", "L": "5", "MN": "6", "R": "7", "SZ": "8"}
    return next((digit for group, digit in groups.items() if letter in group), "")


def _cologne_c(before: str, after: str) -> str:
    if not before:
        return "4" if after and after in "AHKLOQRUX" else "8"
    return "4" if before not in "SZ" and after and after in "AHKOQUX" else "8"


def nysiis(letters: str) -> str:
    """New York State Identification and Intelligence System (1970), not truncated to six letters."""
    name = re.sub("^MAC", "MCC", letters)
    name = re.sub("^KN", "NN", name)
    name = re.sub("^K", "C", name)
    name = re.sub("^P[HF]", "FF", name)
    name = re.sub("^SCH", "SSS", name)
    name = re.sub("[EI]E$", "Y", name)
    name = re.sub("(?:DT|RT|RD|NT|ND)$", "D", name)
    key, at = name[0], 1
    while at < len(name):
        part = _nysiis_part(name, at)
        name = name[:at] + part + name[at + len(part) :]
        key += part[0] if part[0] != key[-1] else ""
        at += len(part) if part in {"FF", "NN", "SSS"} else 1
    key = re.sub("(?<!^)S$", "", key)
    key = re.sub("AY$", "Y", key)
    return re.sub("(?<!^)A$", "", key)


def _nysiis_part(name: str, at: int) -> str:
    """Return the code of the letters from that position on."""
    rest, before, after = name[at:], name[at - 1], name[at + 1 : at + 2]
    starts = {"EV": "AF", "KN": "NN", "SCH": "SSS", "PH": "FF"}
    for start, part in starts.items():
        if rest.startswith(start):
            return part
    letter = {"Q": "G", "Z": "S", "M": "N", "K": "C"}.get(rest[0], rest[0])
    if letter in "EIOU":
        return "A"
    if letter == "H" and (before not in "AEIOU" or not after or after not in "AEIOU"):
        return before
    return before if letter == "W" and before in "AEIOU" else letter


_SYSTEMS: Mapping[System, Callable[[str], str]] = {"soundex": soundex, "cologne": cologne, "nysiis": nysiis}
