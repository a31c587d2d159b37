"""Operators list, download, choose and delete local models."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from retinue.auth.audit.entries import Action, Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import InsufficientScope, NotFound, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.core.work.notifier import Notifier
from retinue.models.download import MARGIN
from retinue.models.known_weights import WEIGHTS, Weights, cores, memory
from retinue.models.local import LocalModel
from retinue.models.local_choice import TOPIC, LocalChoice
from retinue.models.pulls import Pulls
from retinue.models.recommendation import speed
from retinue.models.weights_files import delete_weights
from retinue.providers import statements as sql


@dataclass(frozen=True)
class LocalParts:
    """What this server has for local models: their folder, the model, its choice and the downloads."""

    folder: Path
    model: LocalModel | None
    choice: LocalChoice
    pulls: Pulls
    machine_memory: int = field(default_factory=memory)
    """The memory of the machine, or the limit of the container, in bytes."""


@dataclass(frozen=True)
class LocalModels:
    """The local models of this server, for operators."""

    caller: Caller
    database: Database
    notifier: Notifier
    parts: LocalParts

    async def list(self) -> Sequence[dict[str, object]]:
        """Return all listed models, the smallest first. Raises `InsufficientScope`, like all methods."""
        await self._require_operator()
        last = await self.database.lookup(sql.LAST_ACTIVATION)
        free = await run_on_disk_thread(_free, self.parts.folder)
        return [self._describe(weights, last, free) for weights in WEIGHTS.values()]

    async def get(self, name: str) -> dict[str, object]:
        """Return one model. Raises `NotFound`."""
        weights = await self._weights(name)
        last = await self.database.lookup(sql.LAST_ACTIVATION)
        return self._describe(weights, last, await run_on_disk_thread(_free, self.parts.folder))

    async def pull(self, name: str) -> dict[str, object]:
        """Begin to download a model to this server. Raises `ValidationFailed` and `Unavailable`."""
        weights = await self._weights(name)
        if not weights.present_in(self.parts.folder):
            await self.parts.pulls.start(name)
            await self._audit("local_model.pulled", name)
            self.notifier.wake(TOPIC)
        return await self.get(name)

    async def cancel(self, name: str) -> dict[str, object]:
        """Stop the download of a model and delete what it has. Raises `ValidationFailed` if it is not running."""
        await self._weights(name)
        await self.parts.pulls.cancel(name)
        self.notifier.wake(TOPIC)
        return await self.get(name)

    async def activate(self, name: str) -> dict[str, object]:
        """Choose a model for `alfred-local` on all servers. They load it in the background."""
        weights = await self._weights(name)
        self._check_usable(weights)
        moment, actor = now(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            await tx.run(sql.ACTIVATE, name=name, state="loading", created_at=moment)
            await audit(tx, actor, "local_model.activated", None, f"{name}.")

        await self.database.transact(write)
        self.notifier.wake(TOPIC)
        return await self.get(name)

    async def delete(self, name: str) -> None:
        """Delete the file of a model from this server. Raises `ValidationFailed` if it is in use, or not there."""
        weights = await self._weights(name)
        choice = await self.database.lookup(sql.CHOICE)
        running = self.parts.model and self.parts.model.weights == name
        if running or (choice and choice.name == name):
            raise ValidationFailed(f"{name} is in use. Choose another local model first.")
        if not await run_on_disk_thread(delete_weights, weights, self.parts.folder):
            raise ValidationFailed(f"The file of {name} is not on this server.")
        await self._audit("local_model.deleted", name)
        self.notifier.wake(TOPIC)

    def _check_usable(self, weights: Weights) -> None:
        if self.parts.model is None:
            raise ValidationFailed(
                "This server runs no local model. Remove RETINUE_MODEL_URL and RETINUE_LOCAL_MODEL=off from its "
                "environment, and add the endpoint as a provider."
            )
        if not weights.present_in(self.parts.folder):
            raise ValidationFailed(f"{weights.name} is not on this server. Download it first.")
        if weights.memory > self.parts.machine_memory:
            raise ValidationFailed(
                f"{weights.name} needs {weights.memory / 1e9:.1f} GB of memory, but the machine has "
                f"{self.parts.machine_memory / 1e9:.1f} GB. Choose a smaller model."
            )

    def _describe(self, weights: Weights, last: Row | None, free: int) -> dict[str, object]:
        state, pulls = self._state(weights, last), self.parts.pulls
        current = pulls.current if pulls.current and pulls.current.name == weights.name else None
        failed = last.error if last and last.name == weights.name else None
        enough_disk = state != "absent" or weights.size + MARGIN <= free
        return {
            "name": weights.name,
            "title": weights.title,
            "size_bytes": weights.size,
            "licence": weights.licence,
            "context_tokens": weights.slot_tokens,
            "memory_bytes": weights.memory,
            "fits": weights.memory <= self.parts.machine_memory and enough_disk,
            "speed": speed(weights.read_per_token, cores()),
            "tools": weights.calls_tools,
            "state": state,
            "pulled_bytes": current.done if current else 0,
            "error": pulls.errors.get(weights.name) or failed,
        }

    def _state(self, weights: Weights, last: Row | None) -> str:
        parts, name = self.parts, weights.name
        if parts.pulls.current and parts.pulls.current.name == name:
            return "pulling"
        if not weights.present_in(parts.folder):
            return "absent"
        if parts.choice.loading == name or (last and last.name == name and last.state == "loading"):
            return "loading"
        return "active" if parts.model and parts.model.weights == name else "ready"

    async def _weights(self, name: str) -> Weights:
        """Return listed weights. Raises `NotFound`."""
        await self._require_operator()
        if name not in WEIGHTS:
            raise NotFound(f"There is no local model {name[:60]!r}. GET /api/v1/models/local lists them.")
        return WEIGHTS[name]

    async def _audit(self, action: Action, name: str) -> None:
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            await audit(tx, actor, action, None, f"{name}.")

        await self.database.transact(write)

    async def _require_operator(self) -> None:
        operator = self.caller.operator_id
        if operator is None or not await self.database.lookup(sql.IS_OPERATOR, user=operator):
            raise InsufficientScope(
                "Only an operator of this server can manage local models, with a session or a live key that has the "
                "scope *."
            )


def _free(folder: Path) -> int:
    """Return the free bytes of the disk that the folder is, or would be, on."""
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    return shutil.disk_usage(existing).free
