"""OAuth: the user's own apps, and grants to apps.

The consent page is not part of this package; see `oauth`.
"""
