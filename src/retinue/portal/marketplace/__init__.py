"""The marketplace: browse, install, publish and uninstall items.

Moderation does not belong here but to `portal.operator`.
"""
