"""Takes the steps of simulated conversations: the person writes, the agent answers, and the judge rates.

Each step is a background run. One transaction records what a run said and creates the next one, so any process can
take the next step, even after another one died, and no step is taken twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from math import ceil
from typing import Any

from retinue.agents import statements as agents_sql
from retinue.agents.run_of_agent import run_of_agent
from retinue.agents.tables import AgentRecord
from retinue.chat import statements as chat_sql
from retinue.chat.service import open_conversation
from retinue.core.database import counters
from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.core.work.notifier import Notifier
from retinue.runs import statements as runs_sql
from retinue.runs.cancel_accounting import record_cancelled
from retinue.runs.execution.create_run import NewRun, RunCreator
from retinue.runs.run_options import RunOptions
from retinue.runs.tables import RunRow
from retinue.simulations import statements as sql
from retinue.simulations.agent_version import version_of
from retinue.simulations.events import SimulationCompleted
from retinue.simulations.prompts import (
    PERSON_SCHEMA,
    judge_instructions,
    judge_message,
    judge_schema,
    message_of,
    person_instructions,
    person_messages,
    plain_text,
    verdicts_of,
)
from retinue.simulations.sound import SoundStage
from retinue.simulations.summary import mean_ms
from retinue.simulations.tables import Line, Scenario, SimulatedRow, SimulationRow
from retinue.usage.money import cost_text

AT_ONCE = 5
"""Maximum number of an account's conversations in progress."""


TOPIC = "simulations"
"""The topic that wakes when a simulation has changed."""


@dataclass
class _Conversation:
    """An open conversation within a transaction. `changes` are the new values of its columns."""

    simulation: SimulationRow
    row: SimulatedRow
    scenario: Scenario
    transcript: list[Line]
    changes: dict[str, Any]

    @classmethod
    def of(cls, simulation: SimulationRow, row: SimulatedRow) -> "_Conversation":
        return cls(simulation, row, simulation.scenarios[row.scenario - 1], list(row.transcript), {})

    @property
    def turns(self) -> int:
        return sum(line["role"] == "agent" for line in self.transcript)

    @property
    def is_spoken(self) -> bool:
        return self.simulation.mode == "sound"

    def add_message(self, text: str, run_id: int | None, heard: str | None = None) -> None:
        """Add a message of the person."""
        about: Line = {
            "role": "person", "text": text, "heard": heard, "run_id": run_id, "tools_used": [], "first_text_ms": None,
            "reply_ms": None,
        }  # fmt: skip
        self.transcript.append(about)

    def add_usage(self, run: Row) -> None:
        """Add what a run used. The cost is unknown as soon as that of one run is."""
        known = self.row.cost_usd is not None and run.cost_usd is not None
        cost = Decimal(self.row.cost_usd or 0) + Decimal(run.cost_usd or 0) if known else None
        self.changes |= {"tokens_used": self.row.tokens_used + run.tokens_used, "cost_usd": cost_text(cost)}

    def end(self, status: str, **fields: object) -> None:
        self.changes |= {"status": status, "ended_at": now(), "run_id": None, **fields}

    def fail(self, error: str) -> None:
        self.end("failed", error=error)

    async def save(self, tx: Tx) -> None:
        """Write the changed columns."""
        replies = [line for line in self.transcript if line["role"] == "agent"]
        kept = {
            **self.row._asdict(),
            "transcript": self.transcript,
            "turns": self.turns,
            "first_text_ms": mean_ms(line["first_text_ms"] for line in replies),
            "reply_ms": mean_ms(line["reply_ms"] for line in replies),
            **self.changes,
        }
        await tx.run(sql.UPDATE, conversation=self.row.id, **{name: kept[name] for name in sql.CHANGED})


