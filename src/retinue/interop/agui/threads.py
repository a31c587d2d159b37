"""Threads of clients: the conversations with one agent that a caller, or a visitor, may see."""

from dataclasses import dataclass

from retinue.agents.tables import AgentRecord
from retinue.auth.caller import Caller
from retinue.chat.service import Chats
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page
from retinue.interop.agui.front_end_tools import waiting_calls
from retinue.interop.agui.messages import history
from retinue.interop.made_files import MadeFiles
from retinue.runs import statements as runs_sql
from retinue.runs.approvals import statements as approvals_sql
from retinue.runs.service import Runs
from retinue.sharing import statements as sql

_MOST_MESSAGES = 100
"""Maximum number of messages in a history."""

_MOST_RESULTS = 200
"""Maximum number of results whose files a thread shows: the latest ones."""

_USER_DIGITS = 32
"""Hexadecimal digits of a visitor's hash that identify them among the users of an agent's memory."""


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread, by the name that the client uses. `id` is None for a conversation that the client did not name."""

    name: str
    public_id: str
    conversation_id: int
    id: int | None = None


@dataclass(frozen=True)
class Threads:
    """Finds the threads of one caller. `visitor` is the hash of a visitor's token, else empty."""

    caller: Caller
    database: Database
    chats: Chats
    runs: Runs
    made_files: MadeFiles
    agent: AgentRecord
    visitor: str = ""

    @property
    def key(self) -> dict[str, object]:
        """The parameters of the statements about the caller's threads."""
        return {"account": self.caller.account_id, "agent": self.agent.id, "visitor": self.visitor}

    @property
    def user(self) -> str | None:
        """Who talks, for the memory of the agent: each visitor is a user; None for the owner of the account."""
        return f"visitor {self.visitor[:_USER_DIGITS]}" if self.visitor else None

    async def find(self, name: str) -> Thread | None:
        """Return a thread, or None if the caller has none with this name.

        Raises `NotFound` for the id of a conversation that the caller may not see.
        """
        row = await self.database.lookup(sql.THREAD, **self.key, thread=name)
        if row:
            return Thread(name, row.public_id, row.conversation_id, row.id)
        if not name.startswith("conv_"):
            return None
        if self.caller.is_public:
            raise _missing()
        conversation = await self.chats.get(name)
        if conversation.agent_id != self.agent.id:
            raise _missing()
        return Thread(name, name, conversation.id)

    async def get(self, name: str) -> Thread:
        """Return a thread. Raises `NotFound`."""
        thread = await self.find(name)
        if thread is None:
            raise _missing()
        return thread

    async def messages(self, thread: Thread, without: int | None = None) -> list[dict[str, object]]:
        """Return the latest messages. Of the run `without`, only the user's message is among them."""
        total = (await self.chats.get(thread.public_id)).message_count
        rows: list[Row] = []
        last = max(1, -(-total // _MOST_MESSAGES))
        for number in range(max(1, last - 1), last + 1):
            rows += (await self.chats.messages(thread.public_id, Page(page=number, per_page=_MOST_MESSAGES)))[0]
        rows = [row for row in rows[-_MOST_MESSAGES:] if row.run_id != without or row.role == "user"]
        ids = [row.run_id for row in rows]
        runs = await self.chats.runs(thread.public_id, min(ids), max(ids)) if ids else {}
        made = await self.artifacts(thread)
        return history(rows, runs, made, public=self.caller.is_public)

    async def artifacts(self, thread: Thread) -> dict[int, list[Row]]:
        """Return the records of the files that tools made in a thread, by run."""
        found = await self.database.fetch(
            runs_sql.FILE_RESULTS, conversation=thread.conversation_id, at_most=_MOST_RESULTS
        )
        return await self.made_files.by_run(self.caller.account_id, reversed(found))

    async def open_runs(self, thread: Thread) -> list[Row]:
        """Return the runs of a thread that have not ended, the oldest first."""
        return await self.database.fetch(runs_sql.OPEN_OF_CONVERSATION, conversation=thread.conversation_id)

    async def journal(self, run_id: int) -> list[Row]:
        """Return the journal of a run."""
        return await self.database.fetch(runs_sql.OF_RUN, run=run_id)

    async def waiting_calls(self, run: Row) -> list[int]:
        """Return the journal rows of a run's calls that wait for results of the front end."""
        return waiting_calls(run, await self.journal(run.id))

    async def pending(self, run_id: int) -> list[Row]:
        """Return the undecided approvals of a run."""
        return await self.database.fetch(approvals_sql.PENDING_OF_RUN, run=run_id)


def _missing() -> NotFound:
    return NotFound("There is no such thread with this agent. Start one with POST /agui/{agent_id}.")
