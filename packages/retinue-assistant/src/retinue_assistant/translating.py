"""Lets the model translate a request into English, in which tools are searched, with the help of a glossary.

A small model knows the grammar of a German, Spanish or French request, but not the words of tools: "Wirf eine Münze"
became "Weff a coin". Words of `prompts/glossary.tsv` therefore stand beside the request with their translations.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from retinue.language.language_detection import language_of_request
from retinue.models.base import Message
from retinue_assistant.few_shot import few_shot_prompt
from retinue_assistant.numbers import digits_in
from retinue_assistant.schemas import one_field

TRANSLATION = one_field("english", {"type": "string"})
"""The JSON Schema of a translation."""
GLOSSARY = Path(__file__).parent / "prompts" / "glossary.tsv"
"""A word of requests on each line: in English, and its forms in `_LANGUAGES`."""
_LANGUAGES = ("de", "es", "fr")
"""The languages of the columns after the English one. Forms of a word are separated by "|"."""
_QUOTATION = re.compile(
    r"\"[^\"\n]{0,400}\"|\u201c[^\u201c\u201d\n]{0,400}\u201d|\u201e[^\u201c\u201d\n]{0,400}[\u201c\u201d]"
    r"|\u00ab[^\u00bb\n]{0,400}\u00bb|'[^'\n]{0,400}'"
)
_DATA = re.compile(r":\s+(?=\S)|\n")


def split_data(request: str) -> tuple[str, str]:
    """Return what a request asks, and the data after its first colon or line, which stay as they are."""
    found = _DATA.search(request)
    return (request[: found.end()].rstrip(), request[found.end() :]) if found else (request, "")


def translation_prompt(request: str) -> list[Message]:
    """Build the prompt that translates a request without data."""
    system, *turns = few_shot_prompt("translate", request)
    return [
        system,
        *(Message(one.role, with_glossary(one.content) if one.role == "user" else one.content) for one in turns),
    ]


def with_glossary(request: str) -> str:
    """Return a request with the translations of its words that the glossary has, on a line below."""
    hints = ", ".join(f"{word} = {english}" for word, english in _known_words(request))
    return f"{request}\n({hints})" if hints else request


def checked_translation(answer: Mapping[str, Any], request: str) -> str:
    """Return the translation with the quotations of the request, or the request itself if the numbers differ.

    Words of the glossary that the model left as they are become English.
    """
    text = str(answer.get("english", "")).strip()
    if not text or digits_in(text) != digits_in(request):
        return request
    if request.endswith(":"):
        text = f"{text.rstrip('.:!? ')}:"
    for word, english in _known_words(request):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", english, text)
    return _with_quotations(text, _QUOTATION.findall(request))


def _known_words(request: str) -> list[tuple[str, str]]:
    """Return the words of a request that the glossary has, in order, each with its translation."""
    forms = _forms().get(language_of_request(request) or "", {})
    text, found = request.lower(), list[tuple[int, str, str]]()
    for form, english in forms.items():
        if form in text and (place := re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text)):
            begin, end = place.span()
            found.append((begin, request[begin:end], english))
            text = f"{text[:begin]}{' ' * (end - begin)}{text[end:]}"
    return [(word, english) for _, word, english in sorted(found)]


def _with_quotations(text: str, quotations: Sequence[str]) -> str:
    places = list(_QUOTATION.finditer(text))
    if len(places) != len(quotations):
        return text
    for place, quotation in reversed([*zip(places, quotations, strict=True)]):
        text = f"{text[: place.start()]}{quotation}{text[place.end() :]}"
    return text


@cache
def _forms() -> Mapping[str, Mapping[str, str]]:
    """Return the English words by the forms of each language, the longest first."""
    rows = [line.split("\t") for line in GLOSSARY.read_text(encoding="utf-8").splitlines()]
    found: dict[str, dict[str, str]] = {}
    for language, column in zip(_LANGUAGES, range(1, len(_LANGUAGES) + 1), strict=True):
        forms = [(form, row[0]) for row in reversed(rows) for form in row[column].split("|")]
        found[language] = dict(sorted(dict(forms).items(), key=lambda one: -len(one[0])))
    return found
