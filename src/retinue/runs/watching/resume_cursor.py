"""Tracks a listener's position in a run's output, and yields what is new after it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from zlib import crc32

from retinue.runs.execution.broadcast import Chunk, retry_chunk
from retinue.runs.tool_ends import tool_end
from retinue.runs.watching.transcript import ASKS, BEGUN, RETRIES, WAITS, RetryEntry, TextEntry, ToolEntry

_PLACE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})(?:-([0-9a-f]{8}))?")


@dataclass(frozen=True, slots=True)
class StreamCursor:
    """A position in a run's output. It is the same on every node and in every replay.

    `seq` is a journal row. For text, `at` is the number of characters and `check` their CRC-32. For a tool, `at` is
    its stage.
    """

    seq: int = 0
    at: int = 0
    check: int | None = None

    @classmethod
    def parse(cls, text: str | None) -> "StreamCursor":
        """Parse an event id. An invalid id is the start of the run."""
        match = _PLACE.fullmatch(text or "")
        return cls(int(match[1]), int(match[2]), int(match[3], 16) if match[3] else None) if match else cls()

    def __str__(self) -> str:
        mark = "" if self.check is None else f"-{self.check:08x}"
        return f"{self.seq}-{self.at}{mark}"


class RunListener:
    """Yields a run's output from a position on, without duplicates."""

    def __init__(self, run_id: int, place: StreamCursor) -> None:
        self._run_id = run_id
        self.place = place
        self._sent: str | None = "" if place.check is None else None
        """The text sent up to `place`; None if only its length and checksum are known."""

    def new_events(self, transcript: Iterable[TextEntry | ToolEntry | RetryEntry]) -> Iterator[tuple[str, Chunk]]:
        """Yield the new events in a transcript, with their ids."""
        for item in transcript:
            if isinstance(item, TextEntry):
                yield from self._new_text(item)
            elif isinstance(item, RetryEntry):
                yield from self._new_retry(item)
            elif (item.seq, item.at) > (self.place.seq, self.place.at):
                self._go_to(StreamCursor(item.seq, item.at), "")
                yield str(self.place), self._chunk(item)

    def _new_retry(self, entry: RetryEntry) -> Iterator[tuple[str, Chunk]]:
        """Yield a failed call. The client discards what it received of its answer."""
        is_text = self.place.check is not None
        if (entry.seq, RETRIES) <= (self.place.seq, self.place.at) and not (entry.seq == self.place.seq and is_text):
            return
        if is_text and entry.seq == self.place.seq:
            self._go_to(StreamCursor(entry.seq), "")
            yield str(self.place), {"type": "restart"}
        self._go_to(StreamCursor(entry.seq, RETRIES), "")
        yield str(self.place), retry_chunk(entry.message, entry.next_attempt_at)

    def _new_text(self, entry: TextEntry) -> Iterator[tuple[str, Chunk]]:
        if entry.seq < self.place.seq:
            return
        if entry.seq > self.place.seq:
            self._go_to(StreamCursor(entry.seq), "")
        if not self._follows(entry):
            if not entry.complete and self._may_follow(entry):
                return
            self._go_to(StreamCursor(entry.seq), "")
            yield str(self.place), {"type": "restart"}
        sent = self._sent or ""
        if fresh := entry.text[len(sent) :]:
            self._go_to(
                StreamCursor(entry.seq, len(entry.text), crc32(fresh.encode(), self.place.check or 0)), entry.text
            )
            yield str(self.place), {"type": "text", "content": fresh}

    def _follows(self, entry: TextEntry) -> bool:
        """Return whether the text continues the text already sent."""
        if self._sent is None:
            start = entry.text[: self.place.at]
            if len(start) < self.place.at or crc32(start.encode()) != self.place.check:
                return False
            self._sent = start
        return entry.text.startswith(self._sent)

    def _may_follow(self, entry: TextEntry) -> bool:
        """Return whether a text that is being generated again may still grow into the text already sent."""
        return len(entry.text) < self.place.at if self._sent is None else self._sent.startswith(entry.text)

    def _go_to(self, place: StreamCursor, sent: str) -> None:
        self.place, self._sent = place, sent

    def _chunk(self, used: ToolEntry) -> Chunk:
        if used.at in (WAITS, ASKS):
            return {"type": "waiting", "run_id": self._run_id}
        if used.at == BEGUN:
            return {"type": "tool_start", "tool": used.tool}
        return tool_end(used.tool, used.state, used.result)
