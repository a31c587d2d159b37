"""Request and response schemas of tools."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from retinue.core.http.envelope import Body, Page, View

TierName = Literal["free", "starter", "pro", "enterprise"]
CategoryName = Literal[
    "text", "data_formats", "data_analysis", "math", "statistics", "graphs", "science", "finance", "datetime", "geo",
    "identifiers", "documents", "media", "web", "security", "code", "workspace",
]  # fmt: skip


class Effects(View):
    """Side effects of a tool."""

    reads: bool = Field(description="Whether it reads data of the account or public data.")
    changes: bool = Field(description="Whether it changes data. Calls of tools that only read can be repeated safely.")
    destroys: bool = Field(description="Whether it may delete or overwrite data.")
    goes_out: bool = Field(description="Whether it connects to other hosts.")


class ToolView(View):
    """A tool. `input_schema` is the JSON Schema of its arguments."""

    name: str = Field(description="Name of the tool, for paths, skills and `tools`.")
    description: str = Field(description="What the tool does and when to use it.")
    category: CategoryName = Field(description="Category in the catalogue.")
    tier: TierName = Field(description="Lowest tier whose plans include the tool.")
    input_schema: dict[str, object] = Field(description="JSON Schema of the arguments.")
    output_schema: dict[str, object] = Field(description="JSON Schema of the result.")
    effects: Effects = Field(description="Side effects of the tool.")
    tags: list[str] = Field(description="Search keywords.")
    needs: list[str] = Field(description="Programs that must be installed on the server; usually none.")
    superseded_by: str | None = Field(
        description="Tool that replaces this one. Lists and searches omit deprecated tools."
    )
    score: float | None = Field(
        description="Relevance to the search, 0 or higher, comparable between searches; null in lists."
    )


class CategoryView(BaseModel):
    """A category and its number of tools."""

    slug: CategoryName = Field(description="Category, as used in filters.")
    name: str = Field(description="Display name.")
    count: int = Field(description="Number of tools.")


class ToolQuery(Page):
    """Filter and page of the list of tools. `search` and `q` are synonyms; `search` takes precedence."""

    model_config = ConfigDict(extra="ignore")

    search: str | None = Field(None, max_length=500, description="Keywords or a question in plain language.")
    q: str | None = Field(None, max_length=500, description="Same as search.")
    category: CategoryName | None = Field(None, description="Only return items of this category.")
    tier: TierName | None = Field(None, description="Only return tools of this tier.")


class QuestionAnswer(Body):
    """The answer to a question of a tool's MCP server."""

    question: Annotated[str, Field(min_length=1, max_length=64, description="ID of the question, from the error.")]
    answer: dict[str, object] = Field(description="Answer that matches the schema in the error.")


class ToolRun(Body):
    """Request body for executing a tool."""

    args: dict[str, object] = Field(description="Arguments that match the tool's input_schema.")
    answers: (
        Annotated[
            list[QuestionAnswer],
            Field(max_length=10, description="Answers to what the tool's MCP server asked in earlier requests."),
        ]
        | None
    ) = None


class ToolResult(View):
    """The result of an execution. The fields of `result` depend on the tool."""

    tool: str = Field(description="Name of the tool.")
    result: dict[str, object] = Field(description="Result of the tool. Its fields depend on the tool.")
    execution_time_ms: int = Field(description="Duration in milliseconds.")
    credits_used: int = Field(description="Credits spent on the call.")