@dataclass(frozen=True)
class Simulator:
    """Takes steps, in the transactions of any process."""

    dispatch: RunCreator
    notifier: Notifier
    stage: SoundStage

    async def begin_next(self, tx: Tx, simulation_id: int, account_id: int) -> bool:
        """Begin the next conversation of a simulation. Returns False if none may begin now.

        Raises `NotFound` if the account is being deleted.
        """
        await counters.bump(tx, account_id, "conversations", 0)  # Locks the account, so that its limit holds.
        simulation = await tx.one(sql.CLAIM_NEXT, simulation=simulation_id, most=AT_ONCE)
        if simulation is None:
            return False
        conversation = await self._add(tx, simulation)
        if conversation.row.conversation_id is None:
            conversation.fail("The agent was deleted.")
        elif not (opening := conversation.scenario["opening"]):
            await self._ask_person(tx, conversation)
        elif not conversation.is_spoken:  # Otherwise, it must be spoken first.
            await self._say(tx, conversation, opening, None)
        await self._save(tx, conversation)
        return True

    async def _add(self, tx: Tx, simulation: SimulationRow) -> "_Conversation":
        """Add the row of a conversation, and its chat if the agent still exists."""
        scenario = (simulation.begun - 1) % len(simulation.scenarios)
        title = f"{simulation.name}: {simulation.scenarios[scenario]['name']}"
        agent = await tx.one(agents_sql.LOCK, agent=simulation.agent_id, account=simulation.account_id)
        chat = await open_conversation(tx, simulation.account_id, title, agent) if agent else None
        (row,) = await tx.all(
            sql.ADD,
            account_id=simulation.account_id,
            simulation_id=simulation.id,
            number=simulation.begun,
            scenario=scenario + 1,
            status="running",
            speaker="person",
            conversation_id=chat.public_id if chat else None,
            transcript=[],
            turns=0,
            tokens_used=0,
            cost_usd="0",
            created_at=now(),
        )
        return _Conversation.of(simulation, row)

    async def advance(
        self,
        tx: Tx,
        simulation_id: int,
        conversation_id: int,
        run_id: int | None,
        epoch: int,
        heard: str | None = None,
        fault: str | None = None,
    ) -> None:
        """Take the next step of a conversation whose run has ended or waits, unless another process has taken it.

        `run_id` is None if the opening of the scenario has been spoken. `epoch` is that of the last lease.
        `heard` is what the other side understood of the words that this step adds. With a `fault`, the conversation
        fails instead.
        """
        simulation = await tx.one(sql.LOCK, simulation=simulation_id)
        row = await tx.one(sql.AT_STEP, conversation=conversation_id, run=run_id, epoch=epoch)
        if simulation is None or row is None:
            return
        conversation = _Conversation.of(simulation, row)
        run = await tx.one(sql.RUN, run=run_id) if run_id else None
        if run is not None:
            conversation.add_usage(run)
        if fault is None and run_id is None:
            await self._say(tx, conversation, str(conversation.scenario["opening"]), None, heard)
        elif fault or run is None:
            conversation.fail(fault or "The run was deleted.")
        elif run.status == "waiting":
            await self._cancel_runs(tx, [run.id], "A simulation does not wait for approvals.")
            conversation.end("needs_approval", error="A tool call of the agent needed approval.")
        elif run.status != "completed":
            conversation.fail(_describe_failure(row.speaker, run.error))
        elif row.speaker == "person":
            await self._hear_person(tx, conversation, run, heard)
        elif row.speaker == "agent":
            await self._hear_agent(tx, conversation, run, heard)
        else:
            _take_verdict(conversation, run)
        await self._save(tx, conversation)

    async def cancel(self, tx: Tx, simulation_id: int) -> None:
        """Cancel a simulation with its open conversations and their runs, unless it has ended."""
        simulation = await tx.one(sql.LOCK, simulation=simulation_id)
        if simulation is None:
            return
        runs = [row.run_id for row in await tx.all(sql.OPEN_RUNS, simulation=simulation_id) if row.run_id]
        await tx.run(sql.CANCEL_CONVERSATIONS, simulation=simulation_id, moment=now())
        await self._cancel_runs(tx, runs, "The simulation was cancelled.")
        await tx.run(sql.END, simulation=simulation_id, state="cancelled", moment=now())
        self._tell(tx)

    async def _hear_person(self, tx: Tx, conversation: _Conversation, run: Row, heard: str | None) -> None:
        """Pass the person's message to the agent, or have the conversation judged if the person has finished."""
        message, state = message_of(run.output), run.output["state"]
        if state == "continue" and not message:
            state = "gave_up"
        if state == "continue":
            await self._say(tx, conversation, message, run.id, heard)
            return
        if message:
            conversation.add_message(message, run.id)
        await self._judge(tx, conversation, state)

    async def _hear_agent(self, tx: Tx, conversation: _Conversation, run: Row, heard: str | None) -> None:
        line: Line = {
            "role": "agent",
            "text": run.reply,
            "heard": heard,
            "run_id": run.id,
            "tools_used": run.tools_used,
            "first_text_ms": await _first_text_ms(tx, run),
            "reply_ms": _milliseconds(run.ended_at - run.started_at),
        }
        conversation.transcript.append(line)
        if conversation.turns < conversation.simulation.max_turns:
            await self._ask_person(tx, conversation)
        else:
            await self._judge(tx, conversation, "max_turns")

    async def _say(
        self, tx: Tx, conversation: _Conversation, message: str, run_id: int | None, heard: str | None = None
    ) -> None:
        """Start the agent's reply to a message of the person, or to what was `heard` of it.

        The conversation fails if that is nothing, or if the agent has changed.
        """
        simulation = conversation.simulation
        conversation.add_message(message, run_id, heard)
        if heard == "":
            return conversation.fail("The agent understood none of the person's words.")
        account = simulation.account_id
        chat = await tx.one(chat_sql.LOCK, public=conversation.row.conversation_id, account=account)
        agent = await tx.one(agents_sql.LOCK, agent=simulation.agent_id, account=account)
        if chat is None or agent is None:
            conversation.fail(f"The {'conversation' if agent else 'agent'} was deleted.")
        elif version_of(agent, simulation.mode) != simulation.agent_version:
            conversation.fail("The agent's settings have changed since the simulation began. Start another simulation.")
        else:
            context = self.stage.context(agent.voice) if conversation.is_spoken else None
            new = _agent_run(simulation, agent, chat.id, heard or message, context)
            await self._start(tx, conversation, "agent", new)
            await tx.run(agents_sql.COUNT_RUN, agent=agent.id, account=account)
        return None

    async def _ask_person(self, tx: Tx, conversation: _Conversation) -> None:
        mode = conversation.simulation.mode
        *before, last = person_messages(conversation.transcript, mode)
        new = _new_run(
            conversation.simulation,
            last.content,
            instructions=person_instructions(conversation.scenario, mode),
            output_schema=PERSON_SCHEMA,
            before=before,
        )
        await self._start(tx, conversation, "person", new)

    async def _judge(self, tx: Tx, conversation: _Conversation, ending: str) -> None:
        conversation.changes["ending"] = ending
        new = _new_run(
            conversation.simulation,
            judge_message(conversation.transcript),
            instructions=judge_instructions(conversation.scenario),
            output_schema=judge_schema(conversation.scenario),
            temperature=0.0,
        )
        await self._start(tx, conversation, "judge", new)

    async def _start(self, tx: Tx, conversation: _Conversation, speaker: str, new: NewRun) -> None:
        try:
            run: RunRow = await self.dispatch.background(tx, new)
        except ValidationFailed as refusal:
            conversation.fail(refusal.message)
        else:
            conversation.changes |= {"speaker": speaker, "run_id": run.id}

    async def _save(self, tx: Tx, conversation: _Conversation) -> None:
        """Write the conversation, and end the simulation with its event if it was the last."""
        await conversation.save(tx)
        simulation = conversation.simulation
        self._tell(tx)
        if "ended_at" not in conversation.changes or simulation.begun < simulation.total:
            return
        if await tx.all(sql.OPEN_RUNS, simulation=simulation.id):
            return
        await tx.run(sql.END, simulation=simulation.id, state="completed", moment=now())
        counts = await tx.all(sql.COUNTS, ids=[simulation.id])
        rated = sum(row.held for row in counts if row.status == "completed")
        reached = sum(row.reached for row in counts)
        completed = SimulationCompleted(
            simulation_id=simulation.id,
            name=simulation.name,
            agent_id=simulation.agent_id,
            agent_version=simulation.agent_version,
            counts={row.status: row.held for row in counts},
            goal_reached=reached / rated if rated else None,
        )
        await emit(tx, simulation.account_id, completed)

    async def _cancel_runs(self, tx: Tx, runs: list[int], reason: str) -> None:
        cancelled = await tx.all(runs_sql.CANCEL_THESE, these=runs, reason=reason, moment=now())
        await record_cancelled(tx, cancelled)
        for run in cancelled:
            tx.after_commit(partial(self.notifier.wake, f"run:{run.id}"))
        tx.after_commit(partial(self.notifier.wake, "runs.stopped"))

    def _tell(self, tx: Tx) -> None:
        tx.after_commit(partial(self.notifier.wake, TOPIC))


