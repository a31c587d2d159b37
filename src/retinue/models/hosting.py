"""Keeps what this node needs to call providers: their clients, slots, breakers and lists of models."""

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypedDict, cast, get_args

import aiohttp

from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, Unavailable
from retinue.core.network.http_client import AddressGuard, guarded_session
from retinue.core.runtime.fair_semaphore import FairSemaphore
from retinue.models.assistant import JsonModel, installed_assistant
from retinue.models.base import KeyRefused, Message, Modality, ModelRequest, Price
from retinue.models.clients import client_of, list_models
from retinue.models.failover import CircuitBreaker, ModelTarget, name_provider
from retinue.models.key_state import KeyState
from retinue.models.known_models import ModelInfo, model_info
from retinue.models.providers.catalogue import ModelListing
from retinue.models.providers.embeddings import EmbeddedTexts, embed_texts
from retinue.models.providers.endpoint import REASONING, Endpoint, ModelLimits, Timeouts
from retinue.models.providers.errors import ErrorMessages
from retinue.models.providers.reranking import RerankedTexts, rerank_texts
from retinue.providers.keyring import ChosenDefault, ProviderKeyring
from retinue.providers.kinds import Kind
from retinue.providers.schemas import MODEL_NAME
from retinue.providers.service import TestOutcome

KEPT_S = 0.8
"""Seconds for which a node keeps what an account sees. Changes by other nodes are seen within that time."""

_LISTED_S = 300.0
"""Seconds for which a provider's list of models is kept."""

_ASKED_AGAIN_S = 10.0
"""Seconds after which an unknown model makes the node ask for the list again."""

_TEST_S = 30.0
_TEST_TOKENS = 64
_MOST_ACCOUNTS = 10_000
_MOST_PROVIDERS = 2_000
_MOST_CLIENTS = 1_000
_WAITING = 4
"""Queued requests of waiting clients per running request."""

_NO_CHAT = re.compile(
    r"embed|whisper|tts|transcri|dall-e|moderation|image|realtime|sora|veo|imagen|rerank|babbage|davinci|aqa|audio"
)
"""Words in the names of models that do not chat."""

_EMBEDS = re.compile(r"embed|\b(bge|e5|gte|minilm|voyage|jina)\b")
"""Words in the names of models that make embeddings."""


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """What is configured of a provider.

    `entries` are its configured models by id; None if it is asked for its list. `context_tokens` overrides what is
    known of its models. With `routed`, the assistant chooses their tools.
    """

    name: str
    origin: str
    kind: Kind
    endpoint: Endpoint
    at_once: int
    entries: Mapping[str, Mapping[str, Any]] | None = None
    context_tokens: int | None = None
    routed: bool = False


