"""The limits of one source, and the files that its parser reads."""

TIMEOUT_S = 20.0
"""Time limit in seconds for the API behind an imported tool to answer."""

DOCUMENT_BYTES = 20 << 20
"""Maximum size of an OpenAPI document, or of an MCP server's list."""

MOST_TOOLS = 2000
"""Maximum number of tools of one source."""

DOCUMENT, EARLIER = "document", "earlier"
"""Files that a worker may read: the document to read, and the current definitions of the source's tools."""
