"""Tools from outside: accounts import the description of an HTTP API, or what an MCP server offers."""
