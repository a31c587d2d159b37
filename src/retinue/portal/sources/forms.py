"""Forms to import and refresh tools."""

from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, parse
from retinue.tools.imports.authorization.service import AuthorizationResponse, ChosenClient
from retinue.tools.imports.schemas import SourceCreate, SourceRefresh

WAYS = {
    "address": (
        gettext_noop("An OpenAPI document at an address"),
        gettext_noop("The server fetches it now, and again when you refresh."),
    ),
    "document": (gettext_noop("An OpenAPI document that I paste"), gettext_noop("JSON or YAML of up to 1 MiB.")),
    "mcp": (gettext_noop("An MCP server"), gettext_noop("Its address, reached by Streamable HTTP.")),
    "a2a": (
        gettext_noop("An agent that speaks A2A"),
        gettext_noop("Its address or that of its card. It becomes a tool that sends it messages."),
    ),
}
"""Label and description of each way to import tools."""

PROGRAM = {
    "program": (
        gettext_noop("An MCP server that is a program"),
        gettext_noop("One that the operator lets this server start."),
    )
}
"""A further way, where the operator allows programs."""

_OF_MCP = ("mcp", "program")


def creation_of(form: Form) -> SourceCreate:
    """Parse the form of a new source. Raises `InvalidForm`."""
    way = form.text("way") if form.text("way") in WAYS | PROGRAM else "address"
    fields: dict[str, object] = {
        "kind": "mcp" if way in _OF_MCP else "a2a" if way == "a2a" else "openapi",
        "name": form.text("name"),
        "category": form.text("category") or "web",
        "connection": form.optional("connection"),
    }
    field = {"document": "document", "program": "program"}.get(way, "url")
    fields |= {field: form.text(field)}
    if way in _OF_MCP:
        fields |= {"trust_hints": form.text("trust_hints") == "on"}
    elif way != "a2a":
        fields |= {"base_url": form.optional("base_url")}
    return parse(SourceCreate, fields)


def client_of(form: Form) -> ChosenClient:
    """Return the OAuth client that the user enters, if any."""
    return ChosenClient(form.optional("client_id"), form.optional("client_secret"), form.optional("scope"))


def response_of(query: Form) -> AuthorizationResponse:
    """Return the response of an authorization server, from the query of the redirect."""
    return AuthorizationResponse(
        state=query.text("state"),
        code=query.text("code"),
        issuer=query.optional("iss"),
        error=query.text("error")[:200],
        description=query.text("error_description")[:300],
    )


def refresh_of(kind: str, form: Form) -> SourceRefresh:
    """Parse the form of a refresh, whose empty fields mean the previous address or document. Raises `InvalidForm`."""
    if kind == "mcp":
        return parse(SourceRefresh, {"trust_hints": form.text("trust_hints") == "on"})
    return parse(SourceRefresh, {"url": form.optional("url"), "document": form.optional("document")})
