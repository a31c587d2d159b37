"""Collect words of the portal that no function of gettext marks: search words, and what the fields of events mean."""

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import IO, Any

from babel.messages.extract import extract_python

SEARCHED = {"MenuEntry", "PaletteResult"}
"""Their fifth argument has the words that find them in the command palette."""

_WORDS = 4


def extract_portal(
    file: IO[bytes], keywords: Mapping[str, Any], comment_tags: Collection[str], options: Any
) -> Iterator[tuple[Any, ...]]:
    """Yield the marked messages of a module of the portal, and its search words, as a method of Babel."""
    yield from extract_python(file, keywords, comment_tags, options)
    file.seek(0)
    for call in _calls(file):
        if isinstance(call.func, ast.Name) and call.func.id in SEARCHED and len(call.args) > _WORDS:
            yield from _text(call.args[_WORDS])


def extract_descriptions(
    file: IO[bytes], _keywords: object, _comment_tags: object, options: object
) -> Iterator[tuple[int, None, str, list[str]]]:
    """Yield the descriptions of the fields of events, as a method of Babel. It has no options."""
    for call in _calls(file):
        for keyword in call.keywords:
            if keyword.arg == "description":
                yield from _text(keyword.value)


def _calls(file: IO[bytes]) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Call))


def _text(node: ast.expr) -> Iterator[tuple[int, None, str, list[str]]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, None, node.value, []
