"""Threads that compute speech, in turns by account."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from retinue.core.runtime.executors import FairExecutor, acting_for

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AccountThreads:
    """The threads of a pool, used for one account. Accounts take turns, and none occupies more than its share."""

    pool: FairExecutor
    account: int

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function on a thread. From now on, the current task works for the account."""
        acting_for.set(self.account)
        return await self.pool.run(function, *args, **kwargs)
