"""Sessions: the tokens that signing in gives, and how one becomes a caller.

How somebody proves who they are does not belong here but to `auth.sign_in`.
"""
