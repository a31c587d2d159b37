"""Record how well the kernel confines tool workers, and decide whether tools may run without confinement."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from retinue.core.errors import Unavailable

_log = structlog.get_logger()
_REFUSED = (
    "Tools cannot run: the kernel of this server does not confine them, and the operator "
    "requires confinement (RETINUE_SANDBOX=require). To see what is missing, run: retinue doctor"
)


@dataclass(slots=True)
class Confinement:
    """`missing` lists what the last worker could not give up, and why; None before the first worker."""

    required: bool = False
    missing: Sequence[str] | None = None

    @property
    def status(self) -> str:
        """Human-readable."""
        if self.missing is None:
            return "not tried yet"
        return f"not confined: {'; '.join(self.missing)}" if self.missing else "confined"

    def note(self, missing: Sequence[str]) -> None:
        """Record what a new worker could not give up. Raises `Unavailable` if confinement is required."""
        self.missing = missing
        if missing:
            _log.warning("tool_worker_unconfined", missing=missing, refused=self.required)
            if self.required:
                raise Unavailable(_REFUSED)
