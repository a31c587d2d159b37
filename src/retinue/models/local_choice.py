"""Applies the operator's choice of a local model on this server, at its start and whenever it changes."""

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.work.notifier import Notifier, wait
from retinue.models.known_weights import known_weights
from retinue.models.llama_process import LoadFailed
from retinue.models.local import LocalModel
from retinue.providers import statements as sql

log = structlog.get_logger()

TOPIC = "local_model"
"""The wake-up after a choice, on all servers."""

_LOOK_S = 2.0


class LocalChoice:
    """Runs what operators chose as the local model of this server; None if it runs no local model."""

    def __init__(self, database: Database, notifier: Notifier, local: LocalModel | None) -> None:
        self.loading = ""
        """The weights that are being loaded because an operator chose them; empty if none are."""
        self._database, self._notifier, self._local = database, notifier, local

    async def prepare(self) -> None:
        """Let the local model start with the last choice that a server could load."""
        if self._local and (row := await self._database.lookup(sql.PROVEN_CHOICE)) and _is_known(row.name):
            self._local.chosen = row.name

    async def run(self) -> None:
        """Apply each choice. A server without the file waits for it, and continues with its model meanwhile."""
        if not self._local:
            return
        failed = 0
        with self._notifier.waiting(TOPIC) as changed:
            while True:
                try:
                    failed = await self._follow(self._local, failed)
                except DatabaseUnavailable as error:
                    log.warning("the choice of a local model could not be read", reason=error.message)
                await wait(changed, _LOOK_S)

    async def _follow(self, local: LocalModel, failed: int) -> int:
        """Apply the newest choice, unless it failed to load here. Returns the id of the last one that did."""
        row = await self._database.lookup(sql.CHOICE)
        if not row or not _is_known(row.name):
            local.trouble = ""
        elif row.id != failed and not await self._apply(local, row):
            return int(row.id)
        return failed

    async def _apply(self, local: LocalModel, row: Row) -> bool:
        """Switch to the chosen model if it does not run. Returns False if it does not load here."""
        if local.is_starting and local.chosen == row.name:
            return True
        if local.weights == row.name:
            local.trouble = ""
            await self._settle(row, "ready")
            return True
        if not known_weights(row.name).present_in(local.folder):
            local.trouble = f"The chosen model {row.name} is not on this server. Download it here, too."
            return True
        self.loading = row.name
        try:
            await local.take_over(row.name)
        except LoadFailed as error:
            local.trouble = f"The chosen model {row.name} did not load: {_sentence(error)}"
            log.warning("the chosen model did not load", weights=row.name, reason=str(error))
            await self._settle(row, "failed", f"It did not load: {_sentence(error)} The model before stays.")
            return False
        finally:
            self.loading = ""
        await self._settle(row, "ready")
        return True

    async def _settle(self, row: Row, state: str, error: str | None = None) -> None:
        if row.state != "loading":
            return

        async def write(tx: Tx) -> None:
            await tx.run(sql.SETTLE, activation=row.id, new_state=state, new_error=error)

        await self._database.transact(write)
        self._notifier.wake(TOPIC)


def _is_known(name: str) -> bool:
    """True unless the list of another version had the model."""
    try:
        known_weights(name)
    except ValidationFailed:
        return False
    return True


def _sentence(error: LoadFailed) -> str:
    return f"{str(error).rstrip('.')}."
