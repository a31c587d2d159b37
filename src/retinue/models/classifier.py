"""The embedding classifier: which tool a request means, by what the first blocks of the small model make of it.

Beside the local model it also says what the numbers and texts of a request may be. Beside an endpoint it runs where
the small weights are in the folder, and only says which tool is meant.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from retinue.core.errors import Unavailable
from retinue.core.executors import run_on_compute_thread
from retinue.models.child import Child
from retinue.models.encoder import Encoded
from retinue.models.known_weights import known_weights
from retinue.models.supervisor import ENCODER_ONLY, Supervisor
from retinue.models.tool_classifier import PLACING, Directions, Meaning

if TYPE_CHECKING:
    from retinue.models.number_matcher import Roles
    from retinue.models.span_extractor import Texts

log = structlog.get_logger()

_SLOTS, _SLOT_TOKENS = 4, 1024

_directions = cache(Directions.read)
"""Read where they are first needed: they take three megabytes."""


class Classifier:
    """The classifier beside an endpoint: a process with the encoder alone, if the small weights are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = Supervisor(folder, "classifier", _SLOTS, _SLOT_TOKENS)

    async def start(self) -> None:
        """Begin to load in the background, where there is something to load."""
        if known_weights(PLACING).present_in(self._folder):
            self._server.spawn(self._server.keep_trying(ENCODER_ONLY))

    async def stop(self) -> None:
        """End the process."""
        await self._server.stop()

    @property
    def running(self) -> bool:
        """Whether it has an answer."""
        return self._server.child is not None

    async def meaning(self, request: str) -> Meaning | None:
        """Which tool a request means; None while the encoder does not run."""
        encoded = await _encode(self._server.child, request)
        return await run_on_compute_thread(_likelihoods, encoded) if encoded else None


async def meaning_of(child: Child | None, request: str) -> Meaning | None:
    """What a request means, its numbers and texts included; None while the encoder does not run."""
    encoded = await _encode(child, request)
    return await run_on_compute_thread(_whole_meaning, encoded) if encoded else None


async def _encode(child: Child | None, request: str) -> Encoded | None:
    encoder = child.encoder if child else None
    if encoder is None:
        return None
    try:
        return await encoder.encode(request)
    except Unavailable as error:
        log.warning("a request was not encoded", reason=error.message)
        return None


@cache
def _heads() -> tuple["Roles", "Texts"]:
    # NumPy only where a model runs: it takes eleven megabytes.
    from retinue.models.number_matcher import Roles  # noqa: PLC0415
    from retinue.models.span_extractor import Texts  # noqa: PLC0415

    return Roles.read(), Texts.read()


def _likelihoods(request: Encoded) -> Meaning:
    return _directions().meaning(request.place)


def _whole_meaning(request: Encoded) -> Meaning:
    """It takes tens of milliseconds."""
    roles, texts = _heads()
    return _directions().meaning(request.place, roles.numbers(request), texts.passages(request))
