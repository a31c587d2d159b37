"""Tools over the workspace of an account, and over its agents; all of them run inside the server.

What computes does not belong here, since it would hold up the event loop.
"""
