"""Chooses what `alfred-default` means for the caller's account, or for everybody."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import InsufficientScope, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.models.embedding_models import ALIAS, EmbeddingModels
from retinue.models.registry import DEFAULT, Models
from retinue.providers import statements as sql
from retinue.providers.tables import EVERYBODY


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the aliases mean. `shared` says that an operator chose the model of chats for everybody."""

    model: str
    fallbacks: Sequence[str]
    shared: bool
    embedding: str


@dataclass(frozen=True)
class DefaultModel:
    """Reads and changes the default model of the caller's account."""

    caller: Caller
    database: Database
    models: Models
    embeddings: EmbeddingModels
    reindex: Callable[[Tx, int], Awaitable[None]]
    """Called when the embedding model of an account, or of everybody, changes."""

    async def get(self) -> Defaults:
        """Return what `alfred-default` and `alfred-embedding` mean for the account."""
        chosen = await self.models.default_of(self.caller.account_id)
        embedding = "" if self.caller.sandbox else await self.embeddings.choice_of(self.caller.account_id)
        return Defaults(chosen.model, chosen.fallbacks, chosen.shared, embedding or ALIAS)

    async def choose_embedding(self, embedding: str, *, shared: bool) -> Defaults:
        """Choose the embedding model; `alfred-embedding` undoes the choice. Collections are indexed again.

        Raises `ValidationFailed` for a model that makes no embeddings.
        """
        account = EVERYBODY if shared else self.caller.account_id
        if shared:
            await self._require_operator()
        if self.caller.sandbox:
            raise ValidationFailed("embedding: test keys always use the included model. Choose it with a live key.")
        name = "" if embedding == ALIAS else embedding
        if name:
            await self.embeddings.check(account, name)
        moment, actor = now(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            await tx.run(
                sql.SET_EMBEDDING, account_id=account, model="", fallbacks=[], embedding=name, updated_at=moment
            )
            await self.reindex(tx, account)
            detail = f"Embeddings by {embedding} for {'everybody' if shared else 'this account'}."
            await audit(tx, actor, "model_default.changed", None, detail)

        await self.database.transact(write)
        self.models.forget()
        return await self.get()

    async def choose(self, model: str, fallbacks: list[str], *, shared: bool) -> Defaults:
        """Choose the default; `alfred-default` as the model undoes the choice.

        Raises `ValidationFailed` for a model that does not exist, and `InsufficientScope` if a user who is no operator
        chooses for everybody.
        """
        account = EVERYBODY if shared else self.caller.account_id
        if shared:
            await self._require_operator()
        if DEFAULT in fallbacks:
            raise ValidationFailed(f"fallbacks: {DEFAULT} cannot stand for itself. Name another model.")
        await self.models.check(account, model, *fallbacks)
        moment, actor = now(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            if model == DEFAULT:
                await tx.run(sql.CLEAR_DEFAULT, account=account)
            else:
                await tx.run(sql.SET_DEFAULT, account_id=account, model=model, fallbacks=fallbacks, updated_at=moment)
            detail = f"The model {model} for {'everybody' if shared else 'this account'}."
            await audit(tx, actor, "model_default.changed", None, detail)

        await self.database.transact(write)
        self.models.forget()
        return await self.get()

    async def _require_operator(self) -> None:
        operator = self.caller.operator_id
        if operator is None or not await self.database.lookup(sql.IS_OPERATOR, user=operator):
            raise InsufficientScope(
                "Only an operator of this server can choose the default of all accounts. Leave out shared."
            )
