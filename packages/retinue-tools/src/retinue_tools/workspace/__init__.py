"""Tools over the workspace of an account, and over its agents; all of them run inside the server."""
