"""Loads and removes the demo in the caller's account.

Both can be repeated: after a crash, loading adds what is missing, and removing deletes what is left.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from retinue.agents.service import Agents
from retinue.agents.work import AgentWork
from retinue.chat.schemas import ChatRequest
from retinue.chat.service import Chats
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page
from retinue.core.work.notifier import Notifier, wait
from retinue.demo.content import (
    AGENT,
    COLLECTION,
    QUESTION,
    SCHEDULE,
    is_marked,
    new_agent,
    new_collection,
    new_documents,
    new_schedule,
)
from retinue.knowledge.service import Collections
from retinue.knowledge.worker import TOPIC
from retinue.runs.execution.broadcast import RunStream
from retinue.schedules.schemas import ScheduleView
from retinue.schedules.service import Schedules

T = TypeVar("T")

_READ_S = 60.0
"""Seconds to wait until the documents are indexed. The first question is asked then at the latest."""

_LOOK_S = 0.5
_MOST = 100


@dataclass(frozen=True)
class Demo:
    """The demo in one account."""

    agents: Agents
    work: AgentWork
    collections: Collections
    schedules: Schedules
    chats: Chats
    notifier: Notifier

    async def get(self) -> dict[str, Any]:
        """Return the ids of the demo's records, None for each that is missing."""
        agent, collection = await self._agent(), await self._collection()
        schedule = await self._schedule(agent.id) if agent else None
        conversation = await self._conversation(agent.id) if agent else None
        return {
            "agent_id": agent.id if agent else None,
            "collection_id": collection.id if collection else None,
            "schedule_id": schedule.id if schedule else None,
            "conversation_id": conversation.public_id if conversation else None,
        }

    async def load(self) -> RunStream | None:
        """Create what is missing, and ask the first question once the documents are indexed.

        Returns the run of the answer, or None if the question was asked before. Raises `Unavailable` if no model
        answers; all other records exist then.
        """
        collection = await self._collection() or await self.collections.create(new_collection())
        await self._add_documents(collection.id)
        agent = await self._agent() or await self.agents.create(new_agent(collection.id))
        if not await self._schedule(agent.id):
            await self.schedules.create(new_schedule(agent.id))
        if await self._conversation(agent.id):
            return None
        await self._wait_until_read(collection.id)
        _, live = await self.chats.send(ChatRequest(message=QUESTION, agent_id=agent.id))
        return live

    async def remove(self) -> None:
        """Delete the records of the demo.

        Documents that the user added to its collection stay there, and so does a collection that another agent uses.
        """
        agent, collection = await self._agent(), await self._collection()
        with suppress(NotFound):  # another request may remove the demo at the same time
            if agent:
                while conversation := await self._conversation(agent.id):
                    await self.chats.delete(conversation.public_id)
                while schedule := await self._schedule(agent.id):
                    await self.schedules.delete(schedule.id)
                await self.work.delete(agent.id)
            if collection and not await self._is_used(collection.id):
                await self._remove_documents(collection.id)

    async def _add_documents(self, collection_id: int) -> None:
        titles = {one.title async for one in self._documents(collection_id)}
        for document in new_documents():
            if document.title not in titles:
                await self.collections.add(collection_id, document)

    async def _remove_documents(self, collection_id: int) -> None:
        documents = [one async for one in self._documents(collection_id)]
        if all(is_marked(one.metadata) for one in documents):
            await self.collections.delete(collection_id)
            return
        for one in documents:
            if is_marked(one.metadata):
                await self.collections.remove(collection_id, one.id)

    async def _is_used(self, collection_id: int) -> bool:
        """Return whether an agent of the user's own answers from the collection."""
        async for one in _every(self.agents.page):
            if collection_id in (one.knowledge or ()):
                return True
        return False

    async def _wait_until_read(self, collection_id: int) -> None:
        end = time.monotonic() + _READ_S
        with self.notifier.waiting(TOPIC) as changed:
            while time.monotonic() < end:
                states = {one.status async for one in self._documents(collection_id)}
                if states <= {"ready", "failed"}:
                    return
                await wait(changed, _LOOK_S)

    def _documents(self, collection_id: int) -> AsyncIterator[Row]:
        return _every(lambda page: self.collections.documents(collection_id, page))

    async def _agent(self) -> Row | None:
        found = await self.agents.search(AGENT, _MOST)
        return next((one for one in found if one.agent_name == AGENT and is_marked(one.metadata)), None)

    async def _collection(self) -> Row | None:
        async for one in _every(self.collections.page):
            if one.name == COLLECTION:
                return one
        return None

    async def _schedule(self, agent_id: int) -> ScheduleView | None:
        async for one in _every(self.schedules.page):
            if one.agent_id == agent_id and one.name == SCHEDULE:
                return one
        return None

    async def _conversation(self, agent_id: int) -> Row | None:
        found = await self.chats.find_recent(QUESTION, _MOST)
        return next((one for one in found if one.agent_id == agent_id and one.title == QUESTION), None)


async def _every(read: Callable[[Page], Awaitable[tuple[Sequence[T], int]]]) -> AsyncIterator[T]:
    """Yield all records of a list."""
    number, total = 1, 1
    while (number - 1) * _MOST < total:
        rows, total = await read(Page(page=number, per_page=_MOST))
        for row in rows:
            yield row
        number += 1
