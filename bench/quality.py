"""`bench/run-quality`: measure how well the local model uses tools, by the values in its replies.

In each folder of `bench/questions`, `requests.tsv` has requests that need a tool, each with the expected values;
`plain.tsv` has requests that need none. You may look at those of `tuning` while tuning the product; published results
come from those of `test`.
"""

import argparse
import asyncio
import calendar
import csv
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp

from bench.servers import Server
from bench.targets import Retinue

QUESTIONS = Path(__file__).with_name("questions")
PARTS = ("tuning", "test")
_LOADED_S = 300.0
_NUMBER = r"-?\d+(?:\.\d+)?"
_ROUNDED = re.compile(r"decimal|whole|nearest|to the cent|places|rounded", re.IGNORECASE)


@dataclass(frozen=True)
class Request:
    """One request. `wanted` is empty if no tool is needed, else values joined by `&`, spellings by `|`."""

    kind: str
    text: str
    wanted: str = ""

    def met_by(self, reply: str, tools: Sequence[str]) -> bool:
        """Return True if a reply contains the expected values. If none are expected, no tool may have been used."""
        if not self.wanted:
            return not tools
        return all(
            any(says(reply, spelling, self.text) for spelling in value.split("|")) for value in self.wanted.split("&")
        )


@dataclass(frozen=True)
class Answer:
    """The outcome of a request. `first` is the seconds until the reply began, `seconds` until it was complete."""

    right: bool
    kind: str
    text: str
    wanted: str
    tools: str
    arguments: str
    reply: str
    first: float
    seconds: float


_MONTHS = list(calendar.month_name)
_DATE_IN_WORDS = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS[1:])}) (\d{{4}})\b")
_TIME, _DECIMALS = re.compile(r"\d+:\d\d:\d\d"), re.compile(r"-?\d+\.\d\d+")


def says(reply: str, value: str, request: str = "") -> bool:
    """Return True if `reply` contains `value` as a word, ignoring case, whitespace and thousands separators.

    If the request asks for rounding, or the value has two decimals or more, a more precise number also counts, and so
    does a time with fractional seconds.
    """
    said, wanted = _plain(reply), _plain(value)
    beyond = r"(?!\w)" if _TIME.fullmatch(wanted) else r"(?!\w|\.\d)"
    if re.search(rf"(?<![\w.]){re.escape(wanted)}{beyond}", said):
        return True
    is_rounded = _ROUNDED.search(request) or _DECIMALS.fullmatch(wanted)
    return bool(is_rounded and re.fullmatch(_NUMBER, wanted)) and any(
        _rounds_to(number, Decimal(wanted)) for number in map(Decimal, re.findall(_NUMBER, said))
    )


def _rounds_to(number: Decimal, wanted: Decimal) -> bool:
    return abs(number - wanted) <= Decimal(5).scaleb(int(wanted.as_tuple().exponent) - 1)


def _plain(text: str) -> str:
    text = _DATE_IN_WORDS.sub(lambda one: f"{one[3]}-{_MONTHS.index(one[2]):02}-{int(one[1]):02}", text)
    joined = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text.lower().replace("\u2212", "-"))
    return re.sub(r"\s+", " ", joined).strip()


