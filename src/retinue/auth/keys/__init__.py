"""API keys: format, storage and authentication.

Tokens of OAuth apps are not part of this package; see `oauth`.
"""
