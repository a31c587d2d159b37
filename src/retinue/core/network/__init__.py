"""Outgoing connections to addresses that callers supply.

Clients of fixed services, such as model providers, belong to their packages.
"""
