"""Streaming clients of model providers, one module per protocol. Each translates between `models.base` and the wire.

Retries, fallbacks and concurrency are not here but in `models/router.py`.
"""
