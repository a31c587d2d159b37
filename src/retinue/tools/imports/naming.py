"""Name imported tools and their arguments."""

import re
from collections.abc import Container, Iterable, Mapping

MOST_CHARACTERS = 64

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ODD = re.compile(r"[^A-Za-z0-9_.-]")


def tool_name(namespace: str, operation_id: str, method: str, path: str, taken: Container[str]) -> str:
    """`<namespace>_<operation>` in snake case, from the operation's id, else from its method and path."""
    words = _WORDS.findall(operation_id) or _WORDS.findall(f"{method.lower()} {path}")
    return _unique("_".join([namespace, *(word.lower() for word in words)]), taken)


def still_there(names: Mapping[str, str], origins: Iterable[str]) -> dict[str, str]:
    """Return the names of the tools that are still in the source, by their origin: these tools keep their names."""
    return {origin: names[origin] for origin in origins if origin in names}


def argument_name(name: str, place: str, taken: Container[str]) -> str:
    """Return the parameter's own name in the characters that models can write; if it is taken, its place becomes a
    suffix.
    """
    plain = _ODD.sub("_", name)[:MOST_CHARACTERS] or place
    return plain if plain not in taken else _unique(f"{plain[: MOST_CHARACTERS - 7]}_{place}", taken)


def _unique(name: str, taken: Container[str]) -> str:
    """Return the name, shortened to the limit, with a number if it is taken."""
    found, number = name[:MOST_CHARACTERS].rstrip("_"), 1
    while found in taken:
        number += 1
        found = f"{name[: MOST_CHARACTERS - 1 - len(str(number))].rstrip('_')}_{number}"
    return found
