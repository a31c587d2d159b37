"""Sign in by password or one-time link, and sign up. These endpoints need no credential.

Sessions are not part of this package; see `auth.sessions`.
"""
