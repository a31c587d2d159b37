"""Sessions: tokens issued at sign-in, and their authentication.

Proving a user's identity is not part of this package; see `auth.sign_in`.
"""
