"""The embedding classifier: predicts the tool that a request means, with the first blocks of the small model.

With the local model, an assistant also reads hints for the arguments of tools. With a remote endpoint, the classifier
runs only if the small weights are in the folder, and only predicts the tool.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from retinue.core.errors import Unavailable
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.models.assistant import installed_assistant
from retinue.models.encoder import ENCODER_WEIGHTS, Encoded
from retinue.models.known_weights import known_weights
from retinue.models.llama_process import LlamaProcess
from retinue.models.request_classification import RequestClassification
from retinue.models.supervisor import ENCODER_ONLY, Supervisor

if TYPE_CHECKING:
    from retinue.models.tool_classifier import ToolClassifier

log = structlog.get_logger()

_SLOTS, _SLOT_TOKENS = 4, 1024


class RequestClassifier:
    """The classifier for a remote endpoint: an encoder process, if the small weights are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = Supervisor(folder, "classifier", _SLOTS, _SLOT_TOKENS)

    async def start(self) -> None:
        """Start to load in the background, if the small weights exist."""
        if known_weights(ENCODER_WEIGHTS).present_in(self._folder):
            self._server.spawn(self._server.keep_trying(ENCODER_ONLY))

    async def stop(self) -> None:
        """Stop the process."""
        await self._server.stop()

    @property
    def running(self) -> bool:
        """True if the encoder process runs."""
        return self._server.child is not None

    async def meaning(self, request: str) -> RequestClassification | None:
        """Predict the tool that a request means; None while the encoder does not run."""
        encoded = await _encode(self._server.child, request)
        return await run_on_compute_thread(_likelihoods, encoded) if encoded else None


async def meaning_of(child: LlamaProcess | None, request: str) -> RequestClassification | None:
    """Classify a request, with hints for arguments; None while the encoder does not run."""
    encoded = await _encode(child, request)
    return await run_on_compute_thread(_whole_meaning, encoded) if encoded else None


async def _encode(child: LlamaProcess | None, request: str) -> Encoded | None:
    encoder = child.encoder if child else None
    if encoder is None:
        return None
    try:
        return await encoder.encode(request)
    except Unavailable as error:
        log.warning("a request was not encoded", reason=error.message)
        return None


@cache
def _tools() -> "ToolClassifier":
    # Import NumPy only if a model runs: it takes 11 MB, and the weights take 2.
    from retinue.models.heads import FILE, read_head
    from retinue.models.tool_classifier import ToolClassifier

    return ToolClassifier(read_head("tool_classifier", FILE))


def _likelihoods(request: Encoded) -> RequestClassification:
    return _tools().meaning(request.embedding)


def _whole_meaning(request: Encoded) -> RequestClassification:
    """Classify a request with all heads. Takes tens of milliseconds: call it in a compute thread."""
    assistant = installed_assistant()
    return _tools().meaning(request.embedding, assistant.read_hints(request) if assistant else None)
