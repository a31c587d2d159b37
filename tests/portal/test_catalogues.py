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

OTHER_ADDRESS = {
    "de": r"\b[Dd](?:u|ich|ir|ein(?:e[mnrs]?)?)\b|\b[Ee]u(?:ch|er)\b",
    "es": r"\b[Uu]sted(?:es)?\b|(?:^|[.:;>] |\n)(?:Abra|Añada|Cambie|Compruebe|Copie|Cree|Elija|Elimine|Envíe|Escriba"
    r"|Espere|Haga|Indique|Inténte|Introduzca|Pegue|Pida|Pruebe|Quite|Revise|Use|Utilice|Vuelva)(?:l[aeo]s?)?\b|\b[Ss]irva\b",
    "fr": r"(?<!est )(?<!-)\b[Tt](?:u|oi|on|es|a)\b|\b[Tt]\u2019",
}
"""The form of address that each language does not use: Germans and French are *Sie* and *vous*, Spaniards *tú*."""

SPOKEN = {
    "We are closed now. Please call again tomorrow.",
    "Hello, I am calling about your order.",
    "Please call us back.",
    "You answer customers of a shoe shop. Returns are possible within 30 days. If you do not know when the shoes were "
    "bought, ask. Never promise a refund. Answer in at most three sentences.",
}
"""Examples of what an agent says to a customer, and of what it is told."""

OTHER_TERMS = {
    "de": r"Werkzeug|\bLauf\b|Unterhaltung|Abfrageparameter|öffentliche\w* Schlüssel",
    "es": r"\btroncal|línea de órdenes|entorno de pruebas|dos pasos:|portador",
    "fr": r"\bjeton|\bexportation \{|multimédia|paramètre de requête|(?<=[a-zà-ÿ])'(?=[a-zà-ÿ])",
}
"""Words for which a language has another one: Tool, Ausführung, Gespräch, trunk, token … And a straight apostrophe."""

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
        old = [one.id for one in catalogue if one.id and not messages.get(one.id, one.context)]
        new = [one.id for one in messages if one.id and not catalogue.get(one.id, one.context)]
        assert not old, f"run `make translations`: {old[:SOME]}"
        assert not new, f"run `make translations`: {new[:SOME]}"
        assert not list(faults(catalogue))[:SOME], language


@pytest.mark.parametrize("domain", METHODS)
@pytest.mark.parametrize("language", OTHER_ADDRESS)
def test_a_language_has_one_form_of_address_and_one_word_for_a_concept(language: str, domain: str) -> None:
    unwanted = re.compile(f"{OTHER_ADDRESS[language]}|{OTHER_TERMS[language]}")
    pairs = [pair for message in catalogue_of(language, domain) if message.id for pair in forms(message)]
    assert len(pairs) >= 100
    assert [text for source, text in pairs if source not in SPOKEN and unwanted.search(text)] == []


def test_one_english_word_has_the_translation_of_its_meaning() -> None:
    spanish = catalogue_of("es", "portal")
    meanings = {
        (message.context, str(message.id)): message.string for message in spanish if message.id in ("None", "Test")
    }
    assert (meanings[None, "Test"], meanings["mode of a key", "Test"]) == ("Probar", "Pruebas")
    assert (meanings["fleet", "None"], meanings["agent", "None"]) == ("Ninguna", "Ninguno")
