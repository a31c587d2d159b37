"""The classification of a request: the likelihood of each tool, and the numbers and texts for its arguments."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from retinue.models.base import NumberSpan, TextSpan

if TYPE_CHECKING:
    from retinue_assistant.heads.number_matcher import MatchedNumbers
    from retinue_assistant.heads.span_extractor import RequestSpans

NO_TOOL = ""
"""The class name for requests that need no tool."""


class RequestClassification:
    """The classification of one request. Compare only values of the same request.

    `likelihoods` maps the names of the known tools, and `NO_TOOL`, to log likelihoods.
    """

    def __init__(
        self,
        likelihoods: Mapping[str, float],
        numbers: "MatchedNumbers | None" = None,
        spans: "RequestSpans | None" = None,
    ) -> None:
        self.likelihoods, self._numbers, self._spans = likelihoods, numbers, spans

    def of(self, tool: str) -> float | None:
        """Return the log likelihood of a tool; None for an unknown tool."""
        return self.likelihoods.get(tool)

    def numbers(self, tool: str) -> Sequence[NumberSpan]:
        """Return the numbers of the request and the arguments of `tool` that they may fill."""
        return self._numbers.of(tool) if self._numbers else ()

    def texts(self, tool: str) -> Sequence[TextSpan]:
        """Return the text spans of the request that may fill arguments of `tool`."""
        return self._spans.of(tool) if self._spans else ()
