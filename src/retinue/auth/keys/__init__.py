"""API keys: their form, their records, and how a key becomes a caller.

Tokens of OAuth apps do not belong here but to `oauth`.
"""
