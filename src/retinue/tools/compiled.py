"""Compiled tools: each as the JSON that it is kept as, and beside them what it takes to choose among them.

A file of them is one JSON document. Its first line holds all but the tools, and how long each of these is. On each line
after it stands one tool, so that a reader can find a tool without reading the others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import orjson

from retinue.tools.base import CATEGORIES, Tier, Tool
from retinue.tools.intents import Intents
from retinue.tools.lines import SEPARATOR, FileLines
from retinue.tools.precedents import missing, talk
from retinue.tools.roster import SCHOOLBOOK
from retinue.tools.search import Index

_END = b"\n]}\n"


@dataclass(frozen=True, slots=True)
class Compiled:
    """Tools by name, in the order of their names. `fingerprint` and `glance` are marks of what they were made from."""

    lines: Mapping[str, bytes]
    places: Mapping[str, tuple[str, Tier]]
    """Category and tier of each that is listed."""
    index: Index
    intents: Intents
    """Behind the tools, both know the groups of requests for what no tool does."""
    fingerprint: str = ""
    glance: str = ""

    @classmethod
    def of(cls, tools: Iterable[Tool], fingerprint: str = "", glance: str = "") -> Self:
        """Compile tools."""
        every = sorted(tools, key=lambda tool: tool.name)
        ordered = [tool for tool in every if not tool.superseded_by]
        replaced = [tool for tool in every if tool.superseded_by]
        absent = missing()
        return cls(
            {tool.name: orjson.dumps(tool) for tool in every},
            {tool.name: (tool.category, tool.tier) for tool in ordered},
            Index.of([*map(_document, ordered), *({" ".join(group): 1.0} for group in absent)]),
            Intents.of([*(_requests(tool, replaced) for tool in ordered), *absent], talk()),
            fingerprint,
            glance,
        )

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """The tools in a file; None if it is not there or not whole."""
        try:
            with path.open("rb") as file:
                first = file.readline()
                head = orjson.loads(first + _END)
                places = {name: (category, tier) for name, category, tier in head["places"]}
                lengths: dict[str, int] = head["lengths"]
                file.seek(len(first) + sum(lengths.values()) + len(SEPARATOR) * (len(lengths) - 1))
                if file.read() != _END:
                    return None
                tools = FileLines(file.fileno(), len(first), lengths)
            index, intents = Index.restored(head["index"]), Intents.restored(head["intents"])
            return cls(tools, places, index, intents, head["fingerprint"], head["glance"])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def document(self) -> bytes:
        """The content of the file of these tools."""
        head = {
            "fingerprint": self.fingerprint,
            "glance": self.glance,
            "places": [(name, *place) for name, place in self.places.items()],
            "lengths": {name: len(line) for name, line in self.lines.items()},
            "index": self.index.stored(),
            "intents": self.intents.stored(),
        }
        return orjson.dumps(head)[:-1] + b',"tools":[\n' + SEPARATOR.join(self.lines.values()) + _END


def _requests(tool: Tool, replaced: Iterable[Tool]) -> list[str]:
    """What people say when they mean a tool, or one of those `replaced` that it stands in for."""
    others = (request for one in replaced if one.superseded_by == tool.name for request in one.use_when)
    return [*tool.use_when, *(request for request, _ in tool.precedents), *others]


def _document(tool: Tool) -> dict[str, float]:
    """The texts by which a tool is found, with their weights."""
    arguments, results = tool.input_schema.get("properties", {}), tool.result_schema.get("properties", {})
    return {
        tool.name.replace("_", " "): 4.0,
        " ".join(tag for tag in tool.tags if tag != SCHOOLBOOK): 3.0,
        " ".join(tool.use_when): 1.0,
        tool.description: 1.0,
        CATEGORIES.get(tool.category, tool.category): 0.5,
        " ".join(str(choice) for schema in arguments.values() for choice in schema.get("enum", ())): 0.5,
        _told(arguments): 0.3,
        _told(results): 0.3,
    }


def _told(fields: Mapping[str, Mapping[str, Any]]) -> str:
    """The names and meanings of fields."""
    return " ".join(f"{name} {schema.get('description', '')}".replace("_", " ") for name, schema in fields.items())
