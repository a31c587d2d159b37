"""What callers send and see of sources."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from retinue.core.envelope import Body, Timestamp, View
from retinue.core.url_checks import web_address
from retinue.tools.imports.credentials import CredentialType
from retinue.tools.imports.mcp.programs import SCHEME, ProgramName
from retinue.tools.schemas import CategoryName

Kind = Literal["openapi", "mcp"]


def _address(text: str) -> str:
    return web_address(text, "send a credential instead")


Address = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_address)]
Document = dict[str, Any] | str
Text = Annotated[str, Field(max_length=4096, pattern=r"^[ -~]*$")]


class SourceCredential(Body):
    """What the API or the server knows you by. It is kept encrypted, and never shown."""

    type: CredentialType = Field(description="Where it goes: a bearer token, a header, a query parameter, or a user.")
    name: Annotated[str, Field(max_length=200, pattern=r"^[!-~]*$")] = Field(
        "", description="The name of the header or of the query parameter, or the user; not for bearer."
    )
    value: Text = Field(description="The token, the header's or the parameter's value, or the password.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.type in {"header", "query"} and not self.name:
            raise ValueError(f"needs the name of the {'header' if self.type == 'header' else 'query parameter'}")
        if self.type == "header" and not all(one.isalnum() or one in "!#$%&'*+-.^_`|~" for one in self.name):
            raise ValueError("needs the name of a header")
        if self.type != "basic" and not self.value:
            raise ValueError("needs a value")
        return self


class SourceCreate(Body):
    """What to import: an API by its description, which is at a `url` or is the `document` itself; or an MCP server."""

    kind: Kind = Field(description="`openapi`: OpenAPI 3.0 or 3.1. `mcp`: an MCP server.")
    name: str = Field(
        pattern=r"^[a-z][a-z0-9]{1,15}$", description="The namespace: the names of the tools begin with it."
    )
    url: Address | None = Field(None, description="Where the document is, or the MCP server (Streamable HTTP).")
    document: Document | None = Field(None, description="The document as an object, or as JSON or YAML.")
    program: ProgramName | None = Field(
        None, description="Instead of a url: the name of an MCP server that the operator lets start as a program."
    )
    base_url: Address | None = Field(None, description="Where the API is; by default the document's first server.")
    category: CategoryName = Field("web", description="Where the tools are in the catalogue.")
    credential: SourceCredential | None = Field(
        None, description="What the API or the server knows you by; a program takes one of the type `bearer`."
    )
    connection: str | None = Field(
        None,
        min_length=1,
        max_length=64,
        description="Instead of a credential: the name of a connection of yours of the kind `http`.",
    )

    trust_hints: bool = Field(
        False,
        description="Whether an MCP server's hints, such as `readOnlyHint`, may loosen how its tools are treated. "
        "By default each of its tools counts as one that changes and destroys things.",
    )

    @property
    def address(self) -> str | None:
        """Where the document or the server is, if it is not here."""
        return f"{SCHEME}{self.program}" if self.program else self.url


class SourceRefresh(Body):
    """What to read again: without either, what is where it was read before. An MCP server takes neither."""

    url: Address | None = Field(None, description="Where the document is now; by default where it was.")
    document: Document | None = Field(None, description="The document as an object, or as JSON or YAML.")
    trust_hints: bool | None = Field(
        None, description="Whether an MCP server's hints count from now on; by default as before."
    )


class SourceChange(Body):
    """What a source uses from now on."""

    connection: str | None = Field(
        min_length=1,
        max_length=64,
        description="The name of a connection of yours of the kind `http`, in place of the credential or connection "
        "that it has used; null for neither.",
    )


class SourceView(View):
    """A source of imported tools."""

    id: int = Field(description="The source's id.")
    kind: Kind = Field(description="What was imported.")
    name: str = Field(description="The namespace: the names of its tools begin with it.")
    category: CategoryName = Field(description="Where its tools are in the catalogue.")
    base_url: str = Field(description="Where the API or the server is; for a program, `stdio:` and its name.")
    document_url: str | None = Field(description="Where its document was read; null if it was sent, or is none.")
    trust_hints: bool = Field(
        description="Whether the hints of an MCP server count that loosen how its tools are treated."
    )
    connection: str | None = Field(description="The connection that it uses; null for none.")
    tools: int = Field(description="Tools that came from it.")
    size: int = Field(description="Bytes of your storage that its tools take.")
    status: Literal["pending", "ready"] = Field(
        description="`pending` until the MCP server has been asked for its tools: refresh the source."
    )
    created_at: Timestamp = Field(description="When it was imported.")


class SourceRefreshed(SourceView):
    """A source that was read again, and what has become of its tools."""

    added: list[str] = Field(description="Names of tools that are new.")
    changed: list[str] = Field(description="Names of tools that are described otherwise than before.")
    removed: list[str] = Field(description="Names of tools that are no longer there.")


class SourceDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The source's id.")
    deleted: Literal[True]