def requests(part: str, sets: Sequence[str]) -> list[Request]:
    """Read the requests of the named sets in a part."""
    chosen = []
    for name in sets:
        with (QUESTIONS / part / f"{name}.tsv").open(newline="") as file:
            chosen += [Request(*row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return chosen


class Asker:
    """Sends requests to an agent; each starts without history."""

    def __init__(self, session: aiohttp.ClientSession, agent_id: int) -> None:
        self._session = session
        self._agent_id = agent_id

    async def ask(self, request: Request) -> Answer:
        """Execute the request and return the outcome."""
        began = time.perf_counter()
        reply, first, done = "", 0.0, {}
        async for chunk in self._chunks(request.text):
            match chunk["type"]:
                case "text":
                    first = time.perf_counter() - began if not reply else first
                    reply += chunk["content"]
                case "tool_start":
                    reply = ""
                case "done" | "error":
                    done = chunk
        took = time.perf_counter() - began
        tools = done.get("tools_used") or []
        arguments = await self._arguments(done["run_id"]) if tools else ""
        told = {"tools": " ".join(tools), "arguments": arguments, "reply": reply or str(done)}
        right = request.met_by(told["reply"], tools)
        return Answer(right, request.kind, request.text, request.wanted, **told, first=first or took, seconds=took)

    async def _chunks(self, message: str) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks of a streamed execution."""
        path, body = f"/api/v1/agents/{self._agent_id}/execute", {"message": message, "stream": True}
        async with self._session.post(path, json=body) as response:
            async for line in response.content:
                if line.startswith(b"data: {"):  # the last line is no chunk: data: [DONE]
                    yield json.loads(line.removeprefix(b"data: "))

    async def _arguments(self, run_id: int) -> str:
        async with self._session.get(f"/api/v1/runs/{run_id}") as response:
            run = (await response.json())["data"]
        return " ".join(str(step.get("args") or step.get("arguments")) for step in run["steps"] if step.get("tool"))


async def await_ready(session: aiohttp.ClientSession) -> None:
    """Wait until the model and the tools are ready."""
    async with asyncio.timeout(_LOADED_S):
        while True:
            async with session.get("/readyz") as response:
                told = await response.json()
            if told["model"]["state"] == told["tools"] == "ready":
                return
            await asyncio.sleep(0.2)


async def measure(server: Server, headers: dict[str, str], asked: Sequence[Request]) -> list[Answer]:
    """Send the requests one after another."""
    timeout = aiohttp.ClientTimeout(total=300)
    async with aiohttp.ClientSession(server.url, headers=headers, timeout=timeout) as session:
        await await_ready(session)
        body = {"agent_name": "assistant", "agent_role": "generalist"}
        async with session.post("/api/v1/agents", json=body) as response:
            asker = Asker(session, (await response.json())["data"]["id"])
        answers = []
        for request in asked:
            answers.append(await asker.ask(request))
            _tell(answers[-1])
        return answers


def _tell(answer: Answer) -> None:
    mark = "right" if answer.right else "WRONG"
    told = [mark, answer.kind, f"{answer.seconds:.1f} s", answer.text, answer.wanted, answer.tools, answer.arguments]
    print("\t".join([*told, answer.reply.replace("\n", " ")[:300]]), file=sys.stderr, flush=True)


def summary(answers: Sequence[Answer]) -> str:
    """Return the share of right replies, with and without tools, and the median times."""
    lines = []
    for name, part in (
        ("right values", [a for a in answers if a.wanted]),
        ("left alone", [a for a in answers if not a.wanted]),
    ):
        if part:
            right = sum(a.right for a in part)
            first, usual = median(answer.first for answer in part), median(answer.seconds for answer in part)
            times = f"begun after {first:.1f} s, complete after {usual:.1f} s p50"
            lines.append(f"{name}: {right} of {len(part)} ({right / len(part):.0%}), {times}")
    wrong = Counter(a.kind for a in answers if not a.right)
    return "\n".join([*lines, f"wrong by kind: {dict(wrong.most_common())}"])


def main() -> None:
    """Run the requests of a part and print the shares."""
    parser = argparse.ArgumentParser(description="Measure how the local model uses tools.")
    parser.add_argument("--model", choices=["0.5b", "1.5b"], default="0.5b")
    parser.add_argument("--part", choices=PARTS, default="tuning")
    parser.add_argument("--sets", nargs="+", default=["requests", "plain"])
    parser.add_argument("--every", type=int, default=1, help="ask only every nth request")
    parser.add_argument("--weights", default=str(Path.home() / ".cache/retinue"), help="the folder of the weights")
    parser.add_argument("--retinue", default=".venv/bin/retinue", help="the command to measure")
    options = parser.parse_args()
    target = Retinue.with_local_model(options.model, options.weights, options.retinue)
    with tempfile.TemporaryDirectory(prefix="quality-") as folder:
        server = target.start(Path(folder))
        try:
            answers = asyncio.run(
                measure(server, target.headers, requests(options.part, options.sets)[:: options.every])
            )
        finally:
            server.stop()
    print(summary(answers))


if __name__ == "__main__":
    main()