class HostedProvider:
    """One provider at this node: its clients, and its list of models."""

    def __init__(self, options: ProviderOptions, session: aiohttp.ClientSession) -> None:
        self.name, self.origin, self.entries = options.name, options.origin, options.entries
        self._options, self._session = options, session
        self._kind, self._endpoint = options.kind, options.endpoint
        queue = _WAITING * options.at_once
        self._slots = FairSemaphore(options.at_once, f"the provider {options.name}", queue=queue, queue_each=queue // 2)
        self._breaker = CircuitBreaker()
        self.key = KeyState()
        self._targets: dict[str, ModelTarget] = {}
        self._listed: Mapping[str, ModelListing] = {}
        self._listed_at: float | None = None
        self._asking = asyncio.Lock()
        self._reranks_texts = False

    def info(self, model: str) -> ModelInfo:
        """Return what a model takes and costs: the configured values, those that the provider lists, or known ones."""
        known = model_info(self._kind, self._endpoint.base_url, model)
        if listing := self._listed.get(model):
            known = replace(
                known,
                context_tokens=listing.context_tokens or known.context_tokens,
                max_output_tokens=listing.max_output_tokens or known.max_output_tokens,
                input=listing.input or known.input,
            )
        configured = {name: value for name, value in (self.entries or {}).get(model, {}).items() if value is not None}
        configured.pop("id", None)
        if self._options.context_tokens:
            configured.setdefault("context_tokens", self._options.context_tokens)
        if "input" in configured:
            configured["input"] = frozenset({"text", *configured["input"]})
        if "price" in configured:
            price = configured["price"]
            configured["price"] = Price(price["input"], price["output"], price.get("cached_input"))
        return replace(known, **configured)

    def target(self, model: str) -> ModelTarget | None:
        """Return a model as a target; None if the configured list lacks it."""
        if self.entries is not None and model not in self.entries:
            return None
        if model not in self._targets:
            if len(self._targets) >= _MOST_CLIENTS:
                self._targets.clear()
            self._targets[model] = self.build(model)
        return self._targets[model]

    async def model_ids(self, model_id: str = "") -> Sequence[str]:
        """Return the ids of the models. Asks the provider again if `model_id` is not in a list that is no longer new.

        Raises `Unavailable` if the provider does not answer.
        """
        if self.entries is not None:
            return list(self.entries)
        async with self._asking:
            age = _LISTED_S if self._listed_at is None else time.monotonic() - self._listed_at
            if age >= _LISTED_S or (model_id and model_id not in self._listed and age >= _ASKED_AGAIN_S):
                await self.ask_for_models()
        return list(self._listed)

    async def ask_for_models(self) -> Sequence[str]:
        """Ask the provider for its models, and return their ids. Raises `Unavailable`."""
        self._listed_at = time.monotonic() - _LISTED_S + _ASKED_AGAIN_S
        try:
            found = await list_models(self._kind, self._endpoint, self._session)
        except KeyRefused as error:
            self.key.note_listing(error)
            raise
        listed = {one.id: one for one in found if len(self.name) + 1 + len(one.id) <= MODEL_NAME}
        if listed != self._listed:
            self._listed = listed
            self._targets.clear()  # Their limits may have changed.
        self._listed_at = time.monotonic()
        return list(listed)

    async def chat_models(self) -> Sequence[str]:
        """Return the ids of the models that can chat; none if the provider does not answer."""
        try:
            found = await self.model_ids()
        except Unavailable:
            found = list(self._listed)
        return found if self.entries is not None else [one for one in found if not _NO_CHAT.search(one.lower())]

    async def test(self, model: str | None) -> TestOutcome:
        """Make one small call."""
        began = time.monotonic()
        try:
            with self.key.watch():
                async with asyncio.timeout(_TEST_S):
                    if not model:
                        await self.model_ids()
                        model = next(iter(await self.chat_models()), None)
                    if not model:
                        raise Unavailable("The provider lists no model that can chat. Name one to test.")
                    await self._call(model)
            error = None
        except TimeoutError:
            error = f"The provider did not reply within {_TEST_S:.0f} seconds."
        except RetinueError as failure:
            name_provider(failure, self.origin)
            error = failure.message
        return TestOutcome(error is None, model, round(1000 * (time.monotonic() - began)), error)

    async def _call(self, model: str) -> None:
        request = ModelRequest([Message("user", "Reply with the word OK.")], temperature=None, max_tokens=_TEST_TOKENS)
        async for _ in self.build(model).model.stream(request):
            pass

    async def embed(self, account_id: int, model: str, texts: Sequence[str], *, is_question: bool) -> EmbeddedTexts:
        """Return the vectors of at most `AT_ONCE` texts. Raises `RetinueError`."""
        errors = ErrorMessages(self.origin, model, self._endpoint)
        async with self._slots.slot(account_id, waited_for=is_question):
            with self.key.watch():
                return await embed_texts(
                    self._kind, model, self._endpoint, self._session, texts, errors, is_question=is_question
                )

    async def rerank(self, account_id: int, model: str, question: str, texts: Sequence[str]) -> RerankedTexts:
        """Return how well texts answer a question. Raises `RetinueError`."""
        errors = ErrorMessages(self.origin, model, self._endpoint)
        async with self._slots.slot(account_id, waited_for=True):
            with self.key.watch():
                found = await rerank_texts(
                    self._kind, model, self._endpoint, self._session, question, texts,
                    wants_texts=self._reranks_texts, errors=errors,
                )  # fmt: skip
        self._reranks_texts = found.wants_texts
        return found

    async def embedding_models(self) -> Sequence[str]:
        """Return the ids of the models whose names say that they make embeddings."""
        if self._kind == "anthropic":
            return []
        try:
            found = await self.model_ids()
        except Unavailable:
            found = list(self._listed)
        return [one for one in found if _EMBEDS.search(one.lower())]

    def build(self, model: str) -> ModelTarget:
        """Return a new client of a model, which need not be listed."""
        info = self.info(model)
        timeouts = REASONING if info.reasoning else Timeouts()
        limits = ModelLimits(info.context_tokens, info.max_output_tokens, info.input, info.reasoning, timeouts)
        client = client_of(self._kind, self.origin, model, self._endpoint, self._session, limits)
        if self._options.routed and (assistant := installed_assistant()):
            client = assistant.wrap(cast(JsonModel, client))
        return ModelTarget(
            f"{self.name}/{model}", client, self.origin, info.price, self._slots, self._breaker, self.key
        )


@dataclass(frozen=True, slots=True)
class VisibleProviders:
    """The providers that an account sees, by name, and the defaults that apply to it, its own first.

    `embedding` is the chosen embedding model; empty for the included one.
    """

    providers: Mapping[str, HostedProvider]
    defaults: Sequence[ChosenDefault]
    embedding: str = ""


class ProviderHosting:
    """Provides accounts with the providers that they see."""

    def __init__(self, guard: AddressGuard, keyring: ProviderKeyring, at_once: int) -> None:
        """`at_once` is the number of concurrent requests to a provider that sets no limit."""
        self._guard, self._keyring, self._at_once = guard, keyring, at_once
        self._session: aiohttp.ClientSession | None = None
        self._views: OrderedDict[int, tuple[float, VisibleProviders]] = OrderedDict()
        self._providers: OrderedDict[int, tuple[Row, HostedProvider]] = OrderedDict()

    async def start(self) -> None:
        """Open the session, which reaches only the addresses that connections may reach."""
        # The clients of models do not decompress, so nobody can send a small body that grows.
        self._session = guarded_session(self._guard, total_s=600.0, headers={"Accept-Encoding": "identity"})

    async def stop(self) -> None:
        """Close it."""
        if self._session:
            await self._session.close()

    async def seen_by(self, account_id: int) -> VisibleProviders:
        """Return what an account sees. It is read again after `KEPT_S`."""
        cached = self._views.get(account_id)
        if cached and cached[0] > time.monotonic():
            return cached[1]
        visible = await self._keyring.seen_by(account_id)
        hosts = {name: self.provider_of(row) for name, row in visible.providers.items()}
        view = VisibleProviders(hosts, visible.defaults, visible.embedding)
        self._views[account_id] = time.monotonic() + KEPT_S, view
        self._views.move_to_end(account_id)
        if len(self._views) > _MOST_ACCOUNTS:
            self._views.popitem(last=False)
        return view

    def forget(self) -> None:
        """Read again what accounts see."""
        self._views.clear()

    def provider_of(self, row: Row) -> HostedProvider:
        """Return the provider of a row. It is the same object until the row changes."""
        cached = self._providers.get(row.id)
        if cached and cached[0].updated_at == row.updated_at:
            self._providers.move_to_end(row.id)
            return cached[1]
        provider = self._build(row)
        self._providers[row.id] = row, provider
        self._providers.move_to_end(row.id)
        if len(self._providers) > _MOST_PROVIDERS:
            self._providers.popitem(last=False)
        return provider

    async def test(self, row: Row, model: str | None) -> TestOutcome:
        """Make one small call."""
        return await self.provider_of(row).test(model)

    def key_refused_at(self, row: Row) -> datetime | None:
        """Return since when a provider refuses its key, as far as this node knows; None if it does not."""
        return self.provider_of(row).key.refused_at

    async def ask_for_models(self, row: Row) -> Sequence[Mapping[str, object]]:
        """Ask the provider for its models, and add what is known of each. Raises `Unavailable`."""
        provider = self.provider_of(row)
        return [{"id": one, **describe(provider.info(one))} for one in await provider.ask_for_models()]

    def _build(self, row: Row) -> HostedProvider:
        if self._session is None:
            raise Unavailable("The server is starting. Try again in a few seconds.")
        secret = self._keyring.secret(row)
        options = ProviderOptions(
            row.name,
            f"{row.name}:{row.id}",
            row.kind,
            Endpoint(row.base_url, secret.key, secret.headers, secret.query, direct=True),
            row.concurrency or self._at_once,
            entries=None if row.models is None else {entry["id"]: entry for entry in row.models},
        )
        return HostedProvider(options, self._session)


class PriceFacts(TypedDict):
    """The prices of a model in USD per million tokens, as decimal numbers."""

    input: str
    cached_input: str | None
    output: str


class ModelFacts(TypedDict):
    """The limits and prices of a model. Each is None if it is unknown."""

    context_tokens: int
    max_output_tokens: int | None
    input: Sequence[Modality]
    tools: bool
    reasoning: bool
    price: PriceFacts | None


def describe(info: ModelInfo) -> ModelFacts:
    """Return what is known of a model as JSON values."""
    order: tuple[Modality, ...] = get_args(Modality)
    price = info.price
    return {
        "context_tokens": info.context_tokens,
        "max_output_tokens": info.max_output_tokens,
        "input": [kind for kind in order if kind in info.input],
        "tools": info.tools,
        "reasoning": info.reasoning,
        "price": {"input": price.input, "cached_input": price.cached_input, "output": price.output} if price else None,
    }
