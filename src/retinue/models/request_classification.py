"""The classification of a request: the likelihood of each tool, and the assistant's hints for its arguments."""

from collections.abc import Mapping

from retinue.models.assistant import RequestHints

NO_TOOL = ""
"""The class name for requests that need no tool."""


class RequestClassification:
    """The classification of one request. Compare only values of the same request.

    `likelihoods` maps the names of the known tools, and `NO_TOOL`, to log likelihoods.
    """

    def __init__(self, likelihoods: Mapping[str, float], hints: RequestHints | None = None) -> None:
        self.likelihoods, self._hints = likelihoods, hints

    def of(self, tool: str) -> float | None:
        """Return the log likelihood of a tool; None for an unknown tool."""
        return self.likelihoods.get(tool)

    def hints(self, tool: str, renames: Mapping[str, str]) -> object:
        """Return the hints for the arguments of `tool`, with the names that `renames` gives; None without any."""
        return self._hints.of(tool, renames) if self._hints else None
