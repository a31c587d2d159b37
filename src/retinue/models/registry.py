"""The models of this server by name."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Literal

import aiohttp

from retinue.core.errors import Unavailable
from retinue.models.assistant.assistant import Assistant
from retinue.models.base import Delta, Model, ModelRequest, Usage
from retinue.models.classifier import Classifier
from retinue.models.concurrency_limit import QueuedModel
from retinue.models.local import LocalModel, order_of
from retinue.models.openai import OpenAIModel
from retinue.models.test_model import ScriptedModel
from retinue.models.tool_classifier import Meaning

DEFAULT = "alfred-default"
"""The name that always works: the model that the operator configured."""

LOCAL = "alfred-local"


class NoModel:
    """Stands where no model is configured, and says how to configure one."""

    name = DEFAULT
    context_tokens = 4096
    uses_resources = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Refuse. See `Model`."""
        self._refuse()
        yield Usage(0, 0)

    def _refuse(self) -> None:
        raise Unavailable(
            "No model is configured. The operator should set RETINUE_MODEL_URL to an OpenAI-compatible endpoint, "
            "or leave RETINUE_LOCAL_MODEL out and run `retinue models pull`."
        )


class Models:
    """Names to models: an endpoint where `url` is given, else the local model (`auto`, `off` or a name of weights)."""

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
        """`at_once` bounds the requests to the endpoint; the local model has a bound of its own."""
        self.test: Model = ScriptedModel()
        """The sandbox's model: what every name means for a test key."""
        self._url, self._key, self._model_name, self._at_once = url, key, model_name, at_once
        self._routed, self._context_tokens = tools == "routed", context_tokens
        self._local = None if url or local == "off" else LocalModel(weights_folder, order_of(local), name=LOCAL)
        self._classifier = Classifier(weights_folder) if url and local != "off" else None
        self._session: aiohttp.ClientSession | None = None
        self._by_name: dict[str, Model] = {}

    async def start(self) -> None:
        """Open the connection pool, or begin to bring up the local model. Returns at once."""
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
        """End the local model and close connections."""
        if self._local:
            await self._local.stop()
        if self._classifier:
            await self._classifier.stop()
        if self._session:
            await self._session.close()

    def names(self) -> list[str]:
        """The names that `get` knows, the default first."""
        return sorted(self._by_name, key=lambda name: (name != DEFAULT, name))

    def get(self, name: str) -> Model | None:
        """The model of that name, if there is one."""
        return self._by_name.get(name)

    def pick(self, name: str, sandbox: bool) -> Model:
        """The model for a run: a sandbox's runs always get the test model. Raises `Unavailable`."""
        model = self.test if sandbox else self.get(name)
        if model is None:
            raise Unavailable(f"The model {name!r} is no longer configured; GET /api/v1/models lists those that are.")
        return model

    async def meaning(self, request: str) -> Meaning | None:
        """What a request means, by the embedding classifier, where it runs."""
        classifier = self._local or self._classifier
        return await classifier.meaning(request) if classifier else None

    def status(self) -> dict[str, Any]:
        """`kind` (remote, local or none), `state`, and what else there is to tell; never the key."""
        if self._local:
            return {"kind": "local", **self._local.status()}
        if self._url:
            return {"kind": "remote", "state": "ready", "model": self._model_name}
        return {"kind": "none", "state": "missing"}

    def _remote(self, url: str) -> Model:
        connector = aiohttp.TCPConnector(limit=0)
        self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        name = self._model_name or DEFAULT
        model = OpenAIModel(name, name, url, self._key, self._context_tokens, self._session)
        return QueuedModel(Assistant(model) if self._routed else model, self._at_once)
