"""Users, plans, API keys, sessions and permissions: who may call the server.

Rate limits do not belong here but to `gate`, and usage records to `usage`.
"""
