"""Users, plans, API keys, sessions and permissions: who may call the server.

Rate limits are not part of this package; see `gate`, and `usage` for usage records.
"""
