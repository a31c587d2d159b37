"""Language and writing system of a text."""

import functools
import io
import lzma
import math
from array import array
from collections.abc import Sequence
from typing import Annotated, Any

import babel
import numpy as np
import regex
from py3langid import langid
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._word_lists import word_list

_MOST_CHARACTERS = 20_000
_SCRIPTS = word_list(
    "Latin Cyrillic Greek Han Hiragana Katakana Hangul Arabic Hebrew Devanagari Bengali Tamil Telugu Gujarati"
    " Gurmukhi Kannada Malayalam Sinhala Thai Lao Khmer Myanmar Tibetan Georgian Armenian Ethiopic Mongolian"
    " Cherokee"
)


class Candidate(TypedDict):
    """A possible language of a text."""

    language: Annotated[str, About("ISO 639-1 code")]
    name: Annotated[str, About("English name")]
    probability: Annotated[
        float, About("Probability from 0 to 1 according to the model; near 1 for most texts of at least a sentence")
    ]


class Script(TypedDict):
    """A writing system in a text."""

    script: Annotated[str, About("Unicode name of the script, or Other")]
    letters: Annotated[int, About("Number of letters in the script")]
    percent: Annotated[float, About("Share of all letters")]


class Detected(TypedDict):
    """Language of a text."""

    language: Annotated[str, About("ISO 639-1 code of the most likely language")]
    name: Annotated[str, About("English name")]
    probability: Annotated[float, About("Probability from 0 to 1 according to the model")]
    candidates: Annotated[list[Candidate], About("The five most likely languages, including the first")]
    scripts: Annotated[list[Script], About("Writing systems of the letters, most frequent first")]


@tool(
    tags="language detection identify langid which language script writing system iso 639",
    use_when=(
        "Which language is 'Hvor kommer du fra?'",
        "Detect the language of this customer message",
        "Is this text Ukrainian or Russian?",
        "Which alphabets does this text mix?",
        "What language is this?",
    ),
    examples=(
        Example(
            {"text": "Das Haus am See wurde im letzten Sommer verkauft, weil niemand mehr dort wohnen wollte."},
            {"language": "de", "name": "German", "scripts": [{"script": "Latin", "letters": 71, "percent": 100.0}]},
            source="a German sentence; letters counted by hand",
        ),
        Example(
            {"text": "Де знаходиться найближча аптека? Мені потрібні ліки.", "among": ["ru", "uk", "be"]},
            {"language": "uk", "name": "Ukrainian"},
            source="a Ukrainian sentence: \u0456 is no Russian letter",
        ),
        Refusal({"text": "12:30 +49"}, "no letters"),
        Refusal({"text": "bonjour", "among": ["xx", "yy"]}, "not supported"),
    ),
    reply={
        "name": "The language of the text is {name}.",
        "": "I cannot tell in which language the text is.",
    },
    pace="normal",
    memory_mb=1024,
)
def text_detect_language(
    text: Text,
    among: Annotated[
        list[Annotated[str, About("ISO 639-1 code", max_length=3)]] | None,
        About("Possible languages, which helps with short texts", ["de", "nl"], min_items=2, max_items=50),
    ] = None,
) -> Detected:
    """Detect in which of 142 languages a text is written, and in which scripts.

    Give at least a sentence; for a few words, specify the possible languages. Returns the most likely language, five
    candidates with probabilities, and the writing systems.
    """
    sample = text[:_MOST_CHARACTERS]
    if not any(map(str.isalpha, sample)):
        raise ToolError("The text has no letters, so its language cannot be detected.")
    candidates = _candidates(sample, among)
    best = candidates[0]
    return {**best, "candidates": candidates[:5], "scripts": _scripts(sample)}


def _candidates(text: str, among: Sequence[str] | None) -> list[Candidate]:
    ranked = _identifier().rank(text)
    scores = {str(code): float(score) for code, score in ranked if among is None or code in among}
    if not scores:
        known = " ".join(sorted(str(code) for code, _ in ranked))
        raise ToolError(f"These languages are not supported. Supported languages: {known}.")
    best = max(scores.values())
    weights = {code: math.exp(score - best) for code, score in scores.items()}
    total = sum(weights.values())
    return [
        {"language": code, "name": _name(code), "probability": round(weight / total, 6)}
        for code, weight in sorted(weights.items(), key=lambda item: -item[1])
    ]


@functools.cache
def _identifier() -> Any:
    """Return the model, decompressed in memory: the library itself decompresses into a file larger than a tool may
    write.
    """
    with lzma.open(langid.MODEL_DIR / langid.MODEL_FILE) as packed:
        model = np.load(io.BytesIO(packed.read()), allow_pickle=False)
    moves, rows = array("I", model["nextmove"].tobytes()), array("H", model["nextmove_row"].tobytes())
    classes, output = model["classes"].tolist(), model["out_feat"].tolist()
    return langid.LanguageIdentifier(model["ptc"], model["pc"], classes, moves, output, tk_row=rows)


def _name(code: str) -> str:
    return str(babel.Locale("en").languages.get(code, code))


def _scripts(text: str) -> list[Script]:
    letters = regex.sub(r"\P{L}+", "", text)
    counts = {script: len(pattern.findall(letters)) for script, pattern in _patterns().items()}
    counts["Other"] = len(letters) - sum(counts.values())
    return [
        {"script": script, "letters": count, "percent": round(100 * count / len(letters), 2)}
        for script, count in sorted(counts.items(), key=lambda item: -item[1])
        if count
    ]


@functools.cache
def _patterns() -> dict[str, Any]:
    return {script: regex.compile(rf"\p{{Script={script}}}") for script in _SCRIPTS}
