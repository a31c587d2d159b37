"""The fields that say how an agent's model works: model, limits, form of the reply, and other agents."""

from typing import Annotated

import orjson
from jsonschema_rs import Draft202012Validator
from pydantic import AfterValidator, Field

from retinue.core.http.dollars import Dollars
from retinue.core.http.envelope import Body, Id, View
from retinue.memory.tables import USER_CHARACTERS
from retinue.models.base import ReasoningEffort
from retinue.runs.run_options import Memory

_SCHEMA_BYTES, _SCHEMA_DEPTH = 32 << 10, 32


def _is_none(value: object) -> bool:
    return value is None


def check_output_schema(schema: dict[str, object]) -> dict[str, object]:
    """Return a JSON Schema (2020-12). Raises `ValueError` if it is invalid, too large, or refers to another one."""
    if _depth(schema) > _SCHEMA_DEPTH:
        raise ValueError(f"must be nested at most {_SCHEMA_DEPTH} levels deep")
    if len(orjson.dumps(schema)) > _SCHEMA_BYTES:
        raise ValueError("must be at most 32 KiB of JSON")
    try:
        Draft202012Validator(schema, offline=True)
    except ValueError as error:
        reason = str(getattr(error, "message", "")) or str(error).partition("\n")[0]
        raise ValueError(f"is not a valid JSON Schema: {reason[:300]}") from error
    return schema


def _depth(value: object) -> int:
    """Return how deep lists and objects are nested. The parser of requests bounds it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


ModelName = Annotated[str, Field(min_length=1, max_length=100)]
Model = Annotated[ModelName, Field(description="Name of a model from GET /models. By default, `alfred-default`.")]
FallbackModels = Annotated[
    list[ModelName], Field(max_length=5, description="Models to try in this order if the model does not answer.")
]
Temperature = Annotated[
    float, Field(ge=0.0, le=1.0, description="Sampling temperature. 0 is the most deterministic. By default, 0.7.")
]
MaxOutputTokens = Annotated[
    int,
    Field(
        ge=1,
        le=10_000_000,
        description="Maximum number of tokens of one reply, reasoning included. By default, the model's own maximum.",
    ),
]
Effort = Annotated[
    ReasoningEffort,
    Field(description="How much a reasoning model thinks before it answers. By default, the model's own setting."),
]
OutputSchema = Annotated[
    dict[str, object],
    AfterValidator(check_output_schema),
    Field(
        description="JSON Schema (2020-12, at most 32 KiB) that the reply must fit. The reply is then JSON, and the "
        "answer has it parsed as `output`."
    ),
]
Instructions = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100_000,
        description="System prompt: who the agent is, how it works, and what it must not do. It replaces the sentence "
        "that follows from the role. Name, task and date are added to it.",
    ),
]
CalledAgents = Annotated[
    list[Id],
    Field(max_length=20, description="IDs of your agents that this agent may call as tools, named `agent_<id>`."),
]
Knowledge = Annotated[
    list[Id],
    Field(
        max_length=20,
        description="IDs of your collections that the agent answers from: its runs begin with a search of them, and "
        "replies cite what they use.",
    ),
]
AgentSkills = Annotated[
    list[Id],
    Field(
        max_length=20,
        description="IDs of your Agent Skills (see `/skills`). The agent sees their names and descriptions, and reads "
        "one when a request needs it.",
    ),
]
Remembers = Annotated[
    Memory,
    Field(
        description="Whether the agent remembers facts of its conversations: `none`; `agent`: for all who talk with it "
        "together; `user`: for each user alone. By default, `none`."
    ),
]
UserName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=USER_CHARACTERS,
        pattern=r"\S",
        description="User of your app who talks with the agent, as your app names the user. An agent with the memory "
        "`user` remembers facts about each of them. By default, you.",
    ),
]
Greeting = Annotated[
    str, Field(min_length=1, max_length=1000, description="First words of the agent in a call or a room.")
]
Metadata = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=64)], Annotated[str, Field(max_length=500)]],
    Field(max_length=16, description="Up to 16 strings of your own, by name. The server does not use them."),
]


class RunBudget(Body):
    """Limits of one run. The run fails when it reaches any of them."""

    steps: int | None = Field(None, ge=1, le=100, exclude_if=_is_none, description="Model calls. By default, 50.")
    tokens: int | None = Field(
        None, ge=1, le=10_000_000, exclude_if=_is_none, description="Total number of tokens of all model calls."
    )
    seconds: float | None = Field(
        None,
        gt=0,
        le=86_400,
        allow_inf_nan=False,
        exclude_if=_is_none,
        description="Maximum processing time. By default, 600.",
    )
    credits: int | None = Field(
        None, ge=0, le=1_000_000, exclude_if=_is_none, description="Total credits of tool calls."
    )
    cost_usd: Dollars | None = Field(
        None,
        exclude_if=_is_none,
        description="Total price of all model calls in USD, as a decimal string. Calls whose price is unknown do not "
        "count.",
    )


class AgentBudget(View):
    """The limits that the agent sets for each of its runs."""

    steps: int | None = Field(None, exclude_if=_is_none, description="Model calls.")
    tokens: int | None = Field(None, exclude_if=_is_none, description="Total number of tokens of all model calls.")
    seconds: float | None = Field(None, exclude_if=_is_none, description="Maximum processing time.")
    credits: int | None = Field(None, exclude_if=_is_none, description="Total credits of tool calls.")
    cost_usd: str | None = Field(None, exclude_if=_is_none, description="Total price of all model calls in USD.")
