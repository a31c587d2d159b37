"""Tools from outside: accounts import the description of an HTTP API, and each of its operations becomes a tool."""
