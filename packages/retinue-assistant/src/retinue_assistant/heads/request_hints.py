"""Matches the numbers and texts of a request to arguments, with both trained heads."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from retinue.models.encoder import Encoded
from retinue.models.heads import read_head
from retinue_assistant.argument_hints import ArgumentHints
from retinue_assistant.heads.number_matcher import MatchedNumbers, NumberMatcher
from retinue_assistant.heads.span_extractor import RequestSpans, SpanExtractor

FILE = Path(__file__).with_name("heads.npz")
"""The trained heads `number_matcher` and `span_extractor`. `training` writes the file."""


class MatchedArguments(NamedTuple):
    """The numbers and text spans of one request, for any tool. See `retinue.models.assistant.RequestHints`."""

    numbers: MatchedNumbers
    spans: RequestSpans

    def of(self, tool: str, renames: Mapping[str, str]) -> ArgumentHints:
        """Return the numbers and text spans that may fill arguments of `tool`."""
        return ArgumentHints(self.numbers.of(tool), self.spans.of(tool)).rename(renames)


def match_arguments(request: Encoded) -> MatchedArguments:
    """Match with the trained heads. Takes tens of milliseconds: call it in a compute thread."""
    numbers, texts = _heads()
    return MatchedArguments(numbers.numbers(request), texts.spans(request))


@cache
def _heads() -> tuple[NumberMatcher, SpanExtractor]:
    return NumberMatcher(read_head("number_matcher", FILE)), SpanExtractor(read_head("span_extractor", FILE))
