"""Finds models by name: the local model, the configured endpoint, and the providers that an account sees."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import aiohttp
from rapidfuzz import fuzz, process

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.models.assistant import installed_assistant
from retinue.models.base import TEXT_ONLY, Delta, FailedAttempt, Model, ModelRequest, Price, Usage
from retinue.models.classifier import RequestClassifier
from retinue.models.download import pull
from retinue.models.failover import MOST_FALLBACKS, ModelTarget, RetryPolicy, RoutedModel
from retinue.models.hosting import (
    HostedProvider,
    ModelFacts,
    ProviderHosting,
    ProviderOptions,
    VisibleProviders,
    describe,
)
from retinue.models.known_models import ModelInfo
from retinue.models.known_weights import HUB
from retinue.models.local import LocalModel, order_of
from retinue.models.providers.endpoint import DEFAULT_ORIGIN, Endpoint
from retinue.models.request_classification import RequestClassification
from retinue.models.test_model import ScriptedModel
from retinue.providers.keyring import ChosenDefault
from retinue.providers.kinds import DEFAULT_PROVIDER, Kind

DEFAULT = "alfred-default"
"""The alias of the model that the account or the operator chose. It always exists."""

LOCAL = "alfred-local"


class ListedModel(ModelFacts):
    """A model that an account can use. `provider` is None for a model of the server itself."""

    name: str
    default: bool
    provider: str | None


_FREE = Price("0", "0", "0")
_NEAREST = 5
_ALIKE = 60.0
"""Least similarity, of 100, of a name that is suggested for an unknown one."""

_NOTHING = VisibleProviders({}, ())


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
            "No model is configured. Add a provider with POST /api/v1/providers and choose its model with PUT "
            "/api/v1/models/default. The operator can also set RETINUE_MODEL_URL, or leave RETINUE_LOCAL_MODEL unset "
            "and run `retinue models pull`."
        )


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """The endpoint that the operator configured. `context_tokens` is None for what is known of the model."""

    url: str
    key: str = ""
    model: str | None = None
    kind: Kind = "openai"
    tools: Literal["native", "routed"] = "native"
    context_tokens: int | None = None
    at_once: int = 200
    """Maximum number of concurrent requests."""


class Models:
    """Maps names to models. The endpoint replaces the local model (`auto`, `off` or weights)."""

    def __init__(
        self,
        weights_folder: Path,
        local: str = "auto",
        endpoint: EndpointOptions | None = None,
        policy: RetryPolicy | None = None,
        hub: str = HUB,
    ) -> None:
        """`hub` is where the weights of the local model come from."""
        installed_assistant()  # Import it before the event loop has other work.
        self.weights_folder = weights_folder
        self.test: Model = ScriptedModel()
        """The sandbox's model, which runs with a test key always use."""
        self._endpoint, self._policy = endpoint, policy or RetryPolicy()
        fetch = partial(pull, hub=hub)
        self.local = (
            None if endpoint or local == "off" else LocalModel(weights_folder, order_of(local), fetch, name=LOCAL)
        )
        self._classifier = RequestClassifier(weights_folder) if endpoint and local != "off" else None
        self._session: aiohttp.ClientSession | None = None
        self._configured: HostedProvider | None = None
        self._own_default: ModelTarget = ModelTarget(DEFAULT, NoModel())
        self._hosting: ProviderHosting | None = None

    def attach(self, hosting: ProviderHosting) -> None:
        """Add the providers of accounts. `start` and `stop` include them."""
        self._hosting = hosting

    async def start(self) -> None:
        """Open the connection pools, and start the local model in the background. Returns at once."""
        if self._hosting:
            await self._hosting.start()
        if self.local:
            await self.local.start()
            self._own_default = ModelTarget(LOCAL, self.local, "local", _FREE)
        elif self._endpoint:
            self._configured = self._connect(self._endpoint)
            self._own_default = self._configured.build(self._endpoint.model or DEFAULT)
        if self._classifier:
            await self._classifier.start()

    async def stop(self) -> None:
        """Stop the local model and close connections."""
        if self.local:
            await self.local.stop()
        if self._classifier:
            await self._classifier.stop()
        if self._session:
            await self._session.close()
        if self._hosting:
            await self._hosting.stop()

    async def pick(self, account_id: int, name: str, fallbacks: Sequence[str] = (), *, sandbox: bool = False) -> Model:
        """Return the model for an account's run, which tries `fallbacks` after it.

        Sandbox runs always get the test model. Raises `Unavailable` if none of the models exists any more.
        """
        if sandbox:
            return self.test
        view = await self.view(account_id)
        names = dict.fromkeys(
            [*self._meant_by(view, name), *(m for one in fallbacks for m in self._meant_by(view, one))]
        )
        found = {one: self._find(view, one) for one in names}
        targets = [target for target in found.values() if target][: MOST_FALLBACKS + 1]
        if not targets:
            raise Unavailable(
                f"The model {name!r} is no longer configured. GET /api/v1/models lists the available models."
            )
        missing = [FailedAttempt(one, "It is no longer configured.") for one, target in found.items() if target is None]
        return RoutedModel(name, targets, missing, self._policy)

    async def check(self, account_id: int, *names: str) -> None:
        """Raise `ValidationFailed` if the account has no model with one of the names. The message lists the nearest."""
        view = await self.view(account_id)
        for name in names:
            if name != DEFAULT and not await self._exists(view, name):
                nearest = await self._nearest(account_id, name)
                raise ValidationFailed(
                    f"model: there is no model {name!r}. Use one of: {', '.join(nearest)}. "
                    "GET /api/v1/models lists all of them."
                )

    async def listing(self, account_id: int) -> list[ListedModel]:
        """Return what GET /models shows, the default first."""
        view = await self.view(account_id)
        hosts = self.hosts(view)
        ids = await asyncio.gather(*(host.chat_models() for host in hosts))
        local = [self._describe(view, LOCAL)] if self.local else []
        found = [(host, one) for host, names in zip(hosts, ids, strict=True) for one in names]
        hosted = [_entry(f"{host.name}/{one}", host.name, host.info(one)) for host, one in found]
        return [self._default_entry(view), *local, *hosted]

    async def names(self, account_id: int) -> list[str]:
        """Return the names of the models that an account can use, the default first."""
        return [entry["name"] for entry in await self.listing(account_id)]

    async def default_of(self, account_id: int) -> ChosenDefault:
        """Return what `alfred-default` means for an account."""
        view = await self.view(account_id)
        return self._choice_of(view) or ChosenDefault(self._own_default.name, (), shared=True)

    def forget(self) -> None:
        """Read the providers and defaults of accounts again, because they have changed."""
        if self._hosting:
            self._hosting.forget()

    async def meaning(self, request: str) -> RequestClassification | None:
        """Classify a request with the embedding classifier; None if it does not run."""
        classifier = self.local or self._classifier
        return await classifier.meaning(request) if classifier else None

    def status(self) -> dict[str, object]:
        """Return `kind` (remote, local or none), `state` and details. Never contains the key."""
        if self.local:
            return {"kind": "local", **self.local.status()}
        if self._endpoint:
            return {"kind": "remote", "state": "ready", "model": self._endpoint.model}
        return {"kind": "none", "state": "missing"}

    async def view(self, account_id: int) -> VisibleProviders:
        """Return the providers that an account sees."""
        return await self._hosting.seen_by(account_id) if self._hosting else _NOTHING

    def _meant_by(self, view: VisibleProviders, name: str) -> Sequence[str]:
        """Return the name, or the model and the fallbacks that `alfred-default` means."""
        if name != DEFAULT:
            return [name]
        chosen = self._choice_of(view)
        return [chosen.model, *chosen.fallbacks] if chosen else [self._own_default.name]

    def _choice_of(self, view: VisibleProviders) -> ChosenDefault | None:
        """Return the chosen default, unless none of its models exists any more."""
        return next(
            (one for one in view.defaults if any(self._find(view, name) for name in (one.model, *one.fallbacks))), None
        )

    def hosts(self, view: VisibleProviders) -> list[HostedProvider]:
        """Return the providers of a view by name, the operator's endpoint first."""
        configured = [self._configured] if self._configured else []
        return [*configured, *(host for _, host in sorted(view.providers.items()))]

    def host(self, view: VisibleProviders, name: str) -> tuple[HostedProvider, str] | None:
        """Return the provider that a name begins with, and the rest of the name."""
        if self._configured and self._endpoint and name == self._endpoint.model:
            return self._configured, name
        host, _, model = name.partition("/")
        provider = self._configured if host == DEFAULT_PROVIDER else view.providers.get(host)
        return (provider, model) if provider and model else None

    def _find(self, view: VisibleProviders, name: str) -> ModelTarget | None:
        """Return the model with this name, or None. `alfred-default` has to be resolved before."""
        if name == self._own_default.name:
            return self._own_default
        hosted = self.host(view, name)
        return hosted[0].target(hosted[1]) if hosted else None

    async def _exists(self, view: VisibleProviders, name: str) -> bool:
        target, hosted = self._find(view, name), self.host(view, name)
        if target is None or target is self._own_default or hosted is None:
            return target is not None
        try:
            return hosted[1] in await hosted[0].model_ids(hosted[1])
        except Unavailable:
            return True  # The call will tell.

    async def _nearest(self, account_id: int, name: str) -> Sequence[str]:
        """Return the names of models that are most like `name`."""
        names = await self.names(account_id)
        matches = process.extract(name, names, scorer=_likeness, limit=_NEAREST, score_cutoff=_ALIKE)
        return [match for match, *_ in matches] or names[:_NEAREST]

    def _default_entry(self, view: VisibleProviders) -> ListedModel:
        chosen = self._choice_of(view)
        names = [chosen.model, *chosen.fallbacks] if chosen else [self._own_default.name]
        default_name = next(name for name in names if self._find(view, name))
        return {**self._describe(view, default_name), "name": DEFAULT, "default": True}

    def _describe(self, view: VisibleProviders, name: str) -> ListedModel:
        """Return the entry of a model that exists."""
        if hosted := self.host(view, name):
            return _entry(name, hosted[0].name, hosted[0].info(hosted[1]))
        model, price = self._own_default.model, self._own_default.price
        return _entry(name, None, ModelInfo(model.context_tokens, model.max_output_tokens, model.input, price=price))

    def _connect(self, options: EndpointOptions) -> HostedProvider:
        """Connect to the operator's endpoint, at any address."""
        connector = aiohttp.TCPConnector(limit=0)
        self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        configured = ProviderOptions(
            DEFAULT_PROVIDER,
            DEFAULT_ORIGIN,
            options.kind,
            Endpoint(options.url, options.key),
            options.at_once,
            entries={options.model: {}} if options.model else None,
            context_tokens=options.context_tokens,
            routed=options.tools == "routed",
        )
        return HostedProvider(configured, self._session)


def _likeness(name: str, other: str, **_: object) -> float:
    """Return the similarity of two names, or of their parts after the provider, from 0 to 100."""
    return max(fuzz.ratio(name, other), fuzz.ratio(name.rpartition("/")[2], other.rpartition("/")[2]))


def _entry(name: str, provider: str | None, info: ModelInfo) -> ListedModel:
    return {"name": name, "default": False, "provider": provider, **describe(info)}
