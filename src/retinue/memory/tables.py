"""The tables of the facts that agents remember, and of the runs from which facts are yet to be extracted."""

from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table
from retinue.core.database.statements import Record
from retinue.core.work.leases import lease_columns

USER_CHARACTERS = 200
"""Maximum length of the name of a user who talks with an agent."""

FACT_CHARACTERS = 500
"""Maximum length of a fact."""

facts = table(
    "memory_facts",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("agent_id", BigInt, nullable=False),
    sa.Column("person", sa.String(USER_CHARACTERS), nullable=False),
    sa.Column("text", sa.String(FACT_CHARACTERS), nullable=False),
    sa.Column("source_run", BigInt),
    sa.Column("untrusted", sa.String(200)),
    sa.Column("replaced_by", BigInt),
    sa.Column("model", sa.String(100)),
    sa.Column("vector", sa.LargeBinary),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
    sa.Index(None, "agent_id", "person", "id"),
)
"""`person` is the user about whom an agent with the memory `user` remembers a fact: a name that the account's
programs chose, or empty for the account's owner. It is empty for agents with the memory `agent`. `replaced_by` is the
fact that corrected this one. `model` and `vector` are as in `knowledge_passages`.
"""

CURRENT = facts.c.replaced_by.is_(None)
sa.Index("ix_memory_facts_current", facts.c.account_id, facts.c.id, sqlite_where=CURRENT, postgresql_where=CURRENT)

jobs = table(
    "memory_jobs",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("run_id", BigInt, nullable=False, unique=True),
    *lease_columns(),
    sa.Index("ix_memory_jobs_open_lease", "lease_until"),
    sa.Index("ix_memory_jobs_open_due", "account_id", "lease_until", "id"),
)
"""Completed runs whose facts are yet to be extracted. The extraction deletes the row."""

OWNED = (Owned(jobs.c.account_id, exported=False), Owned(facts.c.account_id))


class FactRow(Record, Protocol):
    """A fact without its vector."""

    id: int
    account_id: int
    agent_id: int
    person: str
    text: str
    source_run: int | None
    untrusted: str | None
    replaced_by: int | None
    created_at: datetime
    updated_at: datetime


class FactWithVector(FactRow, Protocol):
    """A fact with the vector of a model; both are null if it has none."""

    model: str | None
    vector: bytes | None
