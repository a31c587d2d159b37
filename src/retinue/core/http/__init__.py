"""Declared operations, request bodies, responses and server-sent events.

The middleware of a request (caller, limits, errors, log) belongs to `gate`.
"""
