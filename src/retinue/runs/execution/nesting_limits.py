"""Limits the depth and the total number of runs that other runs start."""

from dataclasses import dataclass

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.errors import ValidationFailed
from retinue.runs.run_options import RunOptions
from retinue.runs.tables import runs

_ROOT = (
    runs.c.id == sa.bindparam("root", type_=BigInt),
    runs.c.account_id == sa.bindparam("account", type_=BigInt),
)
_LOCK = Statement(sa.select(runs.c.options).where(*_ROOT).with_for_update())
_COUNT = Statement(sa.update(runs).where(*_ROOT).values(options=sa.bindparam("changed", type_=runs.c.options.type)))


@dataclass(frozen=True)
class NestingLimits:
    """Limits that stop an agent which starts agents from filling its account with runs.

    A run may be at most `deepest` levels below its root run, and one root run may lead to at most `most` runs.
    """

    deepest: int
    most: int

    async def check(self, tx: Tx, account: int, begun: RunOptions) -> None:
        """Raise `ValidationFailed` if the run may not be started."""
        await self._count(tx, account, begun, 0)

    async def admit(self, tx: Tx, account: int, begun: RunOptions) -> None:
        """Count a run that is about to start. Raises `ValidationFailed` like `check`."""
        await self._count(tx, account, begun, 1)

    async def _count(self, tx: Tx, account: int, begun: RunOptions, more: int) -> None:
        if begun.depth > self.deepest:
            raise ValidationFailed(
                f"This run is nested {begun.depth - 1} levels deep and cannot start another run. "
                "Answer with what you have."
            )
        first = await tx.one(_LOCK, root=begun.root, account=account) if begun.root else None
        if first is None:
            return
        options = RunOptions.model_validate(first.options)
        if options.begun >= self.most:
            raise ValidationFailed(
                f"Run {begun.root} and its descendants have started {self.most} runs, which is the maximum. "
                "Answer with what you have."
            )
        if more:
            options.begun += more
            changed = options.model_dump(exclude_defaults=True)
            await tx.run(_COUNT, root=begun.root, account=account, changed=changed)
