"""Texts of a request that stand behind the name of an argument: `the key 'tangerine'`, `pattern \\d+`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema_rs import is_valid

from retinue.core.stems import folded, stem
from retinue.models.reading.bounds import read

_LABELLED = re.compile(
    r"(?<![A-Za-z])(?P<label>[A-Za-z]{2,40})(?![A-Za-z])(?:\s?[=:]\s?|\s(?:(?:is|of)\s)?)"
    r"(?:\"(?P<double>[^\"]+)\"|\u201c(?P<curly>[^\u201d]+)\u201d|`(?P<ticks>[^`]+)`"
    r"|['\u2018](?P<single>[^'\u2019]+)['\u2019](?!\w)|(?P<code>\S*[^\s\w,;.?!'\"()-]\S*))"
)
_END = ",;.?!"


def stated_texts(schema: Mapping[str, Any], request: str) -> dict[str, str]:
    """The textual arguments of which a request leaves no doubt, by name."""
    labelled = _labelled(read(request))
    pairs = [
        (name, label, text)
        for name, value in schema.get("properties", {}).items()
        if value.get("type") == "string" and "enum" not in value and value.get("format") != "file-id"
        for label, text in labelled
        if label in {stem(word) for word in name.split("_")} and is_valid(dict(value), text)
    ]
    names, texts = Counter(name for name, _, _ in pairs), Counter(text for _, _, text in pairs)
    return {name: text for name, _, text in pairs if names[name] == texts[text] == 1}


@lru_cache(64)
def _labelled(request: str) -> tuple[tuple[str, str], ...]:
    """The stem of each label, and the text behind it; with none of the marks that end a clause where it is a code."""
    return tuple(_found(request))


def _found(request: str) -> Iterator[tuple[str, str]]:
    for match in _LABELLED.finditer(request):
        quoted = next(filter(None, match.group("double", "curly", "ticks", "single")), None)
        text = quoted or str(match["code"]).rstrip(_END)
        if text:
            yield stem(folded(match["label"])), text
