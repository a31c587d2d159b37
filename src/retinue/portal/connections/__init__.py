"""Connections: create, test, use and delete credentials.

The kinds of connections are not part of this package; see `connections`.
"""
