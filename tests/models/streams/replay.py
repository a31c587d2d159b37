"""Replays recorded streams to the clients of all protocols, in the same process and without a network."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import aiohttp
import orjson

from retinue.models.base import Delta, Media, Message, ModelRequest, ToolOffer
from retinue.models.providers.anthropic import AnthropicModel
from retinue.models.providers.client import ProviderClient
from retinue.models.providers.endpoint import DEFAULT_ORIGIN, Endpoint, ModelLimits
from retinue.models.providers.gemini import GeminiModel
from retinue.models.providers.openai import OpenAIModel
from retinue.models.providers.responses import ResponsesModel

FOLDER = Path(__file__).parent
CLIENTS: dict[str, type[ProviderClient]] = {
    "chat": OpenAIModel,
    "responses": ResponsesModel,
    "anthropic": AnthropicModel,
    "gemini": GeminiModel,
}
LIMITS = ModelLimits(100_000, input=frozenset({"text", "image", "pdf", "audio"}))


@dataclass(frozen=True)
class Recording:
    """A recorded stream and the outcome that is right."""

    protocol: str
    name: str
    data: bytes = field(repr=False)
    outcome: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.protocol}-{self.name}"


@cache
def recordings() -> list[Recording]:
    """Return all recordings of this folder."""
    return [
        Recording(path.parent.name, path.stem, path.read_bytes(), orjson.loads(path.with_suffix(".json").read_bytes()))
        for path in sorted(FOLDER.glob("*/*.sse"))
    ]


class _Content:
    def __init__(self, chunks: Sequence[bytes]) -> None:
        self._chunks = chunks

    async def iter_any(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk

    def at_eof(self) -> bool:
        return True


class _Response:
    content_type = "text/event-stream"

    def __init__(self, status: int, chunks: Sequence[bytes]) -> None:
        self.status, self.headers = status, dict[str, str]()
        self.content = _Content(chunks)

    def close(self) -> None:
        pass


class ReplaySession:
    """Stands in for a session: responds to each request with the next answer, and records the bodies."""

    def __init__(self, *answers: tuple[int, Sequence[bytes]]) -> None:
        self._answers = list(answers)
        self.bodies: list[dict[str, Any]] = []

    async def post(self, url: object, data: bytes, **options: object) -> _Response:
        """Record the request and return the next answer; the last one again if there are no more."""
        self.bodies.append(orjson.loads(data))
        return _Response(*(self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]))


def client(
    protocol: str,
    session: ReplaySession,
    wire_name: str = "m-1",
    origin: str = DEFAULT_ORIGIN,
    limits: ModelLimits = LIMITS,
) -> ProviderClient:
    """Create a client of the protocol that sends its requests to `session`."""
    endpoint = Endpoint("https://provider.example/v1", "sk-hidden")
    return CLIENTS[protocol](origin, wire_name, endpoint, cast(aiohttp.ClientSession, session), limits)


async def replay(recording: Recording, chunks: Sequence[bytes]) -> list[Delta]:
    """Return the deltas of a recording that arrives in these chunks."""
    offered = recording.outcome.get("offered", ["calculate"])
    tools = [ToolOffer(name, "", {"type": "object"}) for name in offered]
    model = client(recording.protocol, ReplaySession((200, chunks)), recording.outcome.get("wire_name", "m-1"))
    return [delta async for delta in model.stream(ModelRequest([Message("user", "Go")], tools))]


async def first_body(protocol: str, request: ModelRequest, **options: Any) -> dict[str, Any]:
    """Return the body that the client sends for a request."""
    plain = next(one for one in recordings() if (one.protocol, one.name) == (protocol, "plain"))
    session = ReplaySession((200, [plain.data]))
    async for _ in client(protocol, session, **options).stream(request):
        pass
    return session.bodies[0]


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    """Cut bytes at the given places."""
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(edges)]


PICTURE = Media("image", "image/png", b"\x89PNG", "cat.png")
PAPER = Media("pdf", "application/pdf", b"%PDF-1.7", "paper.pdf")
VOICE = Media("audio", "audio/mpeg", b"ID3", "note.mp3")
