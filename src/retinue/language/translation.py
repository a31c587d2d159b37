"""Translate the words of the user interface, with one catalogue of gettext for each language.

The messages in the code are English. `make translations` collects them into `catalogues/*.po`, where translators fill
in the rest. A message without a translation is shown in English.
"""

import re
from collections.abc import Iterable
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from babel.messages import Catalog
    from jinja2 import Environment
    from starlette.requests import Request

LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français"}
"""The languages of the user interface by their codes (ISO 639-1), each under its own name."""

SOURCE = "en"
"""The language of the messages in the code."""

LANGUAGE_COOKIE = "retinue_language"
"""The cookie with the language that a person chose. Without it, the browser's languages decide."""

current_language: ContextVar[str] = ContextVar("current_language", default=SOURCE)
"""The language of the page that is rendered."""

_RANGE = re.compile(r"([A-Za-z]{1,8})(?:-[A-Za-z0-9-]{1,30})?(?: ?; ?q=([01](?:\.[0-9]{1,3})?))?")
_LONGEST_HEADER = 500


def gettext(message: str) -> str:
    """Return a message in the language of the page."""
    return _translations(current_language.get()).gettext(message)


def pgettext(context: str, message: str) -> str:
    """Return a message in the language of the page. The context tells apart equal English words, such as None."""
    return _translations(current_language.get()).pgettext(context, message)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the form of a message that suits a number, in the language of the page."""
    return _translations(current_language.get()).ngettext(singular, plural, number)


def gettext_noop(message: str) -> str:
    """Return the message unchanged, and mark it for the catalogues. The template that shows it translates it."""
    return message


def script_messages(language: str = "") -> dict[str, str]:
    """Return the messages of scripts in a language, by default that of the page, by the English message."""
    language = language or current_language.get()
    return {} if language == SOURCE else _messages(language, "scripts")


def error_messages(language: str) -> dict[str, str]:
    """Return the messages of services that are translated into a language, by the English message."""
    return {} if language == SOURCE else _messages(language, "errors")


def choose_language(chosen: str | None, accept_language: str) -> str:
    """Return the language that a person chose, else the best of the header `Accept-Language` (RFC 9110, 12.5.4)."""
    if chosen in LANGUAGES:
        return chosen
    return next((language for language in _preferences(accept_language) if language in LANGUAGES), SOURCE)


def set_language(request: "Request") -> None:
    """Set the language of the page that a request opens."""
    accepted = request.headers.get("accept-language", "")
    current_language.set(choose_language(request.cookies.get(LANGUAGE_COOKIE), accepted))


def translate_templates(environment: "Environment") -> None:
    """Give templates `_` and `{% trans %}`, and for their frame the language and the messages of scripts."""
    environment.add_extension("jinja2.ext.i18n")
    environment.policies["ext.i18n.trimmed"] = True
    install = environment.install_gettext_callables  # type: ignore[attr-defined] # of i18n
    install(gettext, ngettext, newstyle=True, pgettext=pgettext)
    environment.globals |= {"language": current_language.get, "script_messages": script_messages}


def script_content() -> bytes:
    """Return the module `translation.js`, with which the scripts of a page read `script_messages`."""
    return files("retinue.language").joinpath("translation.js").read_bytes()


def load_catalogues() -> None:
    """Read all catalogues, which takes some tenths of a second."""
    for language in LANGUAGES:
        _translations(language)
        if language != SOURCE:
            _messages(language, "scripts")
            _messages(language, "errors")


def _preferences(accept_language: str) -> Iterable[str]:
    """Return the languages of the header without their regions, the most preferred first."""
    ranges = [_RANGE.fullmatch(part.strip()) for part in accept_language[:_LONGEST_HEADER].split(",")]
    weighed = [(float(found[2] or 1), found[1].lower()) for found in ranges if found]
    return (language for weight, language in sorted(weighed, key=lambda one: -one[0]) if weight)


@cache
def _translations(language: str) -> NullTranslations:
    """Return the messages of pages in a language."""
    if language == SOURCE:
        return NullTranslations()
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - only a server that shows pages needs it

    compiled = BytesIO()
    write_mo(compiled, _read_catalogue(language, "portal"))
    compiled.seek(0)
    return GNUTranslations(compiled)


@cache
def _messages(language: str, domain: str) -> dict[str, str]:
    return messages_of(_read_catalogue(language, domain))


def messages_of(catalogue: "Catalog") -> dict[str, str]:
    """Return the translations of a catalogue by the English message."""
    return {str(one.id): str(one.string) for one in catalogue if one.id and one.string}


def read_catalogue(path: "Traversable", language: str) -> "Catalog":
    """Read a catalogue of gettext, which takes some tenths of a second for thousands of messages."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - a start can do without Babel

    with path.open("rb") as source:
        return read_po(source, locale=language)


def _read_catalogue(language: str, domain: str) -> "Catalog":
    """Read a catalogue of the interface. `domain` is `portal`, `scripts` or `errors`."""
    return read_catalogue(files("retinue.language").joinpath(f"catalogues/{language}/{domain}.po"), language)
