"""How well the kernel confines tool workers, and whether a tool may run without."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from retinue.core.errors import Unavailable

_log = structlog.get_logger()
_REFUSED = (
    "Tools cannot be run: the kernel of this server does not confine them, and its operator requires that "
    "(RETINUE_SANDBOX=require). What is missing is shown by: retinue doctor"
)


@dataclass(slots=True)
class Confinement:
    """`missing` is what the last worker could not give up, and why; None before the first."""

    required: bool = False
    missing: Sequence[str] | None = None

    @property
    def status(self) -> str:
        """For people."""
        if self.missing is None:
            return "not tried yet"
        return f"not confined: {'; '.join(self.missing)}" if self.missing else "confined"

    def note(self, missing: Sequence[str]) -> None:
        """Take note of what a new worker could not give up. Raises `Unavailable` where it has to."""
        self.missing = missing
        if missing:
            _log.warning("tool_worker_unconfined", missing=missing, refused=self.required)
            if self.required:
                raise Unavailable(_REFUSED)
