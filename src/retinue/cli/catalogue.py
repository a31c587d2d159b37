"""`retinue tools search`, `show`, `run` and `import`: the catalogue of a server."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from retinue.cli.output import fields_of, print_json, print_record, print_rows
from retinue.cli.progress import progress_bar
from retinue.cli.remote import AsJson, Key, RequestFailed, Url, connect

if TYPE_CHECKING:
    from retinue_client.types import SourceCreate

_Name = Annotated[str, typer.Argument(help="Name of the tool.")]
_COLUMNS = ("name", "category", "tier", "description")


def search_tools(
    question: Annotated[str, typer.Argument(help="Keywords or a question in plain language.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of agents.")] = 10,
    as_json: AsJson = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Search for tools, best matches first."""
    with connect(url, key) as client:
        tools = list(islice(client.tools.search(question, per_page=limit), limit))
    if as_json:
        for tool in tools:
            print_json(tool.to_dict())
    else:
        print_rows(_COLUMNS, [fields_of(tool, _COLUMNS) for tool in tools])


def show_tool(name: _Name, as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """Show a tool and its arguments."""
    with connect(url, key) as client:
        tool = client.tools.retrieve(name)
    if as_json:
        print_record(tool, as_json)
        return
    typer.echo(f"{typer.style(tool.name, bold=True)}\t{tool.category}\t{tool.tier}\n{tool.description}\n")
    required = tool.input_schema.get("required", ())
    rows = [
        (argument, schema.get("type", ""), "required" if argument in required else "", schema.get("description", ""))
        for argument, schema in tool.input_schema.get("properties", {}).items()
    ]
    print_rows(("argument", "type", "", "description"), rows)


def run_tool(
    name: _Name,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE…", help="Arguments. KEY=@FILE reads a text from a file.")
    ] = None,
    answers: Annotated[
        str | None, typer.Option(help="Answers to questions of the tool's server: a JSON list, as its error describes.")
    ] = None,
    url: Url = "",
    key: Key = "",
) -> None:
    """Execute a tool and print its result as JSON."""
    with connect(url, key) as client:
        schema = client.tools.retrieve(name).input_schema if arguments else {}
        args = read_arguments(arguments or (), schema.get("properties", {}))
        result = client.tools.execute(name, args=args, answers=_read_answers(answers))
    print_json(result.result)


def _read_answers(text: str | None) -> Any:
    """Parse the option `--answers`; the server checks the list. Raises `typer.BadParameter`."""
    try:
        return None if text is None else json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"The answers are not JSON: {error}.") from error


def read_arguments(words: Sequence[str], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Parse `KEY=VALUE` words into tool arguments. Values are JSON, except for string arguments.

    `KEY=@FILE` reads the value from a file. Raises `RequestFailed`.
    """
    arguments = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (name and equals):
            raise RequestFailed(f"{word} is not an argument. Write KEY=VALUE.")
        if text.startswith("@"):
            text = _read(Path(text[1:]))
        arguments[name] = text if properties.get(name, {}).get("type") == "string" else _parse(text)
    return arguments


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise RequestFailed(f"Cannot read {path}: {error}.") from error


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def import_tools(
    name: Annotated[str, typer.Argument(help="Namespace: the prefix of the tools' names.")],
    source: Annotated[str, typer.Option("--from", help="URL of the document, the MCP server or the agent.")],
    kind: Annotated[Literal["openapi", "mcp", "a2a"], typer.Option(help="Kind of source.")] = "openapi",
    connection: Annotated[str, typer.Option(help="Name of a connection for the source.")] = "",
    url: Url = "",
    key: Key = "",
) -> None:
    """Import the tools of an OpenAPI document or an MCP server, or an agent that speaks A2A."""
    fields: SourceCreate = {"kind": kind, "name": name, "url": source}
    if connection:
        fields["connection"] = connection
    with connect(url, key) as client, progress_bar() as progress:
        progress.add_task(f"Importing {name}", total=None, state="")
        imported = client.tools.sources.create(**fields)
    typer.echo(f"Imported {imported.tools} tools of {imported.name} as source {imported.id}")
