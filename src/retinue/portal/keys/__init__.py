"""API keys: making, changing, rotating and revoking them.

Tokens of apps do not belong here but to `portal.oauth`.
"""
