'''Declare a tool as one typed, documented function. Authors import all this from `retinue.sdk`.

    class Mean(TypedDict):
        mean: Annotated[float, About("Expected sum of the dice")]

    @tool(
        tags="dice chance",
        use_when=("What do two dice show on average?",),
        examples=(Example({"sides": 6, "dice": 2}, {"mean": 7.0}, source="where the value was looked up"),),
        reply="The dice show {mean} on average.",
    )
    def dice_compute_mean(sides: Annotated[int, About("Faces of a die", 6, minimum=2)], dice: Count = 1) -> Mean:
        """Compute the expected sum of several fair dice with equally many faces."""
        return {"mean": dice * (sides + 1) / 2}

The function's name becomes the tool's, its package the category, its signature the schema and its docstring the
description. An `async def` whose first parameter is `context: ToolContext` runs inside the server with the calling
account's
data (`retinue.workspace.tool_context`): it awaits every access, and must never block the event loop. Import
`TypedDict` from typing_extensions. Arguments arrive as JSON values that were validated against the schema. Import
libraries at the top of the module: importing is not counted against the tool's time-out. This module imports only the
standard library, because every worker process imports it.
'''

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, ParamSpec, TypedDict, TypeVar, Unpack

from retinue.tools.authoring.tool import Tier

P = ParamSpec("P")
R = TypeVar("R")
Pace = Literal["quick", "normal", "long"]

TIMEOUTS_S: Mapping[Pace, float] = {"quick": 5.0, "normal": 20.0, "long": 60.0}
"""Time limit of a call in seconds, by the pace that its tool declares."""


class ToolError(Exception):
    """The tool cannot do this. The caller sees the message: explain why, and what to change."""


class ToolUnavailable(Exception):
    """A service that the tool depends on does not answer. The caller sees the message."""


@dataclass(frozen=True, slots=True, eq=False)
class About:
    """The meaning of an argument or a result field, with a realistic example and bounds, as metadata of `Annotated`.

    Lengths count code points. Bounds are those of JSON Schema. The caller names an argument that is a `connection` of
    a kind; the function gets the opened connection (`retinue.tools.authoring.arguments.Connection`).
    """

    description: str
    example: object = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    min_items: int | None = None
    max_items: int | None = None
    connection: str | None = None

    def __get_pydantic_json_schema__(
        self, core: object, handler: Callable[[object], dict[str, object]]
    ) -> dict[str, object]:
        """Add this to the JSON schema that pydantic generates for the annotated type."""
        keywords = {
            "description": self.description,
            "examples": None if self.example is None else [self.example],
            "minimum": self.minimum,
            "maximum": self.maximum,
            "exclusiveMinimum": self.exclusive_minimum,
            "minLength": self.min_length,
            "maxLength": self.max_length,
            "pattern": self.pattern,
            "format": self.format,
            "minItems": self.min_items,
            "maxItems": self.max_items,
            "x-connection": self.connection,
        }
        schema = {"type": "string"} if self.connection else handler(core)
        return schema | {name: value for name, value in keywords.items() if value is not None}


@dataclass(frozen=True, slots=True)
class MockResponse:
    """The response of a web server while an example runs."""

    body: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})


@dataclass(frozen=True, slots=True)
class MockServer:
    """Another server on loopback while an example runs; see `retinue.tools.verification.mock_servers` for its answers.

    `dns` answers questions such as `example.com MX` with the records in their lines, `text` answers a line with a
    text, `tls` completes a handshake with a self-signed certificate for the host name `name`, valid for `days`.
    `smtp` accepts mail and `imap` stores it (`retinue.tools.verification.mock_mail_servers`).
    """

    kind: Literal["dns", "text", "tls", "smtp", "imap"]
    answers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ExampleConnection:
    """A connection of the account that runs an example."""

    kind: str
    settings: Mapping[str, object]
    secret: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Alias:
    """An old name of a tool, by which calls still work. Lists and searches omit it.

    `arguments` maps the argument names of such calls to the tool's own, where they differ. `constants` are arguments
    that every such call has beside its own.
    """

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExampleCall:
    """A call of another tool for an example, and the expected part of its result."""

    tool: str
    args: Mapping[str, object]
    result: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """A call and the expected part of its result; `source` is where the value comes from, other than the tool.

    `tolerance` is relative and applies to floats. `files` are the files that the arguments name, in Base64 by id;
    `connections` are the connections that they name. `site` holds the pages, by path, of a web server whose address
    replaces `{site}` in arguments and results. `before` are calls to make first. `servers` are other servers, whose
    marks stand for host and port: the port of `{dns}` is `{dns.port}`. `then` are calls that check the effects: in
    their arguments `{made}` is the id of the first file that the example created.
    """

    args: Mapping[str, object]
    result: Mapping[str, object]
    source: str
    tolerance: float = 1e-9
    files: Mapping[str, str] = field(default_factory=dict)
    site: Mapping[str, MockResponse] = field(default_factory=dict)
    servers: Mapping[str, MockServer] = field(default_factory=dict)
    connections: Mapping[str, ExampleConnection] = field(default_factory=dict)
    before: Sequence[ExampleCall] = ()
    then: Sequence[ExampleCall] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that the tool or its schema must refuse, with a message that contains `refusal`."""

    args: Mapping[str, object]
    refusal: str
    files: Mapping[str, str] = field(default_factory=dict)
    site: Mapping[str, MockResponse] = field(default_factory=dict)
    servers: Mapping[str, MockServer] = field(default_factory=dict)
    connections: Mapping[str, ExampleConnection] = field(default_factory=dict)
    before: Sequence[ExampleCall] = ()


class ToolOptions(TypedDict, total=False):
    """The optional properties of a tool; see `retinue.tools.authoring.tool.Tool`."""

    category: str
    tier: Tier
    credits: int
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    pace: Pace
    memory_mb: int
    needs: Sequence[str]
    destroys_when: Mapping[str, Sequence[object]]
    aliases: Sequence[Alias]
    reply: str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Declaration:
    """The arguments of the decorator, with the function."""

    function: Callable[..., object]
    tags: Sequence[str]
    use_when: Sequence[str]
    examples: Sequence[Example | Refusal]
    category: str = ""
    """By default the name of the module's package."""
    tier: Tier = "free"
    credits: int = 1
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False
    pace: Pace = "quick"
    memory_mb: int = 512
    needs: Sequence[str] = ()
    destroys_when: Mapping[str, Sequence[object]] = field(default_factory=dict)
    aliases: Sequence[Alias] = ()
    reply: str | Mapping[str, str] = ""
    """The sentence that words a result, with fields in braces; or several, each under a condition (`not valid`)."""


declarations: list[Declaration] = []
"""All tools declared in the modules that this process has imported."""


def tool(
    *, tags: str, use_when: Sequence[str], examples: Sequence[Example | Refusal], **options: Unpack[ToolOptions]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare the decorated function as a tool.

    `tags` are words separated by spaces; `use_when` are questions that a person would ask and this tool answers; the
    options have the defaults of `Declaration`.
    """

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        declarations.append(Declaration(function, tags.split(), use_when, examples, **options))
        return function

    return declare