def _agent_run(
    simulation: SimulationRow, agent: AgentRecord, chat_id: int, message: str, context: Mapping[str, object] | None
) -> NewRun:
    """Describe the agent's answer. An agent learns nothing from people who do not exist, so it has no memory."""
    return run_of_agent(
        simulation.account_id,
        agent,
        message,
        simulation.powers,
        conversation_id=chat_id,
        tools=[] if simulation.tools == "none" else None,
        memory="none",
        context=context,
    )


def _new_run(simulation: SimulationRow, message: str, **options: Any) -> NewRun:
    """Describe an answer of the person or the judge."""
    asked = RunOptions(**{**simulation.powers, "tools": [], "verbatim": True, **options})
    return NewRun(simulation.account_id, message, simulation.model, asked)


def _describe_failure(speaker: str, error: str) -> str:
    if speaker == "person":
        return f"The simulated person failed: {error}"
    return f"The {'agent' if speaker == 'agent' else 'judge'} failed: {error}"


def _take_verdict(conversation: _Conversation, run: Row) -> None:
    verdicts = verdicts_of(conversation.scenario, run.output)
    conversation.end(
        "completed",
        goal_reached=run.output["goal_reached"],
        reason=plain_text(run.output["reason"]),
        verdicts=verdicts,
        passed=[verdict["passed"] for verdict in verdicts],
    )


async def _first_text_ms(tx: Tx, run: Row) -> int | None:
    """Return the time from the beginning of a run to its first text; None if it is unknown."""
    first = await tx.one(sql.FIRST_TEXT, run=run.id)
    waited: int | None = (first.details or {}).get("first_text_ms") if first else None
    if first is None or waited is None:
        return None
    return _milliseconds(first.started_at - run.started_at) + waited


def _milliseconds(time: timedelta) -> int:
    return ceil(time.total_seconds() * 1000)
