"""API keys: create, change, rotate and revoke them.

Tokens of apps do not belong here but to `portal.oauth`.
"""
