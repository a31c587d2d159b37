"""API keys: format, storage and authentication.

Tokens of OAuth apps do not belong here but to `oauth`.
"""
