"""Sign in by password or one-time link, and sign up. These endpoints need no credential.

Sessions do not belong here but to `auth.sessions`.
"""
