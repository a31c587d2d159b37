"""Sign in by password or one-time link, and sign out.

Changing the password does not belong here but to `portal.settings`.
"""
