"""Request and response schemas of sources."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from retinue.core.http.envelope import Body, Timestamp, View
from retinue.core.network.url_checks import web_address
from retinue.tools.imports.credentials import CredentialType
from retinue.tools.imports.mcp.programs import SCHEME, ProgramName
from retinue.tools.schemas import CategoryName

Kind = Literal["openapi", "mcp", "a2a"]


def _address(text: str) -> str:
    return web_address(text, "send a credential instead")


Address = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_address)]
Document = dict[str, object] | str
Text = Annotated[str, Field(max_length=4096, pattern=r"^[ -~]*$")]


class SourceCredential(Body):
    """Credential for the API or the server. It is stored encrypted and never shown."""

    type: CredentialType = Field(
        description="How the secret is sent: as a bearer token, a header, a query parameter, or a user's password."
    )
    name: Annotated[str, Field(max_length=200, pattern=r"^[!-~]*$")] = Field(
        "", description="Name of the header, the query parameter or the user. Not used for bearer tokens."
    )
    value: Text = Field(description="The token, the value of the header or the parameter, or the password.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.type in {"header", "query"} and not self.name:
            raise ValueError(f"requires the name of the {'header' if self.type == 'header' else 'query parameter'}")
        if self.type == "header" and not all(one.isalnum() or one in "!#$%&'*+-.^_`|~" for one in self.name):
            raise ValueError("requires the name of a header")
        if self.type != "basic" and not self.value:
            raise ValueError("requires a value")
        return self


class SourceCreate(Body):
    """Request body for importing an API, an MCP server or an agent.

    For an API, send its OpenAPI document as a `url` or as `document`; for an agent, its card.
    """

    kind: Kind = Field(
        description="`openapi` for OpenAPI 3.0 to 3.2 or Swagger 2.0, `mcp` for an MCP server, `a2a` for an agent that "
        "speaks A2A."
    )
    name: str = Field(pattern=r"^[a-z][a-z0-9]{1,15}$", description="Namespace: the prefix of the tools' names.")
    url: Address | None = Field(
        None, description="URL of the document, of the MCP server (Streamable HTTP), or of the agent or its card."
    )
    document: Document | None = Field(None, description="The document as an object, or as JSON or YAML.")
    program: ProgramName | None = Field(
        None, description="Name of an MCP server that the operator allows to start as a program. Replaces url."
    )
    base_url: Address | None = Field(None, description="Base URL of the API. Defaults to the document's first server.")
    category: CategoryName = Field("web", description="Category of the tools in the catalogue.")
    credential: SourceCredential | None = Field(
        None, description="Credential for the API or the server. Programs require the type `bearer`."
    )
    connection: str | None = Field(
        None,
        min_length=1,
        max_length=64,
        description="Name of a connection of the kind `http`. Replaces credential.",
    )

    trust_hints: bool = Field(
        False,
        description="Whether to trust an MCP server's hints, such as `readOnlyHint`, which can relax the "
        "treatment of its tools. By default, all its tools are treated as destructive.",
    )

    @property
    def address(self) -> str | None:
        """Return the address of the document or the server, or None if the document itself was sent."""
        return f"{SCHEME}{self.program}" if self.program else self.url


class SourceRefresh(Body):
    """Request body for refreshing a source.

    Without fields, the document is read again from its URL. For MCP servers, only `trust_hints` applies.
    """

    url: Address | None = Field(None, description="New URL of the document. Defaults to the current one.")
    document: Document | None = Field(None, description="The document as an object, or as JSON or YAML.")
    trust_hints: bool | None = Field(
        None, description="Whether to trust an MCP server's hints. Defaults to the current value."
    )


class SourceChange(Body):
    """Request body for changing the connection of a source."""

    connection: str | None = Field(
        min_length=1,
        max_length=64,
        description="Name of a connection of the kind `http`, which replaces the current credential or "
        "connection; null for neither.",
    )


class SourceView(View):
    """A source of imported tools."""

    id: int = Field(description="ID of the source.")
    kind: Kind = Field(description="Kind of source.")
    name: str = Field(description="Namespace: the prefix of its tools' names.")
    category: CategoryName = Field(description="Category of its tools in the catalogue.")
    base_url: str = Field(description="URL of the API, the server or the agent; for a program, `stdio:` and its name.")
    document_url: str | None = Field(
        description="URL of its document; null if the document was sent in the request or there is none."
    )
    trust_hints: bool = Field(description="Whether the hints of an MCP server can relax the treatment of its tools.")
    connection: str | None = Field(description="Name of its connection; null for none.")
    tools: int = Field(description="Number of its tools.")
    size: int = Field(description="Storage used by its tools, in bytes.")
    status: Literal["pending", "needs_authorization", "ready"] = Field(
        description="`pending` if the tools of the MCP server have not been fetched yet. Refresh the source to "
        "fetch them. `needs_authorization` if a person must connect the MCP server: open the page of the source in "
        "the portal, and choose Connect."
    )
    created_at: Timestamp = Field(description="Time of the import.")


class SourceRefreshed(SourceView):
    """A refreshed source and the changes to its tools."""

    added: list[str] = Field(description="Names of new tools.")
    changed: list[str] = Field(description="Names of tools whose descriptions or schemas changed.")
    removed: list[str] = Field(description="Names of tools that no longer exist.")


class SourceDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the source.")
    deleted: Literal[True]
