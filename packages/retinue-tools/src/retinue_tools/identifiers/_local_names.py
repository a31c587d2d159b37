"""Names of languages, countries and currencies in major languages and in their own (Unicode CLDR)."""

from collections.abc import Iterator
from functools import cache
from typing import Literal

import babel

Kind = Literal["languages", "territories", "currencies"]

_LOCALES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ja", "zh", "ar", "tr", "sv")
_MORE = ("ko", "hi", "el", "he", "uk", "cs", "da", "nb", "fi", "hu", "ro", "bg", "hr", "vi", "th", "id", "fa")


def codes_named(kind: Kind, name: str) -> list[str]:
    """Return the codes with a name in any of the languages, in code order."""
    return sorted(_codes(kind).get(name.casefold(), ()))


@cache
def _codes(kind: Kind) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for code, name in (*_names(kind), *(_own_names() if kind == "languages" else ())):
        found.setdefault(name.casefold(), set()).add(code)
    return found


def _names(kind: Kind) -> Iterator[tuple[str, str]]:
    for locale in _LOCALES:
        names: dict[str, str] = getattr(babel.Locale(locale), kind)
        # Longer codes are variants such as en_GB, and digits are regions of the world.
        yield from ((code, name) for code, name in names.items() if len(code) <= 3 and code.isalpha())


def _own_names() -> Iterator[tuple[str, str]]:
    """The names of the languages above in their own language are already included."""
    for code in _MORE:
        if name := babel.Locale(code).get_display_name(code):
            yield code, name
