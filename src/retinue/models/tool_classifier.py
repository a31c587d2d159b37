"""Classifies which tool a request means, from the embedding that the model's first blocks compute.

Each tool has a weight vector, trained by multinomial logistic regression on example requests; one more class stands
for requests that need no tool. `training/` writes the file.
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
"""The class name for requests that need no tool."""

FILE = Path(__file__).with_name("directions.bin")
PLACING, BLOCKS = "0.5b", 12
"""The weights whose first blocks embed requests, and the number of blocks: middle layers represent the topic best."""
LENGTH = 12.0
"""Norm to which embeddings are scaled. It limits how confident the regression can be."""


class Direction(NamedTuple):
    """A quantised weight vector: int8 `steps` (-127 to 127) times `scale`, and the `bias` of the class."""

    steps: "array[int]"
    scale: float
    bias: float


class ToolClassifier:
    """The weight vector of each tool, and the mean and standard deviation of embeddings along each axis."""

    def __init__(self, means: Sequence[float], spreads: Sequence[float], tools: Mapping[str, Direction]) -> None:
        self._means, self._spreads, self._tools = means, spreads, tools

    @classmethod
    def read(cls, path: Path = FILE) -> Self:
        """Read the file: one line of JSON, then the steps of each tool in order."""
        with path.open("rb") as file:
            head = orjson.loads(file.readline())
            steps = (array("b", file.read(len(head["means"]))) for _ in head["tools"])
            tools = {name: Direction(own, *told) for (name, *told), own in zip(head["tools"], steps, strict=True)}
        return cls(head["means"], head["spreads"], tools)

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
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
        """Classify a request by its embedding `place`; the result carries its `numbers` and `passages`."""
        import numpy as np  # noqa: PLC0415 - imported only if a model runs: NumPy takes 11 MB

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
        """The steps of all tools, one row per tool."""
        import numpy as np  # noqa: PLC0415 - as above

        steps = [np.frombuffer(one.steps, np.int8) for one in self._tools.values()]
        return np.array(steps, np.float32).reshape(len(steps), len(self._means))


class Meaning:
    """The classification of one request. Compare only values of the same request.

    `likelihoods` maps the names of the known tools, and `NO_TOOL`, to log likelihoods.
    """

    def __init__(
        self, likelihoods: Mapping[str, float], numbers: "Numbers | None" = None, passages: "Passages | None" = None
    ) -> None:
        self.likelihoods, self._numbers, self._passages = likelihoods, numbers, passages

    def of(self, tool: str) -> float | None:
        """Return the log likelihood of a tool; None for an unknown tool."""
        return self.likelihoods.get(tool)

    def numbers(self, tool: str) -> Sequence[SaidNumber]:
        """Return the numbers of the request and the arguments of `tool` that they may fill."""
        return self._numbers.of(tool) if self._numbers else ()

    def texts(self, tool: str) -> Sequence[SaidText]:
        """Return the text spans of the request that may fill arguments of `tool`."""
        return self._passages.of(tool) if self._passages else ()
