"""The compiled catalogue file: each tool as JSON, with the data for selecting among them.

The file is one JSON document. Its first line holds everything but the tools, with the length of each. Every line
after it holds one tool, so that a reader can find a tool without reading the others.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Self
from weakref import finalize

import orjson

from retinue.language.text_features import features
from retinue.tools.authoring.example_requests import missing, talk
from retinue.tools.authoring.tool import Tier, Tool
from retinue.tools.selection.documents import document, example_requests
from retinue.tools.selection.index import Index
from retinue.tools.selection.intents import IntentClassifier
from retinue.tools.selection.tool_need import ToolNeedClassifier

_SEPARATOR, _END = b",\n", b"\n]}\n"


@dataclass(frozen=True, slots=True)
class CompiledCatalogue:
    """Tools in the order of their names. `fingerprint` and `stat_hash` identify the sources they were compiled from."""

    lines: Mapping[str, bytes]
    places: Mapping[str, tuple[str, Tier]]
    """Category and tier of each listed tool."""
    index: Index
    intents: IntentClassifier
    """Both also know, after the tools, the groups of requests that no tool serves."""
    need: ToolNeedClassifier
    missing_words: frozenset[str]
    """Single words that ask for something that no tool does, in lower case."""
    successors: Mapping[str, str]
    """Tools that are not listed, each with the tool in its place."""
    fingerprint: str = ""
    stat_hash: str = ""

    @classmethod
    def of(cls, tools: Iterable[Tool], fingerprint: str = "", stat_hash: str = "") -> Self:
        """Compile tools."""
        every = sorted(tools, key=lambda tool: tool.name)
        ordered = [tool for tool in every if not tool.superseded_by]
        replaced = [tool for tool in every if tool.superseded_by]
        requests_of = [example_requests(tool, replaced) for tool in ordered]
        absent = missing()
        marks = [[features(one) for one in requests] for requests in requests_of]
        talk_marks = [features(one) for one in talk()]
        return cls(
            {tool.name: orjson.dumps(tool) for tool in every},
            {tool.name: (tool.category, tool.tier) for tool in ordered},
            Index.of([*map(document, ordered, requests_of), *({" ".join(group): 1.0} for group in absent)]),
            IntentClassifier.of([*marks, *(map(features, group) for group in absent)], talk_marks),
            ToolNeedClassifier.of(chain.from_iterable(marks), talk_marks),
            frozenset(one.lower() for one in chain.from_iterable(absent) if one.isalpha()),
            {tool.name: tool.superseded_by for tool in every if tool.superseded_by},
            fingerprint,
            stat_hash,
        )

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """Return the tools in a file; None if it is missing or incomplete."""
        try:
            with path.open("rb") as file:
                first = file.readline()
                head = orjson.loads(first + _END)
                places = {name: (category, tier) for name, category, tier in head["places"]}
                lengths: dict[str, int] = head["lengths"]
                file.seek(len(first) + sum(lengths.values()) + len(_SEPARATOR) * (len(lengths) - 1))
                if file.read() != _END:
                    return None
                tools = FileLines(file.fileno(), len(first), lengths)
            index, intents = Index.restore(head["index"]), IntentClassifier.restore(head["intents"])
            need, missing_words = ToolNeedClassifier.restore(head["need"]), frozenset(head["missing_words"])
            marks = head["fingerprint"], head["glance"]
            return cls(tools, places, index, intents, need, missing_words, head["successors"], *marks)
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def document(self) -> bytes:
        """Return the content of the file of these tools."""
        head = {
            "fingerprint": self.fingerprint,
            "glance": self.stat_hash,
            "places": [(name, *place) for name, place in self.places.items()],
            "lengths": {name: len(line) for name, line in self.lines.items()},
            "index": self.index.store(),
            "intents": self.intents.store(),
            "need": self.need.store(),
            "missing_words": sorted(self.missing_words),
            "successors": self.successors,
        }
        return orjson.dumps(head)[:-1] + b',"tools":[\n' + _SEPARATOR.join(self.lines.values()) + _END


def write(path: Path, content: bytes) -> None:
    """Replace a file atomically."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class FileLines(Mapping[str, bytes]):
    """Holds the position of each line. It keeps the file open, so a later replacement of the file has no effect."""

    def __init__(self, file: int, start: int, lengths: Mapping[str, int]) -> None:
        """`lengths` are the bytes of consecutive lines, the first of which begins at byte `start` of an open file."""
        ends = accumulate((length + len(_SEPARATOR) for length in lengths.values()), initial=start)
        self._spans = dict(zip(lengths, pairwise(ends), strict=True))
        self._file = os.dup(file)
        finalize(self, os.close, self._file)

    def __getitem__(self, name: str) -> bytes:
        start, end = self._spans[name]
        return os.pread(self._file, end - len(_SEPARATOR) - start, start)

    def __iter__(self) -> Iterator[str]:
        return iter(self._spans)

    def __len__(self) -> int:
        return len(self._spans)
