"""Connections: create, test, use and delete credentials.

The kinds of connections do not belong here but to `connections`.
"""
