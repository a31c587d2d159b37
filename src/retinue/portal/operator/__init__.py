"""The operator's pages: users, marketplace moderation and the server's health.

Pages that every user may see do not belong here.
"""
