"""Signing in: by password, by one-time link, and signing up. What is here needs no credential.

The session that follows does not belong here but to `auth.sessions`.
"""
