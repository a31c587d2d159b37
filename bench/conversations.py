"""`python -m bench.conversations built`: measure how well the local model answers whole conversations.

A line of `tests/assistant/conversations/PART.txt` has a kind, the user's messages and the expected values of the last
reply, separated by tabs. `||` separates messages and `##` starts a new conversation. Expected values are written as
in `bench.quality`; they are empty if no tool may be used. Do not look at `held` while tuning the product.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import aiohttp

from bench.quality import await_ready, says
from bench.servers import Server
from bench.targets import Retinue

FOLDER = Path(__file__).parents[1] / "tests/assistant/conversations"


@dataclass(frozen=True)
class Conversation:
    """`parts` are conversations of one account, each a list of messages. Only the last reply counts."""

    kind: str
    parts: Sequence[Sequence[str]]
    wanted: str

    def met_by(self, reply: str, tools: Sequence[str]) -> bool:
        """Return True if the last reply contains the expected values."""
        if not self.wanted:
            return bool(reply.strip()) and not tools
        return all(any(says(reply, one, "") for one in value.split("|")) for value in self.wanted.split("&"))


@dataclass(frozen=True)
class Reply:
    """The last reply, the tools it used, and the seconds to its first character."""

    text: str
    tools: Sequence[str]
    first_s: float


def read(part: str) -> list[Conversation]:
    """Read the conversations of a part."""
    rows = [line.split("\t") for line in (FOLDER / f"{part}.txt").read_text().splitlines()]
    return [
        Conversation(kind, [[one.strip() for one in part.split("||")] for part in turns.split("##")], wanted.strip())
        for kind, turns, wanted in rows
    ]


async def hold(session: aiohttp.ClientSession, conversation: Conversation) -> Reply:
    """Run the conversation and return its last reply."""
    reply = Reply("", [], 0.0)
    for messages in conversation.parts:
        conversation_id = None
        for message in messages:
            reply, conversation_id = await _send(session, message, conversation_id)
    return reply


async def _send(session: aiohttp.ClientSession, message: str, conversation_id: str | None) -> tuple[Reply, str]:
    body = {"message": message, "stream": True} | ({"conversation_id": conversation_id} if conversation_id else {})
    began, first, text = time.perf_counter(), 0.0, ""
    done: dict[str, object] = {}
    async with session.post("/api/v1/chat", json=body) as response:
        async for line in response.content:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line.removeprefix(b"data: "))
            if chunk["type"] == "text":
                first = first or time.perf_counter() - began
                text += chunk["content"]
            elif chunk["type"] in ("done", "error"):
                done = chunk
    tools = done.get("tools_used")
    reply = Reply(text or str(done), tools if isinstance(tools, list) else [], first)
    return reply, str(done.get("conversation_id") or conversation_id or "")


async def measure(server: Server, headers: dict[str, str], asked: Sequence[Conversation]) -> None:
    """Run the conversations one after another and print their results."""
    right: Counter[str] = Counter()
    times: dict[str, list[float]] = {}
    async with aiohttp.ClientSession(server.url, headers=headers, timeout=aiohttp.ClientTimeout(total=300)) as session:
        await await_ready(session)
        for one in asked:
            reply = await hold(session, one)
            is_right = one.met_by(reply.text, reply.tools)
            right[one.kind] += is_right
            times.setdefault(one.kind, []).append(reply.first_s)
            told = ["right" if is_right else "WRONG", one.kind, f"{reply.first_s:.1f} s", str(one.parts), one.wanted]
            shown = reply.text.replace("\n", " / ")[:300]
            print("\t".join([*told, " ".join(reply.tools), shown]), file=sys.stderr, flush=True)
    for kind, taken in times.items():
        print(f"{kind}: {right[kind]} of {len(taken)}, begun after {median(taken):.1f} s p50")
    print(f"all: {right.total()} of {len(asked)}")


def main() -> None:
    """Run the conversations of a part."""
    parser = argparse.ArgumentParser(description="Measure how the local model answers conversations.")
    parser.add_argument("part", choices=["built", "held"])
    parser.add_argument("--model", choices=["0.5b", "1.5b"], default="0.5b")
    parser.add_argument("--kinds", nargs="*", help="only these kinds")
    parser.add_argument("--weights", default=str(Path.home() / ".cache/retinue"), help="the folder of the weights")
    parser.add_argument("--retinue", default=".venv/bin/retinue", help="the command to measure")
    options = parser.parse_args()
    target = Retinue.with_local_model(options.model, options.weights, options.retinue)
    asked = [one for one in read(options.part) if not options.kinds or one.kind in options.kinds]
    with tempfile.TemporaryDirectory(prefix="conversations-") as folder:
        server = target.start(Path(folder))
        try:
            asyncio.run(measure(server, target.headers, asked))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
