"""The server of the Model Context Protocol at /mcp: tools, agents and files of the caller for other programs.

It keeps no sessions, so any node can answer any request. The client of other MCP servers is in `tools/imports/mcp`.
"""
