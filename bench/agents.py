"""`python -m bench.agents`: ask agents with instructions, and measure how many replies of the local model are sensible.

`bench/questions/PART/agents.tsv` has the name of an agent, a question, the expected values, and values that must not
occur, as in `bench.quality`. `bench/questions/PART/agents/NAME.md` has the instructions. The values only sort the
replies: read them. The platform runs in this process.
"""

import argparse
import asyncio
import csv
import re
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from bench.quality import PARTS, QUESTIONS, Request, says
from retinue.core.errors import RetinueError
from retinue.models.base import Message, ModelRequest, Persona, TextDelta, ToolCall
from retinue.platform.platform import Platform
from retinue.runs.run_options import Run, RunOptions
from retinue.runs.tool_selection.resources import RunResources, principal_of
from retinue.runs.tool_selection.run_tools import ToolSelector
from retinue.server import running_platform
from retinue.settings import Settings

_LOADED_S = 300.0
_STEPS = 8
_FIELDS = re.compile(
    r"\([a-z_ ]{3,30}: [^()]+, [a-z_ ]+: [^()]+\)|^[a-z_ ]{3,30}: \S+(?:, [a-z_ ]{3,30}: \S+)+$", re.MULTILINE
)
"""Matches fields of a result, such as `12 (characters: 54, words: 9)`."""


@dataclass(frozen=True)
class Question:
    """One question to the agent `kind`. See `bench.quality.Request` for the values."""

    kind: str
    text: str
    wanted: str
    unwanted: str

    def met_by(self, reply: str) -> bool:
        """Return True if the reply has the expected values, none of the others, and no fields of a result."""
        is_right = not self.wanted or Request(self.kind, self.text, self.wanted).met_by(reply, ())
        is_wrong = self.unwanted and any(says(reply, one, self.text) for one in self.unwanted.split("|"))
        return bool(reply.strip()) and is_right and not is_wrong and not _FIELDS.search(reply)


def questions(part: str) -> list[Question]:
    """Read the questions of a part."""
    with (QUESTIONS / part / "agents.tsv").open(newline="") as file:
        return [Question(*row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


@asynccontextmanager
async def platform_with(weights: str, folder: Path) -> AsyncIterator[Platform]:
    """Open a platform on fresh data with a local model that is ready."""
    with tempfile.TemporaryDirectory(prefix="bench-agents-") as home:
        settings = Settings(home=Path(home), local_model=weights, weights_dir=folder)
        async with running_platform(settings) as lifecycle:
            async with asyncio.timeout(_LOADED_S):
                while lifecycle.platform.models.status()["state"] != "ready":  # noqa: ASYNC110 - it has no event
                    await asyncio.sleep(0.2)
            yield lifecycle.platform


async def reply_to(
    platform: Platform, account_id: int, messages: Sequence[Message], persona: Persona | None = None
) -> tuple[str, list[str]]:
    """Return the reply to the last message, and the tools that it used."""
    options = RunOptions(may_execute=True, scopes=["*"], tier="enterprise")
    run = Run(1, 1, account_id, None, None, True, "alfred-default", messages[-1].content, options)
    offers = ToolSelector(platform.directory, platform.models)
    resources = RunResources(run, offers, platform.toolbox, lambda _: None)
    model = await platform.models.pick(account_id, "alfred-default")
    thread, used = list(messages), list[str]()
    for _ in range(_STEPS):
        asked = ModelRequest(thread, resources=resources, persona=persona)
        deltas = [delta async for delta in model.stream(asked)]
        calls = [delta for delta in deltas if isinstance(delta, ToolCall)]
        text = "".join(delta.content for delta in deltas if isinstance(delta, TextDelta))
        if not calls:
            return text, used
        thread.append(Message("assistant", text, tuple(calls)))
        for call in calls:
            used.append(call.name)
            thread.append(Message("tool", await _execute(platform, offers, run, call), (), call.id, call.name))
    return "", used


async def _execute(platform: Platform, offers: ToolSelector, run: Run, call: ToolCall) -> str:
    try:
        if (tool := await offers.find(run, call.name)) is None:
            return orjson.dumps({"error": f"There is no tool {call.name!r}."}).decode()
        result = await platform.toolbox.execute(tool, orjson.loads(call.arguments), principal_of(run))
    except RetinueError as error:
        result = {"error": error.message}
    return orjson.dumps(result).decode()


async def new_account(platform: Platform) -> int:
    """Create a user and return its account."""
    email = f"bench-{time.time_ns()}@example.com"
    await platform.users_admin.create(email, "enterprise")
    key = await platform.users_admin.create_key(email)
    return (await platform.credentials.authenticate(str(key))).account_id


async def measure(weights: str, folder: Path, part: str, asked: Sequence[Question]) -> None:
    """Ask one question after another and print the replies."""
    right = 0
    async with platform_with(weights, folder) as platform:
        account_id = await new_account(platform)
        for one in asked:
            instructions = (QUESTIONS / part / f"agents/{one.kind}.md").read_text().strip()
            system = Message("system", f"{instructions}\n\nToday is Saturday, 28 November 2026.")
            persona = Persona(one.kind.title(), instructions=instructions)
            began = time.perf_counter()
            reply, tools = await reply_to(platform, account_id, [system, Message("user", one.text)], persona)
            is_right = one.met_by(reply)
            right += is_right
            seconds = f"{time.perf_counter() - began:.1f} s"
            told = ["right" if is_right else "WRONG", one.kind, seconds, one.text, " ".join(tools)]
            print("\t".join([*told, reply.replace("\n", " / ")]), flush=True)
    print(f"sensible by their values: {right} of {len(asked)}")


def main() -> None:
    """Ask the questions of a part."""
    parser = argparse.ArgumentParser(description="Measure how the local model answers for agents with instructions.")
    parser.add_argument("--model", default="0.5b", help="the name of the weights")
    parser.add_argument("--part", choices=PARTS, default="tuning")
    parser.add_argument("--kinds", nargs="*", help="only these agents")
    parser.add_argument("--weights", default=str(Path.home() / ".cache/retinue"), help="the folder of the weights")
    options = parser.parse_args()
    asked = [one for one in questions(options.part) if not options.kinds or one.kind in options.kinds]
    asyncio.run(measure(options.model, Path(options.weights), options.part, asked))


if __name__ == "__main__":
    main()
