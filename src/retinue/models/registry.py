"""Registers the models of this server by name."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any, Literal

import aiohttp

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.models.assistant.assistant import Assistant
from retinue.models.base import TEXT_ONLY, Delta, Model, ModelRequest, Usage
from retinue.models.classifier import Classifier
from retinue.models.concurrency_limit import QueuedModel
from retinue.models.local import LocalModel, order_of
from retinue.models.meaning import Meaning
from retinue.models.providers.endpoint import DEFAULT_ORIGIN, Endpoint, Limits
from retinue.models.providers.openai import OpenAIModel
from retinue.models.test_model import ScriptedModel

DEFAULT = "alfred-default"
"""The alias of the model that the operator configured. It always exists."""

LOCAL = "alfred-local"


class NoModel:
    """The default if no model is configured: every call fails with advice on how to configure one."""

    name = DEFAULT
    context_tokens = 4096
    max_output_tokens: int | None = None
    input = TEXT_ONLY
    uses_resources = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Raise `Unavailable`. See `Model`."""
        self._refuse()
        yield Usage(0, 0)

    def _refuse(self) -> None:
        raise Unavailable(
            "No model is configured. The operator should set RETINUE_MODEL_URL to an OpenAI-compatible "
            "endpoint, or leave RETINUE_LOCAL_MODEL unset and run `retinue models pull`."
        )


class Models:
    """Maps names to models: a remote endpoint if `url` is set, else the local model (`auto`, `off` or weights)."""

    def __init__(
        self,
        weights_folder: Path,
        local: str = "auto",
        url: str | None = None,
        key: str = "",
        model_name: str | None = None,
        tools: Literal["native", "routed"] = "native",
        context_tokens: int = 32_768,
        at_once: int = 200,
    ) -> None:
        """`at_once` limits concurrent requests to the endpoint; the local model has its own limit."""
        self.test: Model = ScriptedModel()
        """The sandbox's model, which runs with a test key always use."""
        self._url, self._key, self._model_name, self._at_once = url, key, model_name, at_once
        self._routed, self._context_tokens = tools == "routed", context_tokens
        self._local = None if url or local == "off" else LocalModel(weights_folder, order_of(local), name=LOCAL)
        self._classifier = Classifier(weights_folder) if url and local != "off" else None
        self._session: aiohttp.ClientSession | None = None
        self._by_name: dict[str, Model] = {}

    async def start(self) -> None:
        """Open the connection pool, or start the local model in the background. Returns at once."""
        default: Model = NoModel()
        if self._local:
            await self._local.start()
            default = self._by_name[LOCAL] = self._local.model()
        elif self._url:
            default = self._by_name[self._model_name or DEFAULT] = self._remote(self._url)
        if self._classifier:
            await self._classifier.start()
        self._by_name[DEFAULT] = default

    async def stop(self) -> None:
        """Stop the local model and close connections."""
        if self._local:
            await self._local.stop()
        if self._classifier:
            await self._classifier.stop()
        if self._session:
            await self._session.close()

    def names(self) -> list[str]:
        """Return the names that `get` accepts, the default first."""
        return sorted(self._by_name, key=lambda name: (name != DEFAULT, name))

    def get(self, name: str) -> Model | None:
        """Return the model with this name, or None."""
        return self._by_name.get(name)

    async def pick(self, account_id: int, name: str, fallbacks: Sequence[str] = (), *, sandbox: bool = False) -> Model:
        """Return the model for an account's run; sandbox runs always get the test model. Raises `Unavailable`."""
        model = self.test if sandbox else self.get(name)
        if model is None:
            raise Unavailable(
                f"The model {name!r} is no longer configured. GET /api/v1/models lists the available models."
            )
        return model

    async def meaning(self, request: str) -> Meaning | None:
        """Classify a request with the embedding classifier; None if it does not run."""
        classifier = self._local or self._classifier
        return await classifier.meaning(request) if classifier else None

    async def check(self, account_id: int, *names: str) -> None:
        """Raise `ValidationFailed` if the account has no model with one of the names. The message lists others."""
        for name in names:
            if self.get(name) is None:
                raise ValidationFailed(f"model: there is no model {name!r}. Use one of: {', '.join(self.names())}.")

    def status(self) -> dict[str, Any]:
        """Return `kind` (remote, local or none), `state` and details. Never contains the key."""
        if self._local:
            return {"kind": "local", **self._local.status()}
        if self._url:
            return {"kind": "remote", "state": "ready", "model": self._model_name}
        return {"kind": "none", "state": "missing"}

    def _remote(self, url: str) -> Model:
        connector = aiohttp.TCPConnector(limit=0)
        self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        name = self._model_name or DEFAULT
        endpoint, limits = Endpoint(url, self._key), Limits(self._context_tokens)
        model = OpenAIModel(DEFAULT_ORIGIN, name, endpoint, self._session, limits)
        return QueuedModel(Assistant(model) if self._routed else model, self._at_once)
