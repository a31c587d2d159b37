"""Build the index that the search of the reference looks through in the browser."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import orjson

from retinue.core.http.operations import BASE
from retinue.reference.guide import guides, sections_of
from retinue.reference.view import OperationEntry

_WORD = re.compile(r"[^\W\d_][^\W_]+")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "about after all also and any are because been before but can each for from had has have how its may more must "
        "not one only other our out see than that the their them then there these they this those too was what when "
        "where which who will with you your",
    )
)
_REFERENCE = "API reference"

Entry = tuple[str, str, str, str]
"""Title, note under it, address, and the words that find it beside those of its title and note."""


def search_index(
    resources: Iterable[tuple[str, str, Sequence[OperationEntry]]],
    events: Iterable[tuple[str, str]],
    errors: Iterable[str],
    headings: Mapping[str, str],
) -> bytes:
    """Return the entries of operations, resources, events, basics and guides as JSON."""
    entries = [
        *_operations(resources),
        *((f"Event {name}", "Events", f"/docs/api/events#event-{name}", _words(about)) for name, about in events),
        *((title, _REFERENCE, f"/docs#{anchor}", "") for anchor, title in headings.items()),
        *((f"Error {code}", "Errors", "/docs#errors", "") for code in errors),
        *_guides(),
    ]
    return orjson.dumps(entries)


def _operations(resources: Iterable[tuple[str, str, Sequence[OperationEntry]]]) -> Iterator[Entry]:
    for name, about, operations in resources:
        yield name.capitalize(), _REFERENCE, f"/docs/api/{name}", _words(about)
        for entry in operations:
            fields = " ".join(row.name for row in (*entry.parameters, *entry.body))
            path = entry.path.removeprefix(BASE)
            words = _words(f"{entry.about} {fields} {entry.anchor}")
            yield entry.summary, f"{entry.method} {path}", f"/docs/api/{name}#{entry.anchor}", words


def _guides() -> Iterator[Entry]:
    for name, guide in guides().items():
        opening, *sections = sections_of(name)
        yield guide.title, "Guide", f"/docs/guides/{name}", _words(opening)
        for (anchor, heading), text in zip(guide.sections, sections, strict=True):
            yield heading, guide.title, f"/docs/guides/{name}#{anchor}", _words(text)


def _words(text: str) -> str:
    """Return the distinct words of a text in lower case, without common ones."""
    return " ".join(sorted(set(_WORD.findall(text.lower())) - _COMMON))
