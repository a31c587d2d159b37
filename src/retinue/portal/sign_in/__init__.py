"""Signing in by password or one-time link, and signing out.

The password's change does not belong here but to `portal.settings`.
"""
