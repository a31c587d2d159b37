"""API keys: create, change, rotate and revoke them.

Tokens of apps are not part of this package; see `portal.oauth`.
"""
