"""What the server finds by the entry point of this package. See `retinue.models.assistant.AssistantPackage`."""

from collections.abc import Sequence

from retinue.models.assistant import JsonModel, RequestHints
from retinue.models.base import Model
from retinue.models.encoder import Encoded
from retinue_assistant import fixed_texts
from retinue_assistant.assistant import Assistant


def wrap(base: JsonModel, *, rewrites: bool = True) -> Model:
    """Give a model without native tool calling the behaviour of one that has it."""
    return Assistant(base, rewrites=rewrites)


def read_hints(request: Encoded) -> RequestHints:
    """Match the numbers and texts of a request to arguments."""
    # Import NumPy only if a model runs: it takes 11 MB, and the heads take more.
    from retinue_assistant.heads.request_hints import match_arguments  # noqa: PLC0415

    return match_arguments(request)


def permission_requests() -> Sequence[str]:
    """Return the beginnings of the texts that ask for a tool, in all languages."""
    return fixed_texts.permission_requests()
