"""Imported tools: accounts import the description of an HTTP API, or the tools of an MCP server.

Tools that an operator installs do not belong here but in `tools.plugins`.
"""
