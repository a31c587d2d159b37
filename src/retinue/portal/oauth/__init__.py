"""OAuth: one's own apps, and what one granted to apps.

The consent page's protocol does not belong here but to `oauth`.
"""
