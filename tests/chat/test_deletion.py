"""Deleting a conversation while another node executes one of its runs."""

from typing import Any

import sqlalchemy as sa

from retinue.auth.owners import account_of, caller_for
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.chat.service import Chats, note_messages
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.work.notifier import Notifier
from retinue.runs import statements as runs_sql
from retinue.runs.execution.create_run import NewRun, RunCreator
from retinue.runs.execution.nesting_limits import NestingLimits
from retinue.runs.execution.runner import Runner
from retinue.runs.journal import Journal
from retinue.runs.run_options import RunOptions
from retinue.usage.tables import budget_uses, usage_days

KEY = 3
_LEFT_OUT: Any = None
"""Parts that deleting a conversation does not use."""


async def chats_of_a_node(database: Database, notifier: Notifier) -> Chats:
    """Return the conversations of a new account, on a node that executes no runs."""
    plans = Plans.load()
    user = await Users(database, plans).create("ada@example.com")
    caller = await caller_for(database, plans, await account_of(database, user.id, sandbox=False), frozenset())
    journal = Journal(database, notifier, note_messages, set())
    dispatch = RunCreator(journal, Runner(_LEFT_OUT, journal, notifier), notifier, "node", NestingLimits(3, 50))
    return Chats(caller, database, _LEFT_OUT, _LEFT_OUT, dispatch, _LEFT_OUT, _LEFT_OUT)


async def begin_run(database: Database, chats: Chats, tokens: int) -> tuple[str, Row]:
    """Create a conversation with a run that has used tokens. Returns the conversation's public id and the run."""

    async def write(tx: Tx) -> tuple[str, Row]:
        conversation = await chats.open(tx, "Hello", None)
        new = NewRun(chats.caller.account_id, "Hello", "alfred-default", RunOptions(key_id=KEY), None, conversation.id)
        run = await chats.dispatch.add_attached(tx, new)
        spent = {"tokens": tokens, "used": None, "cost": None, "seen_passages": None}
        await tx.one(runs_sql.PROGRESS, run=run.id, under=run.epoch, **spent, tools=[], source=None)
        return conversation.public_id, run

    return await database.transact(write)


async def test_the_tokens_of_a_run_on_another_node_count(database: Database) -> None:
    notifier = Notifier()
    chats = await chats_of_a_node(database, notifier)
    conversation, run = await begin_run(database, chats, tokens=70)
    with notifier.waiting("runs.stopped") as stopped, notifier.waiting(f"run:{run.id}") as ended:
        await chats.delete(conversation)
    (day,) = await database.query(Statement(sa.select(usage_days)))
    assert (day.resource, day.count, day.tokens) == ("chat", 1, 70)
    (spent,) = await database.query(Statement(sa.select(budget_uses)))
    assert (spent.spender, spent.spender_id, spent.tokens) == ("key", KEY, 70)
    assert stopped.is_set()
    assert ended.is_set()
