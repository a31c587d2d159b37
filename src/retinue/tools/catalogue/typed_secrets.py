"""Refuse secrets in arguments: a model's arguments are recorded, and people see them."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, urlsplit

from retinue.core.errors import ValidationFailed
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.imported_tool import ImportedTool

_HEADER = re.compile(
    r"(?:^|[-_])(?:authorization|cookie|auth|token|secret|password|apikey"
    r"|(?:api|access|auth|subscription|functions)[-_]?key)\Z",
    re.IGNORECASE,
)
"""Names of headers that hold credentials."""

_PARAMETER = re.compile(
    r"^(?:x[-_])?(?:authorization|cookie|password|passwd|token|secret"
    r"|api[-_]?key|(?:access|auth)[-_]?(?:token|key)|client[-_]secret)\Z",
    re.IGNORECASE,
)
"""Query parameters that hold credentials. Must match the whole name: `page_token` is no credential."""

_ADDRESS = re.compile(r"(?:^|_)(?:url|server)\Z")
"""Names of arguments that hold addresses."""


def check_typed_secrets(tool: Tool, args: Mapping[str, object]) -> None:
    """Refuse credentials in headers, and passwords or tokens in addresses, for a tool that reaches other hosts."""
    if isinstance(tool, ImportedTool):
        for place in _in_imported(tool, args):
            raise ValidationFailed(
                f"{place} contains a secret. Secrets must not be sent in arguments, because arguments are "
                "recorded. Import the source again with a connection of the kind http (POST "
                "/api/v1/connections)."
            )
    elif tool.open_world:
        for place in _in_arguments(args):
            raise ValidationFailed(
                f"{place} contains a secret. Secrets must not be sent in arguments, because arguments are "
                "recorded. Create a connection of the kind http (POST /api/v1/connections), and send its "
                "name as the argument connection of http_send_request, graphql_send_query or "
                "openapi_call_operation."
            )


def _in_imported(tool: ImportedTool, args: Mapping[str, object]) -> Iterator[str]:
    for name, value in args.items():
        argument = tool.call.arguments.get(name)
        if value and argument and argument.place == "header" and _HEADER.search(argument.name):
            yield name


def _in_arguments(args: Mapping[str, object]) -> Iterator[str]:
    """Yield the places of the secrets, such as "headers.Authorization"."""
    for name, value in args.items():
        if isinstance(value, str) and _ADDRESS.search(name):
            yield from (f"{name} ({part})" for part in _in_address(value))
        elif name in ("headers", "parameters") and isinstance(value, Mapping):
            holds = _HEADER if name == "headers" else _PARAMETER
            yield from (f"{name}.{one[:60]}" for one, text in value.items() if text and holds.search(one))


def _in_address(address: str) -> Iterator[str]:
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return
    if "@" in parts.netloc:
        yield "the user and the password before the host"
    for name, value in parse_qsl(parts.query):
        if value and _PARAMETER.search(name):
            yield f"the query parameter {name[:60]}"
