"""Tools of servers that speak the Model Context Protocol (MCP), over its transport Streamable HTTP.

Retinue's own MCP endpoint, if any, does not belong here; this is the client alone.
"""
