"""Request and response schemas of remembered facts."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.core.http.envelope import IGNORED, Body, Changes, Id, Page, Timestamp, View, absent
from retinue.knowledge.retrieval import QUERY_CHARACTERS
from retinue.memory.tables import FACT_CHARACTERS, USER_CHARACTERS

MOST_FOUND, USUAL_FOUND = 50, 10
"""Maximum and default number of facts of a search."""

Fact = Annotated[
    str,
    Field(min_length=1, max_length=FACT_CHARACTERS, pattern=r"\S", description="Fact, in one sentence."),
]
UserName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=USER_CHARACTERS,
        pattern=r"\S",
        description="User of your app about whom the agent remembers it, as your app names the user. By default, you.",
    ),
]


class MemoryCreate(Body):
    """Request body for adding a fact."""

    agent_id: Id = Field(description="ID of the agent that remembers it.")
    text: Fact
    user: UserName | None = None


class MemoryUpdate(Changes):
    """Fields of a fact to change."""

    text: Fact = Field(default_factory=absent)
    id: object = IGNORED
    agent_id: object = IGNORED
    user: object = IGNORED
    source_run: object = IGNORED
    untrusted: object = IGNORED
    replaced_by: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class MemoryView(View):
    """A fact that an agent remembers."""

    id: int = Field(description="ID of the fact.")
    agent_id: int = Field(description="ID of the agent that remembers it.")
    user: str | None = Field(
        description="User of your app about whom the agent remembers it; null if it is about you, or for all users."
    )
    text: str = Field(description="Fact.")
    source_run: int | None = Field(description="ID of the run from which it comes; null if you added it.")
    untrusted: str | None = Field(
        description="Untrusted content that the run had read, which may have invented the fact; else null."
    )
    replaced_by: int | None = Field(description="ID of the fact that corrected it. Agents no longer see it then.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class MemoryDeleted(View):
    """ID of the deleted object."""

    id: int
    deleted: Literal[True]


class MemoryFilter(Page):
    """Which facts to list."""

    agent_id: Id | None = Field(None, description="List the facts of this agent only.")
    user: str | None = Field(
        None, max_length=USER_CHARACTERS, description="List the facts about this user of your app only."
    )
    replaced: bool = Field(False, description="Also list facts that newer ones have corrected.")


class MemorySearch(Body):
    """Request body for searching facts."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=QUERY_CHARACTERS, pattern=r"\S", description="Question or words to search for."),
    ]
    agent_id: Id | None = Field(None, description="Search the facts of this agent only.")
    user: UserName | None = Field(None, description="Search the facts about this user of your app only.")
    limit: Annotated[int, Field(ge=1, le=MOST_FOUND, description="Maximum number of facts.")] | None = USUAL_FOUND


class MemoryHit(MemoryView):
    """A fact that a search found."""

    score: float = Field(description="Rank by words and by meaning, merged: 1 is the best of both.")
    relevant: bool = Field(description="Whether the fact is close enough for an agent to receive it.")
