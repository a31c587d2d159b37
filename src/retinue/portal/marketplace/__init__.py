"""The marketplace: browse, install, publish and uninstall items.

Moderation is not part of this package; see `portal.operator`.
"""
