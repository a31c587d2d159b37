"""What callers send and see of tools."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from retinue.core.envelope import Body, Page, View

TierName = Literal["free", "starter", "pro", "enterprise"]
CategoryName = Literal[
    "text", "data_formats", "data_analysis", "math", "statistics", "graphs", "science", "finance", "datetime", "geo",
    "identifiers", "documents", "media", "web", "security", "code", "workspace",
]  # fmt: skip


class ToolView(View):
    """A tool. `input_schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    category: CategoryName
    tier: TierName
    input_schema: dict[str, Any]
    tags: list[str]


class CategoryView(BaseModel):
    """A category and how many tools it holds."""

    slug: CategoryName
    name: str
    count: int


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

    tool: str
    result: dict[str, Any]
    execution_time_ms: int
    credits_used: int
