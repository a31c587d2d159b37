"""Writes runs as the events of a response: live, and again from any place for a client that lost the connection."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import suppress

import orjson

from retinue.core.errors import Unavailable
from retinue.interop.citations import file_citations
from retinue.interop.openai.responses import ResponseState, summary_part
from retinue.interop.stateless_chats import group_chunks, waiting_notice
from retinue.runs.execution.broadcast import Chunk, RunStream

_INPUTS = {"function_call": "arguments", "custom_tool_call": "input"}
"""The types of items that are calls, with the field of what the tool gets."""


class ResponseEvents:
    """Writes the events of one response. Clients need the beginning of an item and of a part before the first fragment.

    A fragment counts as many numbers as it has characters, however the text is cut into fragments. So each event has
    the same number whenever the response is streamed. Those up to the number `after` are left out.
    """

    def __init__(self, begun: ResponseState, after: int = -1) -> None:
        self._begun, self._after = begun, after
        self._number = -1
        self._thought = self._text_so_far = ""

    def begin(self) -> Iterator[bytes]:
        """Yield the events before the output."""
        begun = self._begun.fields()
        yield from self._event("response.created", response=begun)
        yield from self._event("response.in_progress", response=begun)

    def think(self, text: str) -> Iterator[bytes]:
        """Add to the summary of the reasoning, which comes before the message. Reasoning of later steps is left out."""
        if self._text_so_far or not text:
            return
        if not self._thought:
            item = self._begun.reasoning_item(None, "in_progress")
            yield from self._event("response.output_item.added", output_index=0, item=item)
            yield from self._summary("response.reasoning_summary_part.added", part=summary_part(""))
        self._thought += text
        yield from self._fragment(text, lambda some: self._summary("response.reasoning_summary_text.delta", delta=some))

    def say(self, text: str) -> Iterator[bytes]:
        """Add to the message."""
        if not text:
            return
        if not self._text_so_far:
            yield from self._end_thought()
            item = self._begun.message(None, "in_progress")
            yield from self._event("response.output_item.added", output_index=self._place, item=item)
            yield from self._text("response.content_part.added", part=self._begun.part(""))
        self._text_so_far += text
        yield from self._fragment(text, lambda some: self._text("response.output_text.delta", delta=some, logprobs=[]))

    def correct(self, text: str) -> None:
        """Replace the text of the message, which the next events repeat whole."""
        self._text_so_far = text

    def end(self, result: ResponseState) -> Iterator[bytes]:
        """Yield the events after the output."""
        if result.status not in ("completed", "incomplete"):
            yield from self._event("response.failed", response=result.fields())
            return
        if not self._text_so_far:
            yield from self.say(result.text)
        if text := self._text_so_far:
            yield from self._end_text(result, text)
        else:
            yield from self._end_thought()
        for index, call in enumerate(result.call_items(), start=self._place + bool(text)):
            yield from self._call(index, call)
        body = result.fields()
        yield from self._event(f"response.{body['status']}", response=body)

    def _end_text(self, result: ResponseState, text: str) -> Iterator[bytes]:
        for index, annotation in enumerate(file_citations(text, result.citations)):
            place = {"annotation_index": index, "annotation": annotation}
            yield from self._text("response.output_text.annotation.added", **place)
        yield from self._text("response.output_text.done", text=text, logprobs=[])
        yield from self._text("response.content_part.done", part=result.part(text))
        item = result.message(text, "completed")
        yield from self._event("response.output_item.done", output_index=self._place, item=item)

    def _end_thought(self) -> Iterator[bytes]:
        if self._thought:
            yield from self._summary("response.reasoning_summary_text.done", text=self._thought)
            yield from self._summary("response.reasoning_summary_part.done", part=summary_part(self._thought))
            item = self._begun.reasoning_item(self._thought, "completed")
            yield from self._event("response.output_item.done", output_index=0, item=item)

    def _call(self, index: int, item: Mapping[str, str]) -> Iterator[bytes]:
        field = _INPUTS[item["type"]]
        begun = {**item, field: "", "status": "in_progress"}
        place = {"output_index": index, "item_id": item["id"]}
        kind = f"response.{item['type']}_{field}"
        yield from self._event("response.output_item.added", output_index=index, item=begun)
        yield from self._event(f"{kind}.delta", **place, delta=item[field])
        yield from self._event(f"{kind}.done", **place, name=item["name"], **{field: item[field]})
        yield from self._event("response.output_item.done", output_index=index, item=item)

    @property
    def _place(self) -> int:
        """The index of the message in the output."""
        return 1 if self._thought else 0

    def _fragment(self, text: str, write: Callable[[str], Iterator[bytes]]) -> Iterator[bytes]:
        """Write the part of a fragment that the client does not have."""
        known = min(max(self._after - self._number, 0), len(text))
        self._number += len(text) - 1
        yield from write(text[known:])

    def _summary(self, kind: str, **data: object) -> Iterator[bytes]:
        return self._event(kind, item_id=f"rs_{self._begun.run_id}", output_index=0, summary_index=0, **data)

    def _text(self, kind: str, **data: object) -> Iterator[bytes]:
        place = {"item_id": f"msg_{self._begun.run_id}", "output_index": self._place, "content_index": 0}
        return self._event(kind, **place, **data)

    def _event(self, kind: str, **data: object) -> Iterator[bytes]:
        self._number += 1
        if self._number > self._after:
            body = orjson.dumps({"type": kind, "sequence_number": self._number, **data})
            yield b"event: " + kind.encode() + b"\ndata: " + body + b"\n\n"


class ResponseStream:
    """Writes a run of this process as a response."""

    def __init__(self, live: RunStream, model: str) -> None:
        self._live, self._begun = live, ResponseState.of_begun(live, model)

    async def wait(self) -> dict[str, object]:
        """Wait for the end of the run, and return the response. Raises the run's error."""
        await self._live.wait_until_ended()
        if self._live.error:
            raise self._live.error
        return ResponseState.of_live(self._live, self._begun).fields()

    async def frames(self) -> AsyncGenerator[bytes]:
        """Yield the events."""
        events = ResponseEvents(self._begun)
        yield b"".join(events.begin())
        async for chunks in self._live.follow():
            for kind, text in group_chunks(chunks):
                yield b"".join(events.say(text) if kind == "text" else events.think(text))
        yield b"".join(events.say(waiting_notice(self._live)))
        yield b"".join(events.end(ResponseState.of_live(self._live, self._begun)))


async def stored_frames(
    begun: ResponseState,
    chunks: AsyncGenerator[tuple[str, Chunk]],
    find_result: Callable[[], Awaitable[ResponseState]],
    after: int = -1,
) -> AsyncGenerator[bytes]:
    """Yield the events of a stored run after a number, which any node executes or has executed.

    The reasoning of a run that goes on is left out until the end. On shutdown the stream ends without a final event, so
    that clients ask again.
    """
    events = ResponseEvents(begun, after=after)
    yield b"".join([*events.begin(), *events.think(begun.reasoning)])
    restarted = False
    with suppress(Unavailable):
        async for _, chunk in chunks:
            # The protocol takes no text back: after a crash, the reply that was written anew comes whole at the end.
            restarted = restarted or chunk["type"] == "restart"
            if chunk["type"] == "text" and not restarted:
                yield b"".join(events.say(chunk["content"]))
        result = await find_result()
        if restarted:
            events.correct(result.text)
        yield b"".join(events.end(result))
