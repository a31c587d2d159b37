"""Sessions: tokens issued at sign-in, and their authentication.

Proving a user's identity does not belong here but to `auth.sign_in`.
"""
