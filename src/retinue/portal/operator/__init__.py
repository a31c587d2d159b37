"""The operator's pages: users, the marketplace's moderation, and the server's health.

What every user may see does not belong here.
"""
