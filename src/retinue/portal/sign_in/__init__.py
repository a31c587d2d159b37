"""Sign in by password or one-time link, and sign out.

Changing the password is not part of this package; see `portal.settings`.
"""
