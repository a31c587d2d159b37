"""What callers send and see of tools."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from retinue.core.envelope import Body, Page, View

TierName = Literal["free", "starter", "pro", "enterprise"]
CategoryName = Literal[
    "text", "data_formats", "data_analysis", "math", "statistics", "graphs", "science", "finance", "datetime", "geo",
    "identifiers", "documents", "media", "web", "security", "code", "workspace",
]  # fmt: skip


class Effects(View):
    """What a call of a tool may do beside returning its result."""

    reads: bool = Field(description="It reads what the account keeps, or what others publish.")
    changes: bool = Field(description="It changes something; a call that only reads can be repeated freely.")
    destroys: bool = Field(description="It may delete or overwrite something.")
    goes_out: bool = Field(description="It reaches other hosts.")


class ToolView(View):
    """A tool. `input_schema` is the JSON Schema of its arguments."""

    name: str = Field(description="Names it in paths, skills and tools.")
    description: str = Field(description="What it does and when to use it.")
    category: CategoryName = Field(description="Where it is in the catalogue.")
    tier: TierName = Field(description="The lowest tier whose plans include it.")
    input_schema: dict[str, Any] = Field(description="The JSON Schema of its arguments.")
    output_schema: dict[str, Any] = Field(description="The JSON Schema of its result.")
    effects: Effects = Field(description="What a call may do.")
    tags: list[str] = Field(description="Words by which it is found.")
    needs: list[str] = Field(description="Programs that the server must have for it; mostly none.")
    superseded_by: str | None = Field(
        description="The tool to use in its place; lists and searches leave this one out."
    )
    score: float | None = Field(
        description="How well it fits the search, from 0 on, the same scale in all searches; null in lists."
    )


class CategoryView(BaseModel):
    """A category and how many tools it holds."""

    slug: CategoryName = Field(description="Names it in filters.")
    name: str = Field(description="Its name for people.")
    count: int = Field(description="Tools in it.")


class ToolQuery(Page):
    """Which tools to list. `search` and `q` mean the same; `search` wins."""

    model_config = ConfigDict(extra="ignore")

    search: str | None = Field(None, max_length=500, description="Words or a plain question.")
    q: str | None = Field(None, max_length=500, description="The same as search.")
    category: CategoryName | None = Field(None, description="Only this category.")
    tier: TierName | None = Field(None, description="Only this tier.")


class ToolRun(Body):
    """The arguments of a call."""

    args: dict[str, Any] = Field(description="Must fit the tool's input_schema.")


class ToolResult(View):
    """What a tool answered. The fields of `result` are the tool's own."""

    tool: str = Field(description="The tool's name.")
    result: dict[str, Any] = Field(description="What it found; the fields are the tool's own.")
    execution_time_ms: int = Field(description="How long it took.")
    credits_used: int = Field(description="What the call cost.")
