"""Idempotency keys: claims, their table, and the execution of a request under a key.

Nothing here decides which operations accept a key: they declare it.
"""
