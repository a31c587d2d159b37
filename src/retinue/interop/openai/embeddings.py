"""Embeddings by the model that collections use.

Protocol: https://platform.openai.com/docs/api-reference/embeddings
"""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import orjson
from fastapi import Depends
from pydantic import Field
from starlette.responses import Response

from retinue.auth.caller import Caller
from retinue.auth.services import of_caller
from retinue.core.database.interface import Database
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.http.operations import Api
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.interop.lenient import Lenient, Name, UserName
from retinue.interop.openai.base import BASE
from retinue.interop.stateless_chats import ModelNotFound
from retinue.knowledge.embedders import usage_of
from retinue.knowledge.embedding import embed_texts, included_model, to_unit_vectors
from retinue.models.base import estimate_tokens
from retinue.models.embedding_models import ALIAS, EmbeddingModels
from retinue.usage.budgets import Budgets
from retinue.usage.ledger import BudgetOwners, UsageEntry, UsageOrigin, record

if TYPE_CHECKING:
    from retinue.knowledge.embedding import Floats

_MOST_TEXTS, _MOST_CHARACTERS = 2048, 100_000


class EmbeddingRequest(Lenient):
    """Request body of embeddings."""

    model: Name
    input: str | list[str] | list[int] | list[list[int]]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[int, Field(ge=1)] | None = None
    user: UserName = None

    def texts(self) -> list[str]:
        """Return the texts. Raises `ValidationFailed` if they cannot be encoded."""
        texts = [self.input] if isinstance(self.input, str) else self.input
        if not texts or len(texts) > _MOST_TEXTS:
            raise ValidationFailed(f"input: send 1 to {_MOST_TEXTS:,} texts.")
        found = [text for text in texts if isinstance(text, str)]
        if len(found) < len(texts):
            raise ValidationFailed(
                "input: send texts instead of token numbers. With LangChain, set check_embedding_ctx_length=False."
            )
        if not all(found):
            raise ValidationFailed("input: texts must not be empty.")
        if sum(map(len, found)) > _MOST_CHARACTERS:
            raise ValidationFailed(
                f"input: a request can have at most {_MOST_CHARACTERS:,} characters. Send several requests."
            )
        return found


@dataclass(frozen=True)
class Embeddings:
    """Encodes texts for one caller."""

    caller: Caller
    database: Database
    budgets: Budgets
    models: EmbeddingModels

    async def create(self, request: EmbeddingRequest) -> bytes:
        """Return the body of the response. Raises `RetinueError`."""
        if request.model != ALIAS:
            raise ModelNotFound(f"model: there is no embedding model {request.model!r}. Use {ALIAS}.")
        texts = request.texts()
        spenders = BudgetOwners(key_id=self.caller.key_id)
        await self.budgets.check(spenders)
        name = "" if self.caller.sandbox else await self.models.choice_of(self.caller.account_id)
        vectors, use = await (self._by_provider(name, texts) if name else _by_included(texts))
        if request.dimensions not in (None, len(vectors[0])):
            raise ValidationFailed(f"dimensions: {ALIAS} has {len(vectors[0])} dimensions. Leave the field out.")
        if not self.caller.sandbox:
            account, origin = self.caller.account_id, UsageOrigin(name or ALIAS, request.user)
            await self.database.transact(lambda tx: record(tx, account, use, spenders=spenders, origin=origin))
        return await run_on_compute_thread(_body, vectors, request.encoding_format, use.tokens)

    async def _by_provider(self, name: str, texts: Sequence[str]) -> "tuple[Sequence[Floats], UsageEntry]":
        found = await self.models.embed(self.caller.account_id, name, texts)
        return list(await run_on_compute_thread(to_unit_vectors, found.vectors)), usage_of(found)


async def _by_included(texts: Sequence[str]) -> "tuple[Sequence[Floats], UsageEntry]":
    if not included_model():
        raise Unavailable(
            "The embedding model is not installed on this server. The operator can reinstall Retinue with its "
            "dependencies."
        )
    tokens = sum(map(estimate_tokens, texts))
    return await embed_texts(texts), UsageEntry("chat", tokens=tokens, input_tokens=tokens)


def _body(vectors: "Sequence[Floats]", form: str, tokens: int) -> bytes:
    """Write the response vector by vector, so that the event loop has its turns in between."""
    data = b",".join(
        orjson.dumps({"object": "embedding", "index": index, "embedding": _encode(vector, form)})
        for index, vector in enumerate(vectors)
    )
    usage = orjson.dumps({"prompt_tokens": tokens, "total_tokens": tokens})
    return b'{"object":"list","data":[%b],"model":"%b","usage":%b}' % (data, ALIAS.encode(), usage)


def _encode(vector: "Floats", form: str) -> object:
    return b64encode(vector.astype("<f4").tobytes()).decode() if form == "base64" else vector.tolist()


api = Api("openai", base=BASE)


@api.post("/embeddings", scope="chat:write", include_in_schema=False)
async def create_embeddings(
    body: EmbeddingRequest, embeddings: Annotated[Embeddings, Depends(of_caller(Embeddings))]
) -> Response:
    """Return the embeddings of texts."""
    return Response(await embeddings.create(body), media_type="application/json")
