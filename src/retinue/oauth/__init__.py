"""OAuth 2: apps, consent, and the tokens that let apps act for users.

The protocol's endpoints are at `/oauth` and `/.well-known`; the API manages apps and grants. Users, sessions and API
keys are not part of this package; see `auth`.
"""
