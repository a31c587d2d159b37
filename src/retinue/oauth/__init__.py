"""OAuth 2: apps, consent, and the tokens by which apps act for users.

The protocol's endpoints are at `/oauth` and `/.well-known`; apps and grants are managed through the API. Users,
sessions and API keys do not belong here but to `auth`.
"""
