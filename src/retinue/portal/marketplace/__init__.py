"""The marketplace: browsing, installing, and what is installed.

Moderation does not belong here but to `portal.operator`.
"""
