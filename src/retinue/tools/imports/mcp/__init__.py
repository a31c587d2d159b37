"""Tools of servers that speak the Model Context Protocol (MCP), over its transport Streamable HTTP."""
