"""Limits of an account's imports: sources, tools, and bytes of their definitions."""

from dataclasses import dataclass
from typing import Self

from retinue.auth.caller import Caller
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.files.store import MIB


@dataclass(frozen=True)
class RemainingRoom:
    """The remaining number of tools and of bytes."""

    tools: int
    size: int


@dataclass(frozen=True)
class AccountLimits:
    """The limits of an account's plan; `size` is in bytes."""

    plan_name: str
    sources: int
    tools: int
    size: int

    @classmethod
    def of(cls, caller: Caller) -> Self:
        """Return the limits of the caller's plan."""
        imports = caller.plan.imports
        return cls(caller.plan_name, imports.sources, imports.tools, imports.mb * MIB)

    def check_another(self, usage: Row) -> None:
        """Raise `ValidationFailed` if the plan allows no further source."""
        if usage.sources >= self.sources:
            raise ValidationFailed(
                f"The plan {self.plan_name} allows at most {self.sources} sources. Delete one first."
            )

    def room(self, usage: Row) -> RemainingRoom:
        """Return the remaining allowance beyond what the account holds."""
        return RemainingRoom(max(self.tools - usage.tools, 0), max(self.size - usage.size, 0))

    def check(self, usage: Row) -> None:
        """Raise `ValidationFailed` if the account holds more than the plan allows."""
        if usage.sources > self.sources:
            raise ValidationFailed(f"The plan {self.plan_name} allows {self.sources} sources. Delete one first.")
        if usage.tools > self.tools or usage.size > self.size:
            allowed = f"{self.tools:,} imported tools of {self.size // MIB} MiB"
            raise ValidationFailed(
                f"The plan {self.plan_name} allows {allowed}. Import fewer tools, or delete a source first."
            )
