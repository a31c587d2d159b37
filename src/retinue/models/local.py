"""The local model: downloads its weights, keeps its server running, and queues requests."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Literal, TypedDict

import structlog

from retinue.core.errors import RetinueError, Unavailable
from retinue.core.runtime.fair_semaphore import FairSemaphore
from retinue.models.assistant import NOT_INSTALLED, installed_assistant
from retinue.models.base import TEXT_ONLY, Delta, Model, ModelRequest
from retinue.models.classifier import meaning_of
from retinue.models.download import pull
from retinue.models.encoder import ENCODER_WEIGHTS
from retinue.models.known_weights import Weights, default_weights, known_weights
from retinue.models.llama_process import LlamaProcess, LoadFailed
from retinue.models.partial_download import Progress
from retinue.models.request_classification import RequestClassification
from retinue.models.supervisor import Supervisor

log = structlog.get_logger()

State = Literal["missing", "pulling", "loading", "ready", "failed"]
Pull = Callable[[str, Path, Path | None, Progress], Awaitable[Path]]

SLOTS = 4
"""Concurrent requests."""

QUEUE = 16
"""Most requests that may wait for a slot. One account may fill half of the queue."""

RETRY_PULL_S = 300.0
"""Seconds before a failed pull is retried."""

_LOOK_S = 2.0
_LOADING_S = 30.0
"""Most seconds that a request waits for a model that is loading."""

_LOADING_LOOK_S = 0.1


def order_of(choice: str) -> list[str]:
    """Return the weights to run, in order. `auto` begins with the small weights, which download sooner."""
    if choice != "auto":
        return [known_weights(choice).name]
    return ["0.5b", "1.5b"] if default_weights() == "1.5b" else ["0.5b"]


class PullProgress(TypedDict):
    """A running download, in bytes. `total` is 0 if it is unknown."""

    weights: str
    done: int
    total: int


class LocalStatus(TypedDict):
    """The state of the local model. `pid` is that of its process, and `slots` its concurrent requests."""

    state: State
    weights: str | None
    reason: str | None
    pulling: PullProgress | None
    active: int
    waiting: int
    slots: int
    pid: int | None


class LocalModel:
    """A model on this machine. `order` names weights: the last one is the target, the others run until it is ready.

    Weights are stored in `folder`; `fetch` downloads missing ones.
    """

    def __init__(self, folder: Path, order: Sequence[str], fetch: Pull = pull, name: str = "local") -> None:
        self.name = name
        self.input = TEXT_ONLY
        self.folder = folder
        self.chosen = ""
        """The weights that an operator chose, which precede `order`. Set it before `start`."""
        self.trouble = ""
        """Why another model than the chosen one runs; empty if the chosen one does."""
        self._order = [known_weights(weights) for weights in order]
        self._fetch = fetch
        self._server = Supervisor(folder, name)
        self._slots = FairSemaphore(SLOTS, "the local model", queue=QUEUE, queue_each=QUEUE // 2)
        self._pulling: PullProgress | None = None
        self._trouble = ""
        self._starting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start to download and load in the background."""
        self._starting = self._server.spawn(self._bring_up())

    async def stop(self) -> None:
        """Stop the child process and its requests."""
        await self._server.stop()

    async def take_over(self, weights: str) -> None:
        """Switch to other weights in the folder, without downtime if the memory permits. Raises `LoadFailed`."""
        unfinished = self.is_starting
        if self._starting and unfinished:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        try:
            await self._server.take_over(weights)
        except LoadFailed:
            if unfinished:
                await self.start()
            raise
        self.chosen, self.trouble = weights, ""
        if unfinished:
            self._starting = self._server.spawn(self._add_encoder())

    @property
    def weights(self) -> str:
        """The name of the weights that run, or ran last; empty before the first ones are loaded."""
        return self._server.weights

    @property
    def is_starting(self) -> bool:
        """True until the first model runs and the encoder's weights are there."""
        return self._starting is not None and not self._starting.done()

    @property
    def context_tokens(self) -> int:
        """See `Model`."""
        return self._current_weights.slot_tokens

    @property
    def max_output_tokens(self) -> int | None:
        """See `Model`."""
        return self._current_weights.slot_tokens // 4

    @property
    def _current_weights(self) -> Weights:
        """The weights that run, or that will."""
        return known_weights(self.weights or self.chosen or self._order[-1].name)

    async def meaning(self, request: str) -> RequestClassification | None:
        """Classify a request with the model's first blocks; None while the encoder does not run."""
        return await meaning_of(self._server.child, request)

    def model(self) -> Model:
        """Return this model. The object stays the same when the weights change."""
        return self

    @property
    def uses_resources(self) -> bool:
        """See `Model`."""
        child = self._server.child
        return child.model.uses_resources if child else not self._current_weights.calls_tools

    @property
    def state(self) -> State:
        """The current lifecycle state."""
        if self._server.child:
            return "ready"
        if self._server.reason:
            return "failed"
        if self._pulling:
            return "pulling"
        return "missing" if self._trouble else "loading"

    def status(self) -> LocalStatus:
        """Return state, weights, failure reason, pull progress in bytes, and load."""
        child = self._server.child
        return {
            "state": self.state,
            "weights": self._server.weights or None,
            "reason": self._server.reason or self.trouble or self._trouble or None,
            "pulling": self._pulling,
            "active": child.active if child else 0,
            "waiting": self._slots.waiting,
            "slots": self._slots.size,
            "pid": child.pid if child else None,
        }

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply, as soon as a model that is being loaded is ready. See `Model`."""
        await self._wait_until_loaded()
        self._running_child()
        async with self._slots.slot(request.account, waited_for=request.waited_for):
            with self._running_child().in_use() as model:
                try:
                    async with aclosing(model.stream(request)) as deltas:
                        async for delta in deltas:
                            yield delta
                except Unavailable as error:
                    log.warning("local model failed", reason=error.message)
                    raise Unavailable("The local model did not finish its reply. Try again in 10 seconds.") from error

    async def _wait_until_loaded(self) -> None:
        """Wait a while if a model is loading, as after a start of the server or a change of weights."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOADING_S):
                while self._starting and self.state == "loading":  # noqa: ASYNC110 - three tasks change the state
                    await asyncio.sleep(_LOADING_LOOK_S)

    def _running_child(self) -> LlamaProcess:
        """Return the child process. Raises `Unavailable` with advice if none runs."""
        if self._server.child:
            return self._server.child
        match self.state:
            case "pulling":
                raise Unavailable(f"The local model is being downloaded{self._percentage()}. Try again in a minute.")
            case "missing" if self._trouble == NOT_INSTALLED:
                raise Unavailable(NOT_INSTALLED)
            case "missing":
                raise Unavailable(
                    "There is no local model yet. The operator should run `retinue models pull` on a machine "
                    "with a network connection, or set RETINUE_MODEL_URL to an OpenAI-compatible endpoint."
                )
            case "failed":
                raise Unavailable(
                    f"The local model does not start ({self._server.reason}). The server retries within a minute. "
                    "The operator can get more details with `retinue doctor`."
                )
            case _:
                raise Unavailable("The local model is loading. Try again in 10 seconds.")

    def _percentage(self) -> str:
        if not self._pulling or not self._pulling["total"]:
            return ""
        return f" ({100 * self._pulling['done'] // self._pulling['total']} %)"

    async def _bring_up(self) -> None:
        """Run the chosen weights, else the best ones in the folder while better ones are downloaded."""
        if not self.chosen or not await self._run_chosen():
            if installed_assistant() is None:
                self._trouble = NOT_INSTALLED
                log.warning(NOT_INSTALLED)
                return
            candidates = self._order[-1:] if self._order[-1].present_in(self.folder) else self._order
            for weights in candidates:
                await self._obtain(weights)
                await self._run(weights)
        await self._add_encoder()

    async def _run_chosen(self) -> bool:
        """Run the chosen weights. Returns False if they are not in the folder or do not load."""
        if not known_weights(self.chosen).present_in(self.folder):
            self.trouble = f"The chosen model {self.chosen} is not on this server. Download it here, too."
            return False
        try:
            await self._server.take_over(self.chosen)
        except LoadFailed as error:
            self.trouble = f"The chosen model {self.chosen} did not load: {str(error).rstrip('.')}."
            log.warning("the chosen model did not load", weights=self.chosen, reason=str(error))
            return False
        return True

    async def _add_encoder(self) -> None:
        """Download the weights of the encoder if they are missing, and start again with it."""
        if not (small := known_weights(ENCODER_WEIGHTS)).present_in(self.folder):
            await self._obtain(small)
            await self._run(self._current_weights)

    async def _run(self, weights: Weights) -> None:
        """Load weights from the folder. Retry until they run, unless others already run: then try once."""
        if not self._server.child:
            return await self._server.keep_trying(weights.name)
        try:
            await self._server.take_over(weights.name)
        except LoadFailed as error:
            log.warning("staying with smaller weights", wanted=weights.name, reason=str(error))

    async def _obtain(self, weights: Weights) -> None:
        """Pull until the weights are in the folder. An operator may also copy them there."""
        while not weights.present_in(self.folder):
            try:
                self._report(weights, 0, weights.size)
                await self._fetch(weights.name, self.folder, None, lambda done, all_: self._report(weights, done, all_))
                self._trouble = ""
            except RetinueError as error:
                self._trouble, self._pulling = error.message, None
                await self._look_for(weights)
            finally:
                self._pulling = None

    def _report(self, weights: Weights, done: int, total: int) -> None:
        self._pulling = {"weights": weights.name, "done": done, "total": total}

    async def _look_for(self, weights: Weights) -> None:
        for _ in range(int(RETRY_PULL_S / _LOOK_S)):
            await asyncio.sleep(_LOOK_S)
            if weights.present_in(self.folder):
                return
