"""Which tool a request means, by where the model's first blocks place it among the requests of the past.

To each tool belongs a direction, learned by multinomial logistic regression over precedents; one more belongs to
requests that need no tool. `training/` makes the file of them.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

import orjson

from retinue.models.base import SaidNumber, SaidText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from retinue.models.number_matcher import Numbers
    from retinue.models.span_extractor import Passages

    Matrix: TypeAlias = NDArray[np.float32]

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

    def to_bytes(self) -> bytes:
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
        self, place: Sequence[float], numbers: "Numbers | None" = None, passages: "Passages | None" = None
    ) -> "Meaning":
        """What a request means that is at a place, and has these numbers and passages."""
        import numpy as np  # noqa: PLC0415 - only where a model runs: it takes eleven megabytes

        centred = (np.array(place) - self._means) / self._spreads
        centred *= LENGTH / (np.linalg.norm(centred) or 1.0)
        products = self._matrix @ centred.astype(np.float32)
        likelihoods = {
            name: float(one.scale * product + one.bias)
            for (name, one), product in zip(self._tools.items(), products, strict=True)
        }
        return Meaning(likelihoods, numbers, passages)

    @cached_property
    def _matrix(self) -> "Matrix":
        """The steps of all tools, a row for each."""
        import numpy as np  # noqa: PLC0415 - as above

        steps = [np.frombuffer(one.steps, np.int8) for one in self._tools.values()]
        return np.array(steps, np.float32).reshape(len(steps), len(self._means))


class Meaning:
    """What a request means. To be compared are only values of the same request.

    `likelihoods` are logarithms by the names of the tools that something was learned about, and `NO_TOOL`.
    """

    def __init__(
        self, likelihoods: Mapping[str, float], numbers: "Numbers | None" = None, passages: "Passages | None" = None
    ) -> None:
        self.likelihoods, self._numbers, self._passages = likelihoods, numbers, passages

    def of(self, tool: str) -> float | None:
        """How likely it means a tool; None for a tool that nothing was learned about."""
        return self.likelihoods.get(tool)

    def numbers(self, tool: str) -> Sequence[SaidNumber]:
        """What its numbers may be for a tool."""
        return self._numbers.of(tool) if self._numbers else ()

    def texts(self, tool: str) -> Sequence[SaidText]:
        """What stands in it that may be an argument of a tool."""
        return self._passages.of(tool) if self._passages else ()
