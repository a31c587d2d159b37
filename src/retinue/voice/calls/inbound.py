"""Routes inbound calls to agents and rooms, and checks quotas."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog

from retinue.agents.voice_settings import VoiceSettings
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError, Unavailable
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.usage.quotas import Quotas
from retinue.voice.calls import statements as sql
from retinue.voice.calls.phone_numbers import country_of, meanings_of
from retinue.voice.calls.service import add_call, count_open
from retinue.voice.calls.switchboard import Switchboard
from retinue.voice.rooms.local_rooms import LocalRooms
from retinue.voice.sip_address import address_in, names_phone, user_of
from retinue.voice.trunks import InboundNumber, InboundRoute, Trunks
from retinue.voice.wire import Message

_log = structlog.get_logger()
_ROOM = re.compile(r"room-([1-9][0-9]{0,17})-([0-9]{8})")
_AGENT = re.compile(r"agent-([1-9][0-9]{0,17})")

SCOPES = frozenset({"chat:write", "tools:execute"})
"""Scopes of an agent on an inbound call, which anybody can make."""

CallerFor = Callable[[int, frozenset[str]], Awaitable[Caller]]


class _Busy(RetinueError):
    """The agent has too many calls."""


def _status_of(error: RetinueError) -> int:
    """Return the SIP status with which a call is rejected: not found, service unavailable, or busy."""
    return {NotFound: 404, Unavailable: 503}.get(type(error), 486)


def _route_to_agent(called: str) -> InboundRoute | None:
    named = _AGENT.fullmatch(called)
    return InboundRoute(agent=int(named[1])) if named else None


def _find_caller(header: str, called: InboundNumber | None, country: str | None) -> str:
    """Return who calls: a number in E.164 form if the address is that of a telephone, else the address.

    Trunks deliver numbers, some in the format of the called number's country. `country` is that of the server's own
    numbers. Must not run on the event loop.
    """
    if called or names_phone(header):
        numbers = meanings_of(user_of(header), (called and country_of(called.number)) or country)
        return numbers[0] if numbers else address_in(header)
    return address_in(header)


@dataclass
class Inbound:
    """Accepts calls to rooms and to agents with `voice_enabled`: `sip:agent-12@…` or a number in the trunks file."""

    database: Database
    trunks: Trunks
    switchboard: Switchboard
    quotas: Quotas
    caller_for: CallerFor
    local_rooms: LocalRooms
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def receive(self, message: Message) -> None:
        """Answer a call, or reject it."""
        task = asyncio.create_task(self._receive(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _receive(self, message: Message) -> None:
        line, called = message["line"], user_of(message["to"])
        try:
            if room := _ROOM.fullmatch(called):
                return await self.local_rooms.join_phone(
                    int(room[1]), room[2], user_of(message["from"]) or "telephone", line
                )
            number = self.trunks.numbers.get(called)
            if not (route := number.route if number else _route_to_agent(called)):
                raise NotFound("No agent, room or number of the trunks file has this address.")
            if not (agent := await self._agent(route)):
                raise NotFound(f"Agent {route.agent} does not exist, or does not accept calls.")
            caller = await run_on_compute_thread(_find_caller, message["from"], number, self.trunks.country)
            with self.switchboard.slot():
                row = await self._add(agent, route, number.number if number else called, caller)
                return self.switchboard.accept(row, line)
        except RetinueError as error:
            _log.info("calls.refused", called=called[:64], reason=error.message)
            return self.switchboard.reject(line, _status_of(error))

    async def _agent(self, route: InboundRoute) -> Row | None:
        """Return the called agent, or None. Sandbox agents accept no calls."""
        agent = await self.database.lookup(sql.AGENT_FOR_CALLS, agent=route.agent)
        return agent if agent and not agent.sandbox else None

    async def _add(self, agent: Row, route: InboundRoute, called: str, caller: str) -> Row:
        """Insert the call. Raises `_Busy` if the agent has reached its limit of calls."""
        left = await self.quotas.voice_seconds_left(await self.caller_for(agent.account_id, SCOPES))
        options, credential = self.switchboard.options, f"agent:{agent.id}"
        owner = {"account_id": agent.account_id, "credential": credential, "scopes": sorted(SCOPES)}

        async def insert(tx: Tx) -> Row:
            if await count_open(tx, agent.account_id, credential) >= options.calls_per_key:
                raise _Busy("The agent has reached its limit of concurrent calls (RETINUE_CALLS_PER_KEY).")
            return await add_call(
                tx,
                self.switchboard.node,
                owner,
                direction="inbound",
                agent_id=agent.id,
                to_address=called[:255],
                from_address=caller[:255],
                voice_engine=agent.voice_engine,
                greeting=route.greeting,
                record=route.record,
                max_seconds=min(filter(None, (VoiceSettings.of(agent.voice).max_seconds, left, options.longest_s))),
                voice=agent.voice,
            )

        return await self.database.transact(insert)
