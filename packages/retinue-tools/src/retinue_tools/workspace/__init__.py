"""Tools for the workspace of an account, and for its agents; all of them run inside the server.

Computing tools do not belong here, because they would block the event loop.
"""
