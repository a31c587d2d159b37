"""Whether a provider accepts its key, as far as the calls of this node have shown."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from retinue.core.errors import RetinueError
from retinue.core.runtime.clock import now
from retinue.models.base import KeyRefused


class KeyState:
    """The state of a provider's key. `refused_at` is the first refusal after the last accepted call, or None."""

    def __init__(self) -> None:
        self.refused_at: datetime | None = None
        self._is_accepted = False

    def note(self, error: RetinueError | None) -> None:
        """Note the outcome of a call. Errors that do not concern the key change nothing."""
        if error is None:
            self.refused_at, self._is_accepted = None, True
        elif isinstance(error, KeyRefused):
            self.refused_at, self._is_accepted = self.refused_at or now(), False

    def note_listing(self, error: KeyRefused) -> None:
        """Note that the provider did not list its models. A restricted key may call models without listing them."""
        if not self._is_accepted:
            self.note(error)

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Note the outcome of the calls within."""
        try:
            yield
        except RetinueError as error:
            self.note(error)
            raise
        self.note(None)
