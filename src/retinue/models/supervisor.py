"""Keeps one llama.cpp server running: starts, watches and restarts it, and replaces it without downtime."""

import asyncio
import time
from collections.abc import Coroutine
from pathlib import Path

import structlog

from retinue.core.runtime.executors import run_on_disk_thread
from retinue.core.runtime.tasks import cancel_all
from retinue.models.encoder import BLOCKS, ENCODER_WEIGHTS
from retinue.models.gguf_truncation import NotReadable, shorten
from retinue.models.known_weights import Weights, available_memory, known_weights
from retinue.models.llama_process import LlamaProcess, LoadFailed

log = structlog.get_logger()

PATIENCE_S = 120.0
"""Seconds that a replaced server gets to finish its requests."""

MAX_BACK_OFF_S = 60.0
STABLE_S = 60.0
"""Seconds after which a server counts as stable: if it then dies, the supervisor restarts it without delay."""


ENCODER_ONLY = ""
"""The weights name of a process without a chat model, which only encodes texts."""


class Supervisor:
    """Owns the current child process, which loads weights from `folder`."""

    def __init__(self, folder: Path, name: str, slots: int = 4, slot_tokens: int = 4096) -> None:
        """`slots` and `slot_tokens` are for a process without a chat model: weights have their own."""
        self.child: LlamaProcess | None = None
        self.weights = ""
        """The name of the weights that run now, or ran last."""
        self.reason = ""
        """Why the last load failed; empty after a success."""
        self._folder, self._name, self._slots, self._slot_tokens = folder, name, slots, slot_tokens
        self._changing = asyncio.Lock()
        self._back_off_s = 0.0
        self._children: set[LlamaProcess] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def take_over(self, weights: str, *, replace: bool = True) -> None:
        """Load `weights` and switch new requests to them; the old server finishes its own. Raises `LoadFailed`.

        If the memory has no room for both, the old server finishes and ends first, and starts again after a failure.
        Without `replace`, it loads nothing if a server runs, or if other weights have run since.
        """
        async with self._changing:
            if not replace and (self.child or self.weights != weights):
                return
            known = known_weights(weights) if weights else None
            before, made_room = self.weights, known is not None and await self._make_room(known)
            try:
                await self._load(weights, known)
            except LoadFailed:
                if made_room:
                    self.spawn(self.keep_trying(before, replace=False))
                raise

    async def _load(self, weights: str, known: Weights | None) -> None:
        start = time.monotonic()
        child = await LlamaProcess.launch(
            self._folder / known.file_name if known else None,
            self._name,
            known.slots if known else self._slots,
            known.slot_tokens if known else self._slot_tokens,
            await self._encoder(),
            may_call_tools=known is not None and known.calls_tools,
            rewrites=known is not None and known.rewrites_messages,
        )
        log.info("local model ready", weights=weights, pid=child.pid, seconds=round(time.monotonic() - start, 1))
        self._children.add(child)
        old, self.child = self.child, child
        self.weights, self.reason = weights, ""
        self.spawn(self._watch(child, time.monotonic()))
        if old:
            self.spawn(old.retire(PATIENCE_S))

    async def _make_room(self, known: Weights) -> bool:
        """End the running server if the weights do not fit beside it. Returns whether it ended."""
        if not (old := self.child) or known.memory <= await run_on_disk_thread(available_memory):
            return False
        log.info("the local model ends before the next one loads", weights=self.weights, wanted=known.name)
        self.child = None
        await old.retire(PATIENCE_S)
        return True

    async def _encoder(self) -> Path | None:
        """Return the encoder file: the first blocks of the small weights. None if those are not in the folder."""
        if not (small := known_weights(ENCODER_WEIGHTS)).present_in(self._folder):
            return None
        try:
            return await run_on_disk_thread(shorten, self._folder / small.file_name, BLOCKS)
        except (OSError, NotReadable) as error:
            log.warning("requests are not placed", reason=str(error))
            return None

    async def keep_trying(self, weights: str, *, replace: bool = True) -> None:
        """Load `weights`, and retry with exponential back-off until it succeeds. For `replace` see `take_over`."""
        while True:
            await asyncio.sleep(self._back_off_s)
            self._back_off_s = min(max(1.0, self._back_off_s * 2), MAX_BACK_OFF_S)
            try:
                return await self.take_over(weights, replace=replace)
            except LoadFailed as error:
                self.reason = str(error)
                log.warning("local model did not load", weights=weights, reason=self.reason)

    async def stop(self) -> None:
        """End every child process and task."""
        await cancel_all(self._tasks)
        await asyncio.gather(*(child.close() for child in self._children))
        self.child = None

    def spawn(self, work: Coroutine[object, None, None]) -> asyncio.Task[None]:
        """Run `work` as a background task; `stop` cancels it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self.reason = repr(error)
            log.error("local model's supervision failed", exc_info=error)

    async def _watch(self, child: LlamaProcess, since: float) -> None:
        """Wait until the child ends. If it is still the current one, start another."""
        reason = await child.wait_until_ended()
        self._children.discard(child)
        if child is not self.child:
            return
        self.child = None
        log.error("local model died", weights=self.weights, reason=reason)
        if time.monotonic() - since >= STABLE_S:
            self._back_off_s = 0.0
        await child.close()
        # Larger weights may be loading now, and must not be replaced by these when they are ready.
        await self.keep_trying(self.weights, replace=False)
