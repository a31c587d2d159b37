"""Tools from outside: accounts import the description of an HTTP API, or what an MCP server offers.

Tools that an operator installs do not belong here but to `tools.added`.
"""
