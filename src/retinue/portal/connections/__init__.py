"""Connections: giving, testing and revoking credentials.

Which kinds there are does not belong here but to `connections`.
"""
