'''The interface for tool authors. It only changes incompatibly with a new major version.

    from retinue.sdk import About, Annotated, Example, TypedDict, tool

    class Pace(TypedDict):
        minutes: Annotated[float, About("Minutes for one kilometre")]

    @tool(
        category="datetime",
        tags="running pace",
        use_when=("What pace is 10 km in 50 minutes?",),
        examples=(Example({"kilometres": 10, "minutes": 50}, {"minutes": 5.0}, source="50 / 10"),),
    )
    def running_compute_pace(
        kilometres: Annotated[float, About("Distance", 10, exclusive_minimum=0)],
        minutes: Annotated[float, About("Time", 50, exclusive_minimum=0)],
    ) -> Pace:
        """Compute the pace of a run from its distance and its time."""
        return {"minutes": minutes / kilometres}

A tool runs in a confined worker process. It can only read the files that its arguments name. It has no network access
unless it is declared with `open_world=True`; then `retinue.sdk.http`, `.mail` and `.network` reach public addresses. To
reject a request, a tool raises `ToolError` with a message for the caller.

Tools of a library can also run inside the server, with access to the account's data: see `retinue.sdk.workspace`.
'''

from typing import Annotated

from typing_extensions import TypedDict

from retinue.tools.authoring.arguments import (
    BoundedNumber,
    Cidr,
    Connection,
    Count,
    Date,
    DateTime,
    File,
    HttpConnection,
    Latitude,
    Longitude,
    MailConnection,
    Money,
    NumberList,
    OutputFile,
    Percent,
    PositiveNumber,
    Text,
    TimeZone,
    connection_argument,
)
from retinue.tools.authoring.declare import (
    About,
    Alias,
    Example,
    ExampleCall,
    ExampleConnection,
    MockResponse,
    MockServer,
    Refusal,
    ToolError,
    ToolUnavailable,
    tool,
)
from retinue.tools.authoring.output_file_api import OUTPUT_FOLDER, output_path, save

__all__ = [
    "OUTPUT_FOLDER",
    "About",
    "Alias",
    "Annotated",
    "BoundedNumber",
    "Cidr",
    "Connection",
    "Count",
    "Date",
    "DateTime",
    "Example",
    "ExampleCall",
    "ExampleConnection",
    "File",
    "HttpConnection",
    "Latitude",
    "Longitude",
    "MailConnection",
    "MockResponse",
    "MockServer",
    "Money",
    "NumberList",
    "OutputFile",
    "Percent",
    "PositiveNumber",
    "Refusal",
    "Text",
    "TimeZone",
    "ToolError",
    "ToolUnavailable",
    "TypedDict",
    "connection_argument",
    "output_path",
    "save",
    "tool",
]
