"""The catalogues of the user interface are whole, and their translations fit where the messages stand."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from babel.messages import Catalog, Message

from retinue.language.translation import LANGUAGES, SOURCE
from scripts.translations import METHODS, catalogue_of, extract_messages

PARTS = re.compile(r"%\(\w+\)s|%%|\{\w+\}|</?[a-z][^<>]*>|`[^`]+`|&\w+;")
"""Values, tags and code: a translation has the same as the message."""

SOME = 12
"""How many faults a failure lists."""


def forms(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the message and its translation; of a plural, each of its two forms."""
    sources = [message.id] if isinstance(message.id, str) else message.id
    translations = [message.string] if isinstance(message.string, str) else message.string or ["", ""]
    yield from zip(map(str, sources), map(str, translations), strict=True)


def ends(text: str) -> tuple[bool, bool]:
    return text[:1].isspace(), text[-1:].isspace()


def faults(catalogue: Catalog) -> Iterator[str]:
    for source, translation in (pair for message in catalogue if message.id for pair in forms(message)):
        if not translation.strip():
            yield f"no translation: {source}"
        elif Counter(PARTS.findall(source)) != Counter(PARTS.findall(translation)):
            yield f"other values, tags or code: {source} -> {translation}"
        elif translation.count('"') != source.count('"'):
            yield f"quotes that end an attribute: {translation}"
        elif ends(translation) != ends(source):
            yield f"other space at the ends: {source!r} -> {translation!r}"


@pytest.mark.parametrize("domain", METHODS)
def test_every_message_of_the_code_is_translated(domain: str) -> None:
    messages = extract_messages(domain)
    for language in LANGUAGES.keys() - {SOURCE}:
        catalogue = catalogue_of(language, domain)
        old = [one.id for one in catalogue if one.id and one.id not in messages]
        new = [one.id for one in messages if one.id and one.id not in catalogue]
        assert not old, f"run `make translations`: {old[:SOME]}"
        assert not new, f"run `make translations`: {new[:SOME]}"
        assert not list(faults(catalogue))[:SOME], language
