"""Limits concurrent requests to a model, to protect its provider and this process."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from retinue.core.runtime.fair_semaphore import FairSemaphore
from retinue.models.base import Delta, Model, ModelRequest

_WAITING = 4
"""Queued requests of waiting clients per running request."""


class QueuedModel:
    """Allows `at_once` concurrent requests. Requests with a waiting client go first, and accounts take turns."""

    def __init__(self, base: Model, at_once: int) -> None:
        self.name = base.name
        self.context_tokens = base.context_tokens
        self.uses_resources = base.uses_resources
        self.max_output_tokens = base.max_output_tokens
        self.input = base.input
        self._base = base
        self._slots = FairSemaphore(at_once, "the model", queue=_WAITING * at_once)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply. See `Model`."""
        async with (
            self._slots.slot(request.account, waited_for=request.waited_for),
            aclosing(self._base.stream(request)) as deltas,
        ):
            async for delta in deltas:
                yield delta
