"""Which tool a request means, by where the model's first blocks place it among the requests of the past.

To each tool belongs a direction, learned by multinomial logistic regression over precedents; one more belongs to
requests that need no tool. `training/` makes the file of them.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import orjson

from retinue.models.base import SaidNumber, SaidText
from retinue.models.roles import Numbers

if TYPE_CHECKING:
    from retinue.models.texts import Passages

NO_TOOL = ""
"""The name under which the direction of requests that need no tool is kept."""

FILE = Path(__file__).with_name("directions.bin")
PLACING, BLOCKS = "0.5b", 12
"""The weights whose first blocks place requests, and how many: those in the middle know best what a text is about."""
LENGTH = 12.0
"""To which length places are brought: how sure the regression may be."""


class Direction(NamedTuple):
    """Steps of `scale` from -127 to 127 along each axis, and what is added to the product with a place."""

    steps: "array[int]"
    scale: float
    bias: float


class Directions:
    """Of each tool the direction; and the mean and spread of places along each axis."""

    def __init__(self, means: Sequence[float], spreads: Sequence[float], tools: Mapping[str, Direction]) -> None:
        self._means, self._spreads, self._tools = means, spreads, tools

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file: a line of JSON, then the steps of one tool after the other."""
        with path.open("rb") as file:
            head = orjson.loads(file.readline())
            steps = (array("b", file.read(len(head["means"]))) for _ in head["tools"])
            tools = {name: Direction(own, *told) for (name, *told), own in zip(head["tools"], steps, strict=True)}
        return cls(head["means"], head["spreads"], tools)

    def written(self) -> bytes:
        """The content of the file."""
        head = {
            "means": list(self._means),
            "spreads": list(self._spreads),
            "tools": [(name, one.scale, one.bias) for name, one in self._tools.items()],
        }
        return orjson.dumps(head) + b"\n" + b"".join(one.steps.tobytes() for one in self._tools.values())

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def meaning(
        self, place: Sequence[float], numbers: Numbers | None = None, passages: "Passages | None" = None
    ) -> "Meaning":
        """What a request means that is at a place, and has these numbers and passages."""
        centred = [
            (value - mean) / spread for value, mean, spread in zip(place, self._means, self._spreads, strict=True)
        ]
        size = sqrt(sum(map(mul, centred, centred))) or 1.0
        return Meaning([value * LENGTH / size for value in centred], self._tools, numbers, passages)


class Meaning:
    """What a request means. To be compared are only values of the same request."""

    def __init__(
        self,
        place: Sequence[float],
        tools: Mapping[str, Direction],
        numbers: Numbers | None = None,
        passages: "Passages | None" = None,
    ) -> None:
        self._place, self._tools, self._numbers, self._passages = place, tools, numbers, passages

    def of(self, tool: str) -> float | None:
        """How likely it means a tool, as a logarithm; None for a tool that nothing was learned about."""
        if (found := self._tools.get(tool)) is None:
            return None
        product: float = sum(map(mul, found.steps, self._place))
        return found.scale * product + found.bias

    def numbers(self, tool: str) -> Sequence[SaidNumber]:
        """What its numbers may be for a tool."""
        return self._numbers.of(tool) if self._numbers else ()

    def texts(self, tool: str) -> Sequence[SaidText]:
        """What stands in it that may be an argument of a tool."""
        return self._passages.of(tool) if self._passages else ()
