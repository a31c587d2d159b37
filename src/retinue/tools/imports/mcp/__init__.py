"""Tools of servers that speak the Model Context Protocol (MCP), over Streamable HTTP or standard input and output.

Retinue's own MCP endpoint does not belong here: this is the client.
"""
