"""Hold the tools of one source: names and search terms in memory, definitions compressed."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from retinue.core.errors import NotFound
from retinue.tools.authoring.tool import CATEGORIES, Tier, Tool
from retinue.tools.catalogue.imported_tool import decode as decode_imported
from retinue.tools.selection.index import Index

_MOST_TERMS = 8000
"""Maximum number of distinct search terms of one source: far more than an API has, and a limit on memory."""

_MOST_TOLD, _MOST_CHOICES = 1000, 300
"""Maximum characters of a tool's argument names and descriptions, and of its enum values, that are indexed."""

_OWN_BYTES, _NAME_BYTES, _LINE_BYTES = 4000, 300, 120
"""Estimated memory of a source, of each name, and of a compressed definition beyond its own bytes."""

_WINDOW = 32 << 10
"""The distance at which deflate can refer to earlier data (RFC 1951)."""


class PackedLines(Mapping[str, bytes]):
    """Definitions by name, each deflated with the first as its dictionary, so that repeated content takes
    space once.
    """

    def __init__(self) -> None:
        self._common = b""
        self._packed: dict[str, bytes] = {}

    def add(self, name: str, line: bytes) -> None:
        """Add a line."""
        self._common = self._common or line[:_WINDOW]
        deflater = zlib.compressobj(1, zdict=self._common)
        self._packed[name] = deflater.compress(line) + deflater.flush()

    @property
    def memory(self) -> int:
        """Approximate memory in bytes."""
        return len(self._common) + sum(len(line) + _LINE_BYTES for line in self._packed.values())

    def __getitem__(self, name: str) -> bytes:
        return zlib.decompressobj(zdict=self._common).decompress(self._packed[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


class ToolDefinition(Protocol):
    """A tool as JSON, such as a row of the database."""

    @property
    def name(self) -> str:
        """The name of the tool."""
        ...

    @property
    def definition(self) -> str:
        """The tool as JSON."""
        ...


class SourceCatalogue:
    """Finds the tools of one source. `memory` is its approximate size in bytes."""

    def __init__(
        self, rows: Iterable[ToolDefinition], beside: Index, decode: Callable[[bytes], Tool] = decode_imported
    ) -> None:
        """Scores are comparable with those of the index `beside`. `decode` creates a tool from its definition."""
        self._decode = decode
        self._lines = PackedLines()
        self._places: dict[str, tuple[str, Tier]] = {}
        ordered = sorted(rows, key=lambda row: str(row.name))
        texts = (texts for row in ordered if (texts := self._take(row)) is not None)
        self._index = Index.of(texts, beside, _MOST_TERMS)
        self._names = list(self._places)
        self.memory = _OWN_BYTES + self._lines.memory + self._index.memory + _NAME_BYTES * len(self._names)

    def _take(self, row: ToolDefinition) -> dict[str, float] | None:
        """Store a tool. Returns the texts to index, with their weights; None for a tool that is not listed."""
        line = row.definition.encode()
        tool = self._decode(line)
        self._lines.add(tool.name, line)
        if tool.superseded_by:
            return None
        self._places[tool.name] = tool.category, tool.tier
        return _texts(tool)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def __len__(self) -> int:
        return len(self._names)

    def get(self, name: str) -> Tool:
        """Return the tool of that name, or `NotFound`."""
        if name not in self._lines:
            raise NotFound(f"There is no tool named {name[:60]}. GET /api/v1/tools?search=… finds tools.")
        return self._decode(self._lines[name])

    def names(self) -> Sequence[str]:
        """Return the names of all tools, sorted."""
        return self._names

    def score(self, search: str) -> list[tuple[str, float]]:
        """Return the names of tools that match a search, best first, with their scores."""
        return [(self._names[number], score) for number, score in self._index.rank(search)]

    def fits(self, name: str, category: str | None, tier: Tier | None) -> bool:
        """Return whether a tool passes the filters."""
        place = self._places[name]
        return category in (None, place[0]) and tier in (None, place[1])

    def categories(self) -> Iterable[str]:
        """Return the category of each tool."""
        return (category for category, _ in self._places.values())


def _texts(tool: Tool) -> dict[str, float]:
    """Return the texts to index, like those of the catalogue's own tools, but of limited length."""
    arguments = tool.input_schema.get("properties", {})
    argument_text = " ".join(f"{name} {schema.get('description', '')}" for name, schema in arguments.items())
    choices = " ".join(str(choice) for schema in arguments.values() for choice in schema.get("enum", ()))
    return {
        tool.name.replace("_", " "): 4.0,
        " ".join(tool.tags): 3.0,
        " ".join(tool.use_when): 1.0,
        tool.description: 1.0,
        CATEGORIES.get(tool.category, tool.category): 0.5,
        choices[:_MOST_CHOICES]: 0.5,
        argument_text[:_MOST_TOLD].replace("_", " "): 0.3,
    }
