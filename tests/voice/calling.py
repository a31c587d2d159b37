"""Calls below the sound: the platform in this process, with a media worker that the test plays."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from retinue.agents.schemas import AgentCreate
from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.platform.platform import Platform
from retinue.server import running_platform
from retinue.settings import Settings
from retinue.voice.calls.schemas import CallCreate, CallView
from retinue.voice.calls.service import Calls
from retinue.voice.wire import Message
from tests.support.waiting import until


class Line:
    """A telephone line: it speaks each text at once, and the test decides what it presses and says."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.call = 0
        self.texts: dict[int, str] = {}
        self.orders: list[Message] = []
        self.holds_back = False
        """Whether sentences stay unspoken, until the test says more."""
        self.ends_with_transfer = False
        self.failure = ""
        """The error of the next order, such as a declined transfer."""

    def send(self, order: Message) -> None:
        """Carry out an order of the server."""
        self.orders.append(order)
        match order["do"]:
            case "answer":
                self.call = order["call"]
                self.tell("answered", at=asyncio.get_running_loop().time())
            case "dial":
                self.call = order["call"]
            case "say":
                self.texts[order["turn"]] = self.texts.get(order["turn"], "") + order["text"]
            case "finish":
                if not self.holds_back:
                    self.speak(order["turn"])
            case "hangup" | "hangup_after":
                self.end(hung_up=True)
            case "press" | "transfer":
                if self.ends_with_transfer:
                    self.end()
                self.tell("done", number=order["number"], error=self.failure)

    def tell(self, what: str, **values: Any) -> None:
        """Send the server a message about the call."""
        self.platform.media._hand_out({"is": what, "call": self.call, **values})

    def speak(self, turn: int, *, interrupted: bool = False) -> None:
        """Report that a turn of the agent was spoken."""
        text = self.texts.pop(turn, "").strip()
        self.tell("spoken", turn=turn, text=text, interrupted=interrupted, timing={})

    def say(self, text: str) -> None:
        """Say something."""
        self.tell("heard", text=text, timing={})

    def press(self, keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.tell("key", key=key)

    def end(self, *, hung_up: bool = False) -> None:
        """Close the line. `hung_up` says whether the server did so."""
        self.tell("ended", reason="", at=asyncio.get_running_loop().time(), hung_up=hung_up)


class Exchange:
    """The platform with one account, to which telephones can connect."""

    def __init__(self, platform: Platform, caller: Caller) -> None:
        self.platform, self.caller = platform, caller
        self.calls = platform.services.of(Calls, caller)

    async def ring(self, **agent: Any) -> Line:
        """Call an agent with these settings. Returns the line, on which the agent has greeted."""
        fields = {"agent_name": "Bell", "agent_role": "generalist", "voice_enabled": True, "skills": [], **agent}
        row = await self.platform.services.of(Agents, self.caller).create(AgentCreate.model_validate(fields))
        line = self.dial(f"<sip:agent-{row.id}@x>", "<sip:ada@example.com>")
        await until(lambda: self.has_said(line, "agent: "))
        return line

    def dial(self, to: str, caller: str) -> Line:
        """Begin a call with these To and From headers."""
        line = Line(self.platform)
        worker: Any = line
        self.platform.media._process = worker
        self.platform.inbound.receive({"line": "in-1", "to": to, "from": caller})
        return line

    async def call(self, to: str, voice: dict[str, Any] | None = None, **options: Any) -> Line:
        """Have an agent with these voice settings call somebody, who answers."""
        fields = {"agent_name": "Bell", "agent_role": "generalist", "voice": voice}
        row = await self.platform.services.of(Agents, self.caller).create(AgentCreate.model_validate(fields))
        line = Line(self.platform)
        worker: Any = line
        self.platform.media._process = worker
        await self.calls.start(CallCreate(to=to, agent_id=row.id, **options))
        await until(lambda: line.call)
        line.tell("answered", at=asyncio.get_running_loop().time())
        return line

    async def has_said(self, line: Line, text: str) -> bool:
        """Whether the transcript of a call has a text."""
        return bool(line.call) and text in (await self.calls.get(line.call)).transcript

    def is_status(self, line: Line, *statuses: str) -> Callable[[], Awaitable[bool]]:
        """Return a condition for `until`: the call has one of these statuses."""

        async def look() -> bool:
            return bool(line.call) and (await self.calls.get(line.call)).status in statuses

        return look

    async def finish(self, line: Line) -> CallView:
        """Wait for the end of a call, and return it."""
        await until(self.is_status(line, "completed", "failed"))
        return await self.calls.get(line.call)

    async def events(self, line: Line, last_id: str | None = None) -> list[dict[str, Any]]:
        """Return the events of a call until its end."""
        async with asyncio.timeout(60):
            feed = await self.calls.follow(line.call, last_id)
            return [{"id": number, **event.model_dump(exclude={"at"})} async for number, event in feed]


@asynccontextmanager
async def running_exchange(home: Path, model_url: str, database_url: str | None = None) -> AsyncIterator[Exchange]:
    """Run the platform with a model at `model_url`."""
    settings = Settings(
        home=home,
        database_url=SecretStr(database_url) if database_url else None,
        model_url=model_url,
        local_model="off",
        rate_limits="off",
        allowed_networks=(ip_network("127.0.0.0/8"),),
    )
    async with running_platform(settings) as lifecycle:
        platform = lifecycle.platform
        await platform.users_admin.create("someone@example.com")
        key = await platform.users_admin.create_key("someone@example.com")
        yield Exchange(platform, await platform.credentials.authenticate(str(key)))
