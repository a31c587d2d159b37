"""OAuth for imported MCP servers: this server is the client, and a person grants it access in a browser.

Discovery (RFC 9728, RFC 8414), registration (RFC 7591, client ID metadata documents), the authorization code flow with
PKCE and resource indicators (RFC 7636, RFC 8707), and refreshing. Sending tokens to an MCP server belongs to
`imports.credentials`.
"""
