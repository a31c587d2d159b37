"""Notes about a file that are part of a result: what was skipped, filled or guessed to read it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)


@contextmanager
def collected_notes() -> Iterator[list[str]]:
    """Collect the notes of a call."""
    found: list[str] = []
    token = _notes.set(found)
    try:
        yield found
    finally:
        _notes.reset(token)


def add_notes(texts: Iterable[str]) -> None:
    """Add notes to the result of the current call, each once."""
    found = _notes.get()
    if found is not None:
        found += [text for text in dict.fromkeys(texts) if text not in found]
