"""OAuth: the user's own apps, and grants to apps.

The consent page does not belong here but to `oauth`.
"""
