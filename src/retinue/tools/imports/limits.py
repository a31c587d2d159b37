"""How much an account may import: sources, tools, and bytes of their definitions."""

from dataclasses import dataclass

from retinue.auth.caller import Caller
from retinue.core.errors import ValidationFailed
from retinue.core.statements import Row
from retinue.files.store import MIB

_UNLESS_NAMED = {"tool_sources": 20, "imported_tools": 10_000, "imported_mb": 64}
"""The quotas of a plan that leaves them out. Each account's share of the server's memory follows from them."""


@dataclass(frozen=True)
class Room:
    """What is left of tools and of bytes."""

    tools: int
    size: int


@dataclass(frozen=True)
class Limits:
    """The quotas of an account's plan."""

    plan_name: str
    sources: int
    tools: int
    size: int

    @classmethod
    def of(cls, caller: Caller) -> "Limits":
        """Those of the caller's plan."""
        quotas = {**_UNLESS_NAMED, **caller.plan.quotas}
        return cls(caller.plan_name, quotas["tool_sources"], quotas["imported_tools"], quotas["imported_mb"] * MIB)

    def check_another(self, held: Row) -> None:
        """Refuse one more source than the plan allows."""
        if held.sources >= self.sources:
            raise ValidationFailed(
                f"The plan {self.plan_name} allows {self.sources} sources at most (tool_sources). Delete one first."
            )

    def room(self, held: Row) -> Room:
        """What may still be imported beside what is `held`."""
        return Room(max(self.tools - held.tools, 0), max(self.size - held.size, 0))

    def check(self, held: Row) -> None:
        """Refuse to hold so much."""
        for name, amount, limit in (
            ("imported_tools", held.tools, self.tools),
            ("imported_mb", -(-held.size // MIB), self.size // MIB),
        ):
            if amount > limit:
                raise ValidationFailed(
                    f"The plan {self.plan_name} allows {limit:,} of {name}, and with this import you would have "
                    f"{amount:,}. Import a part of it, or delete a source first."
                )
