"""Answers conversations that the client keeps and sends whole with each request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page
from retinue.models.registry import Models
from retinue.runs.execution.broadcast import Live
from retinue.runs.execution.create_run import Dispatch, NewRun
from retinue.runs.permissions import powers_of
from retinue.runs.run_options import ClientTool, GivenMessage, RunOptions

AGENT = "agent:"
"""The prefix of model names that stand for an agent, followed by its id."""

_CLIENT = "a result of the client's tool"
_MOST_DIGITS = 18
_LISTED = 100


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation to answer.

    `model` is a name of GET /models, or `agent:` and the id of an agent. `system` is the text of the client's system
    messages. `options` are run options; None leaves the default.
    """

    model: str
    system: str
    messages: Sequence[GivenMessage]
    tools: Sequence[ClientTool] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def parts(self) -> tuple[list[GivenMessage], str, list[GivenMessage]]:
        """Return the messages before the user's last one, its text, and the messages after it.

        Without a message of the user, the system text is the request. Raises `ValidationFailed` if there is neither.
        """
        at = max((at for at, message in enumerate(self.messages) if message.role == "user"), default=-1)
        if at >= 0:
            return [*self.messages[:at]], self.messages[at].content, [*self.messages[at + 1 :]]
        if not self.system:
            raise ValidationFailed("messages: send at least one message with the role user.")
        return [], self.system, [*self.messages]


def waiting_notice(run_id: int) -> str:
    """Return the text that tells the client of a run which waits for an approval."""
    return (
        f"\n\nRun {run_id} waits for an approval. Approve it in the portal under Approvals, and it goes on in the "
        "background."
    )


@dataclass(frozen=True)
class StatelessChats:
    """Starts runs for conversations that the client keeps."""

    caller: Caller
    database: Database
    models: Models
    dispatch: Dispatch
    work: AgentWork

    async def start(self, conversation: Conversation) -> Live:
        """Start the answer. Raises `NotFound` if there is no such model or agent."""
        if conversation.model.startswith(AGENT):
            return await self._ask_agent(conversation)
        return await self._ask_model(conversation)

    async def agents(self) -> Sequence[tuple[str, str]]:
        """Return the model name and the name of the caller's agents, at most 100, the newest first."""
        rows, _ = await self.work.agents.page(Page(per_page=_LISTED))
        return [(f"{AGENT}{row.id}", row.agent_name) for row in rows]

    async def _ask_agent(self, conversation: Conversation) -> Live:
        """Run an agent. The client's system text is the context of its request, beside its own instructions."""
        number = conversation.model.removeprefix(AGENT)
        if not (number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS):
            raise NotFound(f"model: {conversation.model[:100]!r} is no agent. Write agent: and the id of one of yours.")
        if conversation.tools:
            raise ValidationFailed(
                "tools: an agent uses its own tools. Leave tools out, or name a model instead of an agent."
            )
        before, message, after = conversation.parts()
        uses_results = any(one.role == "tool" for one in conversation.messages)
        return await self.work.answer(
            int(number),
            message,
            before=before,
            after=after,
            context={"instructions": conversation.system} if conversation.system else None,
            untrusted=_CLIENT if uses_results else None,
            **conversation.options,
        )

    async def _ask_model(self, conversation: Conversation) -> Live:
        """Ask a model. The client's system text is the whole system prompt, and its tools are the only ones."""
        account_id = self.caller.account_id
        try:
            await self.models.check(account_id, conversation.model)
        except ValidationFailed as error:
            raise NotFound(error.message) from error
        await self.work.check_budgets(None)
        before, message, after = conversation.parts()
        options = RunOptions(
            **{
                **powers_of(self.caller),
                "temperature": None,
                "instructions": conversation.system or None,
                "verbatim": True,
                "tools": [],
                "client_tools": conversation.tools,
                "before": before,
                "after": after,
                **{name: value for name, value in conversation.options.items() if value is not None},
            }
        )
        new = NewRun(account_id, message, conversation.model, options)
        return self.dispatch.begin(await self.database.transact(lambda tx: self.dispatch.add_attached(tx, new)))
